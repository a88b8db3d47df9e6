/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COLL_PAIRS_H
#define MPI_COLL_PAIRS_H

#include "mpi/coll/operation.h"
#include "mpi/coll/tree.h"

/*
 * Reductions to all among a power of two p of ranks, when there are n = p + n_pairs: the first 2
 * n_pairs ranks pair up; even ones hand their data to the odd one above them, sit out, and get the
 * result from it. A pair is a range of ranks, so any operation keeps its order.
 */

/* Ranks that take part are counted from 0 without gaps. */
static inline int mpi_coll_pairs_index(int rank, int n_pairs)
{
	return rank < 2 * n_pairs ? rank / 2 : rank - n_pairs;
}

static inline int mpi_coll_pairs_rank(int index, int n_pairs)
{
	return index < n_pairs ? 2 * index + 1 : index + n_pairs;
}

/* phase: has handed over its result, or got it: the next round ends. */
#define MPI_COLL_PAIRS_LEAVING 1

/* A round of an algorithm among pairs; `inside` is that of a rank that takes part. */
static inline bool mpi_coll_pairs_round(struct mpi_rank *me, struct mpi_coll *coll,
					mpi_coll_round_fn outside,
					bool (*inside)(struct mpi_rank *me, struct mpi_coll *coll,
						       int power, int n_pairs))
{
	int power = mpi_coll_power_of_two(coll->size), n_pairs = coll->size - power;

	if (coll->phase == MPI_COLL_PAIRS_LEAVING)
		return true;
	if (coll->rank < 2 * n_pairs && coll->rank % 2 == 0)
		return outside(me, coll);
	return inside(me, coll, power, n_pairs);
}

/* The whole operation of a rank that sits out. */
bool mpi_coll_pairs_round_outside(struct mpi_rank *me, struct mpi_coll *coll);
/*
 * Step 0 of a rank that takes part: work[0] is the result's buffer with its data, work[1] scratch,
 * where the other's data arrive if it has one.
 */
void mpi_coll_pairs_begin(struct mpi_rank *me, struct mpi_coll *coll, int n_pairs);
/* The result is in work[0]: ends, or passes it on; then phase is 1 and the next round ends. */
bool mpi_coll_pairs_end(struct mpi_rank *me, struct mpi_coll *coll, int n_pairs);

#endif
