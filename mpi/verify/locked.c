/* SPDX-License-Identifier: BSD-3-Clause */
/* The locked buffers of a rank by their addresses: who touches memory looks only at those near it. */
#include <string.h>

#include "mpi/verify/memory.h"
#include "util/array.h"

static bool begins_below(const void *active, const void *low)
{
	return (*(const struct mpi_memory_active *const *)active)->buffer.low <
	       *(const uintptr_t *)low;
}

/* The first one that begins at `low` or later. */
static size_t first_from(const struct mpi_memory_rank *rank, uintptr_t low)
{
	return util_count_before(rank->sorted, rank->n_sorted, sizeof *rank->sorted, begins_below,
				 &low);
}

bool mpi_memory_insert(struct mpi_memory_rank *rank, struct mpi_memory_active *active)
{
	size_t at = first_from(rank, active->buffer.low);
	size_t span_B = active->buffer.high - active->buffer.low;

	if (!util_array_room(&rank->sorted, rank->n_sorted, sizeof(struct mpi_memory_active *)))
		return false;
	memmove(&rank->sorted[at + 1], &rank->sorted[at],
		(rank->n_sorted - at) * sizeof(struct mpi_memory_active *));
	rank->sorted[at] = active;
	rank->n_sorted++;
	rank->widest_B = span_B > rank->widest_B ? span_B : rank->widest_B;
	return true;
}

void mpi_memory_remove(struct mpi_memory_rank *rank, const struct mpi_memory_active *active)
{
	size_t at = first_from(rank, active->buffer.low);

	while (rank->sorted[at] != active)
		at++;
	rank->n_sorted--;
	memmove(&rank->sorted[at], &rank->sorted[at + 1],
		(rank->n_sorted - at) * sizeof(struct mpi_memory_active *));
	if (rank->n_sorted == 0)
		rank->widest_B = 0;
}

size_t mpi_memory_near(const struct mpi_memory_rank *rank, uintptr_t low)
{
	return first_from(rank, low > rank->widest_B ? low - rank->widest_B : 0);
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

	for (size_t i = mpi_memory_near(rank, buffer->low);
	     i < rank->n_sorted && rank->sorted[i]->buffer.low <= buffer->low; i++) {
		struct mpi_memory_active *other = rank->sorted[i];

		if (other != active && other->mine && are_alike(&other->buffer, buffer) &&
		    memcmp(other->mine, (const void *)buffer->low, span_B) == 0)
			return other;
	}
	return NULL;
}
