/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Large buffers of the heap are not copied: their pages cannot be written to while MPI has them. A store faults:
 * where it comes from is noted, the pages are opened, and the program goes on. For what is received MPI opens them.
 */
#include <sys/mman.h>

#include "mpi/verify/internal.h"
#include "mpi/verify/memory.h"
#include "mpi/verify/races.h"

/* Two system calls take as long as copying and comparing this, or less; each range may take two of the 65 530 mappings that
 * Linux allows. */
enum { PAGE_B = 4096, MIN_GUARDED_B = 262144, MAX_GUARDED = 8192 };

static uintptr_t first_page(const struct mpi_memory_buffer *buffer)
{
	return (buffer->low + PAGE_B - 1) / PAGE_B * PAGE_B;
}

static uintptr_t end_page(const struct mpi_memory_buffer *buffer)
{
	return buffer->high / PAGE_B * PAGE_B;
}

bool mpi_memory_may_guard(struct mpi_memory *memory, const struct mpi_rank *me,
			  const struct mpi_memory_buffer *buffer)
{
	const struct mpi_memory_block *block;

	if (memory->memcheck || memory->impact || buffer->n_runs != 1 ||
	    end_page(buffer) < first_page(buffer) + MIN_GUARDED_B)
		return false;
	block = mpi_memory_block_at(memory, buffer->low);
	return block && !block->is_freed && buffer->high <= block->at + block->size_B &&
	       !(memory->races && mpi_races_region(memory->races, me->rank, buffer->low,
						   buffer->high - buffer->low));
}

/* Calls `act` for what others guard of the pages of `active`. */
static void for_others(const struct mpi_memory_rank *rank, const struct mpi_memory_active *active,
		       void (*act)(uintptr_t low, uintptr_t high, void *context), void *context)
{
	for (size_t i = mpi_ranges_near(&rank->locked, active->guard_low);
	     i < rank->locked.n && rank->locked.sorted[i].low < active->guard_high; i++) {
		const struct mpi_memory_active *other = mpi_memory_locked(rank, i);
		uintptr_t low = other->guard_low, high = other->guard_high;

		low = low > active->guard_low ? low : active->guard_low;
		high = high < active->guard_high ? high : active->guard_high;
		if (other != active && low < high)
			act(low, high, context);
	}
}

static void note_largest(uintptr_t low, uintptr_t high, void *context)
{
	uintptr_t *largest = context;

	if (high - low > *largest)
		*largest = high - low;
}

static bool is_covered(const struct mpi_memory_rank *rank, const struct mpi_memory_active *active)
{
	uintptr_t largest = 0;

	for_others(rank, active, note_largest, &largest);
	return largest == active->guard_high - active->guard_low;
}

static void close_pages(uintptr_t low, uintptr_t high, void *context)
{
	(void)context;
	mprotect((void *)low, high - low, PROT_READ); /* it could be before */
}

/* Opens the pages that no other buffer guards. */
static void open_pages(const struct mpi_memory_rank *rank, const struct mpi_memory_active *active)
{
	if (is_covered(rank, active))
		return;
	mprotect((void *)active->guard_low, active->guard_high - active->guard_low,
		 PROT_READ | PROT_WRITE);
	for_others(rank, active, close_pages, NULL);
}

/* The handler of the signal, too: async-signal-safe. All who guard such a page open theirs: none is closed again by another. */
static bool fault(struct pd_world *world, const void *address, size_t size_B, const void *site)
{
	struct mpi_world *mpi = world->mpi;
	struct mpi_memory *memory = mpi && mpi->verify ? mpi->verify->memory : NULL;
	uintptr_t at = (uintptr_t)address;
	bool is_found = false;

	for (int i = 0; memory && i < memory->n_ranks && memory->n_guarded > 0; i++)
		for (struct mpi_memory_active *one = memory->ranks[i].actives.first; one;
		     one = one->link.next) {
			if (at >= one->guard_high ||
			    (at < one->guard_low && one->guard_low - at >= size_B))
				continue;
			is_found = true;
			mprotect((void *)one->guard_low, one->guard_high - one->guard_low,
				 PROT_READ | PROT_WRITE);
			if (one->is_faulted)
				continue;
			one->is_faulted = true;
			one->fault_at = at;
			one->fault_site = site;
		}
	return is_found;
}

bool mpi_memory_guard(struct mpi_memory *memory, struct mpi_memory_active *active)
{
	struct mpi_rank *me = &memory->world->ranks[active->buffer.call.rank];
	const struct mpi_memory_rank *rank = &memory->ranks[me->rank];

	if (memory->n_guarded >= MAX_GUARDED || !mpi_memory_may_guard(memory, me, &active->buffer))
		return false;
	active->guard_low = first_page(&active->buffer);
	active->guard_high = end_page(&active->buffer);
	if (!is_covered(rank, active) &&
	    mprotect((void *)active->guard_low, active->guard_high - active->guard_low,
		     PROT_READ)) {
		active->guard_low = active->guard_high = 0;
		return false;
	}
	memory->n_guarded++;
	memory->world->pd->fault = fault;
	return true;
}

void mpi_memory_open(struct mpi_memory *memory, struct mpi_memory_active *active)
{
	if (active->guard_low == active->guard_high)
		return;
	open_pages(&memory->ranks[active->buffer.call.rank], active);
	active->guard_low = active->guard_high = 0;
	memory->n_guarded--;
}

static void close_again(struct mpi_memory *memory, struct mpi_memory_active *active)
{
	active->is_open = false;
	mpi_memory_guard(memory, active);
	mpi_memory_take_snapshot(memory, active);
}

bool mpi_memory_receiving(const struct mpi_request *recv, bool is_over)
{
	struct mpi_memory *memory = recv->owner->world->verify->memory;
	struct mpi_memory_rank *rank = &memory->ranks[recv->owner->rank];
	uintptr_t low = (uintptr_t)recv->buf + (uintptr_t)recv->type->true_lb_B;
	uintptr_t high = low + (uintptr_t)mpi_status_bytes(&recv->status);
	bool has_lost = false, has_memory = false;

	if (recv->owner->rank >= memory->n_ranks)
		return true; /* a spawned rank in MPI_Init */
	for (size_t i = mpi_ranges_near(&rank->locked, low);
	     i < rank->locked.n && rank->locked.sorted[i].low < high; i++) {
		struct mpi_memory_active *active = mpi_memory_locked(rank, i);

		if (!active->is_receive || active->mine || active->buffer.high <= low)
			continue;
		has_lost |= active->is_lost;
		has_memory |= !active->is_lost; /* it may be another's by now */
		if (active->is_lost)
			continue;
		if (!is_over) {
			if (!active->is_open)
				mpi_memory_compare(active, &active->changed);
			mpi_memory_open(memory, active);
			active->is_open = true;
			rank->has_open = true;
		} else if (recv->owner->depth == 0) {
			close_again(memory, active);
		}
	}
	return has_memory || !has_lost;
}

void mpi_memory_close_all(struct mpi_memory *memory, struct mpi_memory_rank *rank)
{
	rank->has_open = false;
	for (size_t i = 0; i < rank->locked.n; i++)
		if (mpi_memory_locked(rank, i)->is_open)
			close_again(memory, mpi_memory_locked(rank, i));
}
