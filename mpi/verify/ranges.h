/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_RANGES_H
#define MPI_VERIFY_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Ranges of memory by where they begin, which may overlap: whoever looks at some bytes looks only at
 * those near them. All zero: none.
 *
 *	for (size_t i = mpi_ranges_near(&ranges, low); i < ranges.n && ranges.sorted[i].low < high; i++)
 *		if (ranges.sorted[i].high > low)
 *			…
 */
struct mpi_range {
	uintptr_t low, high; /* [low, high) */
	union {
		void *owner;
		uintptr_t number;
	};
};

struct mpi_ranges {
	struct mpi_range *sorted; /* [n] malloc'd */
	size_t n, widest_B;
};

/* False: out of memory. O(n) moves. */
bool mpi_ranges_insert(struct mpi_ranges *ranges, struct mpi_range range);
void mpi_ranges_remove(struct mpi_ranges *ranges, size_t at);
/* The first that begins at `low` or later. */
size_t mpi_ranges_from(const struct mpi_ranges *ranges, uintptr_t low);
/* The first that may reach beyond `low`; those that begin before a `high` follow it. */
size_t mpi_ranges_near(const struct mpi_ranges *ranges, uintptr_t low);
void mpi_ranges_finish(struct mpi_ranges *ranges);

#endif
