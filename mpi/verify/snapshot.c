/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What buffers were like before MPI writes to them. Pages of the heap that were never touched are
 * zero; the system is asked, since whoever looks at them makes it provide them.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "mpi/verify/memory.h"

enum { PAGE_B = 4096, MIN_PAGES = 8, N_ENTRIES = 512 };

/* Of /proc/PID/pagemap: bit 63, the page is in memory; 62, it is swapped out. */
#define IS_THERE (UINT64_C(3) << 62)

static void look(int fd, uintptr_t low, uintptr_t high, bool untouched[])
{
	uint64_t entries[N_ENTRIES];
	uintptr_t page = low / PAGE_B, end = (high - 1) / PAGE_B + 1;

	while (page < end) {
		size_t n = end - page < N_ENTRIES ? end - page : N_ENTRIES;
		ssize_t got_B =
		    pread(fd, entries, n * sizeof *entries, (off_t)(page * sizeof *entries));

		for (size_t i = 0; i < n; i++, page++) {
			uintptr_t first = page * PAGE_B < low ? low : page * PAGE_B;
			uintptr_t last = (page + 1) * PAGE_B > high ? high : (page + 1) * PAGE_B;

			if ((ssize_t)((i + 1) * sizeof *entries) <= got_B &&
			    !(entries[i] & IS_THERE))
				continue;
			for (size_t k = (first - low) / MEMORY_PIECE_B;
			     k <= (last - 1 - low) / MEMORY_PIECE_B; k++)
				untouched[k] = false;
		}
	}
}

static size_t count_pieces(const struct mpi_memory_active *active)
{
	return (active->buffer.high - active->buffer.low) / MEMORY_PIECE_B + 1;
}

/* Pages that were touched stay so: they need not be asked for again. */
static void note_there(struct mpi_memory_block *block, const struct mpi_memory_active *active,
		       const bool untouched[])
{
	uintptr_t low = active->buffer.low, high = active->buffer.high;

	for (size_t i = 0; i < count_pieces(active); i++)
		if (untouched[i])
			return;
	if (low <= block->there_high && high >= block->there_low) {
		low = low < block->there_low ? low : block->there_low;
		high = high > block->there_high ? high : block->there_high;
	}
	if (high - low <= block->there_high - block->there_low)
		return;
	block->there_low = low;
	block->there_high = high;
}

/* Which pieces of the buffer were never touched. */
static void find_untouched(struct mpi_memory *memory, const struct mpi_memory_active *active,
			   bool untouched[])
{
	uintptr_t low = active->buffer.low, high = active->buffer.high;
	struct mpi_memory_block *block = NULL;
	int fd = -1;

	if (high - low >= (uintptr_t)MIN_PAGES * PAGE_B)
		block = mpi_memory_block_at(memory, low);
	if (block && !block->is_filled && block->at + block->size_B >= high &&
	    !(block->there_low <= low && block->there_high >= high))
		fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	for (size_t i = 0; i < count_pieces(active); i++)
		untouched[i] = fd >= 0;
	if (fd < 0)
		return;
	look(fd, low, high, untouched);
	close(fd);
	note_there(block, active, untouched);
}

static const char zeros[MEMORY_PIECE_B];

static size_t size_of(const struct mpi_memory_active *active, size_t at)
{
	size_t left_B = active->buffer.high - active->buffer.low - at;

	return left_B < MEMORY_PIECE_B ? left_B : MEMORY_PIECE_B;
}

void mpi_memory_take_snapshot(struct mpi_memory *memory, struct mpi_memory_active *active)
{
	const char *now = (const char *)active->buffer.low;
	bool *is_zero = active->zero_pieces;
	size_t n_B;

	find_untouched(memory, active, is_zero);
	for (size_t at = 0; (n_B = size_of(active, at)) > 0; at += n_B, is_zero++) {
		*is_zero = *is_zero || memcmp(now + at, zeros, n_B) == 0;
		if (!*is_zero)
			memcpy(active->snapshot + at, now + at, n_B);
	}
}

bool mpi_memory_is_unchanged(struct mpi_memory *memory, const struct mpi_memory_active *active)
{
	const char *now = (const char *)active->buffer.low;
	const bool *is_zero = active->zero_pieces;
	bool *untouched = active->zero_pieces + count_pieces(active);
	size_t n_B;

	find_untouched(memory, active, untouched);
	for (size_t at = 0; (n_B = size_of(active, at)) > 0; at += n_B, is_zero++, untouched++)
		if (!(*is_zero && *untouched) &&
		    memcmp(now + at, *is_zero ? zeros : active->snapshot + at, n_B) != 0)
			return false;
	return true;
}

void mpi_memory_complete_snapshot(struct mpi_memory_active *active)
{
	size_t n_B;

	for (size_t at = 0; (n_B = size_of(active, at)) > 0; at += n_B)
		if (active->zero_pieces[at / MEMORY_PIECE_B])
			memset(active->snapshot + at, 0, n_B);
}
