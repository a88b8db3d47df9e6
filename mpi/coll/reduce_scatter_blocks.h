/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COLL_REDUCE_SCATTER_BLOCKS_H
#define MPI_COLL_REDUCE_SCATTER_BLOCKS_H

#include "mpi/coll/algorithms.h"
#include "mpi/coll/pairs.h"

/*
 * Reduce-scatters among a power of two of ranks (pairs.h): those that take part work for groups of
 * one or two ranks, whose blocks follow each other in the send buffer.
 */

/* The first item of a rank's block in the send buffer; of rank n: the number of all items. */
MPI_Count mpi_coll_blocks_first(const struct mpi_coll *coll, int rank);
/* The first rank of a group; of the group after the last one: n. */
static inline int mpi_coll_group_first(int group, int n_pairs)
{
	return group < n_pairs ? 2 * group : group + n_pairs;
}

/* All items of the send buffer as one block. */
struct mpi_coll_block mpi_coll_blocks_all(const struct mpi_coll *coll);
/* The whole operation of a rank that sits out: gives its data to rank + 1, gets its block from it.
 */
bool mpi_coll_blocks_round_outside(struct mpi_rank *me, struct mpi_coll *coll);
/* Step 0 of a rank that takes part: work[0] has its data, work[1] what its other one sends. */
void mpi_coll_blocks_begin(struct mpi_rank *me, struct mpi_coll *coll, int n_pairs);
/*
 * `result`: the reduced blocks of this rank's group. Copies its own and sends the other its own;
 * true when there is nothing to wait for, else phase is 1 and the next round ends.
 */
bool mpi_coll_blocks_end(struct mpi_rank *me, struct mpi_coll *coll, int n_pairs,
			 struct mpi_coll_block result);

#endif
