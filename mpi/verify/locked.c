/* SPDX-License-Identifier: BSD-3-Clause */
/* The locked buffers of a rank by their addresses. */
#include <string.h>

#include "mpi/verify/memory.h"

bool mpi_memory_insert(struct mpi_memory_rank *rank, struct mpi_memory_active *active)
{
	return mpi_ranges_insert(
	    &rank->locked, (struct mpi_range){active->buffer.low, active->buffer.high, {active}});
}

void mpi_memory_remove(struct mpi_memory_rank *rank, const struct mpi_memory_active *active)
{
	size_t at = mpi_ranges_from(&rank->locked, active->buffer.low);

	while (mpi_memory_locked(rank, at) != active)
		at++;
	mpi_ranges_remove(&rank->locked, at);
}

static bool are_alike(const struct mpi_memory_buffer *a, const struct mpi_memory_buffer *b)
{
	return a->low == b->low && a->high == b->high && a->use == MEMORY_READ &&
	       b->use == MEMORY_READ;
}

struct mpi_memory_active *mpi_memory_twin(const struct mpi_memory_rank *rank,
					  const struct mpi_memory_active *active)
{
	const struct mpi_memory_buffer *buffer = &active->buffer;
	size_t span_B = buffer->high - buffer->low;

	for (size_t i = mpi_ranges_near(&rank->locked, buffer->low);
	     i < rank->locked.n && rank->locked.sorted[i].low <= buffer->low; i++) {
		struct mpi_memory_active *other = mpi_memory_locked(rank, i);

		if (other != active && other->mine && are_alike(&other->buffer, buffer) &&
		    memcmp(other->mine, (const void *)buffer->low, span_B) == 0)
			return other;
	}
	return NULL;
}

bool mpi_memory_is_lent(const struct mpi_memory *memory, const struct mpi_rank *me, uintptr_t at,
			size_t size_B)
{
	const struct mpi_memory_rank *rank = &memory->ranks[me->rank];

	for (size_t i = mpi_ranges_near(&rank->locked, at);
	     i < rank->locked.n && rank->locked.sorted[i].low < at + size_B; i++) {
		const struct mpi_memory_active *active = mpi_memory_locked(rank, i);

		if (active->buffer.high > at && !active->mine && !active->is_receive &&
		    !active->is_attached)
			return true;
	}
	return false;
}
