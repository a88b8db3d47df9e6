/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The root receives one contribution after the other, from the last rank to the first, and folds
 * each in from the left: any operation.
 */
#include "mpi/coll/algorithms.h"

/* The contribution of `rank` has arrived, or is the root's own. */
static void fold(struct mpi_rank *me, struct mpi_coll *coll, int rank)
{
	struct mpi_coll_block own = mpi_coll_whole(&coll->call.send);
	char *arrived = coll->work[1];

	if (rank == coll->rank)
		coll->work[1] = own.buf;
	if (rank == coll->size - 1)
		mpi_coll_copy(me, coll, mpi_coll_block_at(own, coll->work[1]),
			      mpi_coll_block_at(own, coll->work[0]));
	else
		mpi_coll_fold_left(me, coll, own);
	coll->work[1] = arrived;
}

static bool round_at_root(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block result = mpi_coll_whole(&coll->call.recv);
	int next = coll->size - 1 - coll->step;

	if (coll->step == 0) {
		coll->work[0] = mpi_coll_scratch_like(me, coll, result);
		coll->work[1] = mpi_coll_scratch_like(me, coll, result);
	} else {
		fold(me, coll, next + 1);
	}
	if (next < 0) {
		mpi_coll_copy(me, coll, mpi_coll_block_at(result, coll->work[0]), result);
		return true;
	}
	if (next != coll->rank)
		mpi_coll_recv(me, coll, mpi_coll_block_at(result, coll->work[1]), next);
	return false;
}

bool mpi_coll_reduce_linear_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	if (coll->rank == coll->call.root)
		return round_at_root(me, coll);
	if (coll->step == 1)
		return true;
	mpi_coll_send(me, coll, mpi_coll_whole(&coll->call.send), coll->call.root);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_reduce_linear = {
    .name = "linear",
    .kinds = MPI_COLL_KIND(COLL_REDUCE),
    .stages = {{NULL, mpi_coll_reduce_linear_round}},
};
