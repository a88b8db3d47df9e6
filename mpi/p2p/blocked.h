/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_BLOCKED_H
#define MPI_P2P_BLOCKED_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi/core/rank.h"
#include "util/array.h"

/* Who a blocked rank waits for, as far as it is known. */
enum mpi_late { MPI_LATE_NOBODY, MPI_LATE_SENDER, MPI_LATE_RECEIVER };

/* What a rank is blocked in, for the report of a deadlock. */
struct mpi_blocked {
	bool is_blocked; /* false: it has ended or computes */
	bool is_any;	 /* it goes on as soon as one of `waits_for` acts; otherwise all have to */
	bool is_anyone;	 /* it waits for any rank at all (MPI_ANY_SOURCE): `waits_for` lists the
			    peers it could be */
	int *waits_for;	 /* [n] world ranks, malloc'd: the caller frees; NULL when out of memory */
	int n;
	char text[256]; /* "receive from rank 1, tag 7 (and 2 more operations)" */
};

static inline void mpi_blocked_add(struct mpi_blocked *out, int world_rank)
{
	if (util_array_room(&out->waits_for, (size_t)out->n, sizeof *out->waits_for))
		out->waits_for[out->n++] = world_rank;
}

/* Describes what `me` waits for. O(requests waited for). */
void mpi_blocked_describe(struct mpi_rank *me, struct mpi_blocked *out);
/* Who is late: whoever has not sent what `me` would receive, or not posted a receive for what it
 * sends; nobody where all that it waits for is under way, or it waits for none of that. */
enum mpi_late mpi_blocked_late(const struct mpi_rank *me);

#endif
