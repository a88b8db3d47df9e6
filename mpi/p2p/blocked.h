/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_BLOCKED_H
#define MPI_P2P_BLOCKED_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi/core/rank.h"

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

/* Describes what `me` waits for. O(requests waited for). */
void mpi_blocked_describe(struct mpi_rank *me, struct mpi_blocked *out);

#endif
