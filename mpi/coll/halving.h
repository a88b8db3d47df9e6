/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COLL_HALVING_H
#define MPI_COLL_HALVING_H

#include "mpi/coll/algorithms.h"
#include "mpi/coll/pairs.h"

/*
 * Recursive halving: in round k ranks that differ in bit k exchange halves of the items that both
 * still reduce, and each folds the half it keeps. Ranks beyond a power of two pair up first
 * (pairs.h). Neighbouring ranges of ranks are combined, lower one left: any operation keeps its
 * order. work[0] has what is reduced so far, work[1] takes what arrives.
 */

/* Items first … end-1. */
struct mpi_coll_range {
	MPI_Count first, end;
};

/* What the rank of this index still reduces after `n_rounds` rounds. */
struct mpi_coll_range mpi_coll_halving_range(const struct mpi_coll *coll, int index, int n_rounds);
struct mpi_coll_block mpi_coll_halving_part(const struct mpi_coll *coll, char *buf,
					    struct mpi_coll_range range);
/* Rounds there are among `power` ranks. */
int mpi_coll_halving_rounds(int power);
/* Whether there is an item for each. */
bool mpi_coll_halving_fits(const struct mpi_coll *coll);
/*
 * What step k + 1 begins with: folds what arrived in the step before; k = 0: from the other of the
 * pair.
 */
void mpi_coll_halving_fold(struct mpi_rank *me, struct mpi_coll *coll, int index, int k,
			   int n_rounds);
/* Round k: keeps one half of the range, gives the other away. */
void mpi_coll_halving_send(struct mpi_rank *me, struct mpi_coll *coll, int index, int k,
			   int n_pairs);

#endif
