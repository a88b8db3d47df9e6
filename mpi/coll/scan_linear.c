/* SPDX-License-Identifier: BSD-3-Clause */
/* A chain: each rank waits for the reduction of all below it, adds its own and passes that on. */
#include "mpi/coll/algorithms.h"

static void begin(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block own = mpi_coll_whole(&coll->call.send);

	coll->work[0] = mpi_coll_scratch_like(me, coll, own);
	coll->work[1] = mpi_coll_scratch_like(me, coll, own);
	mpi_coll_copy(me, coll, own, mpi_coll_block_at(own, coll->work[0]));
	if (coll->rank > 0)
		mpi_coll_recv(me, coll, mpi_coll_block_at(own, coll->work[1]), coll->rank - 1);
}

static void pass_on(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block result = mpi_coll_whole(&coll->call.recv);

	if (coll->kind == COLL_EXSCAN && coll->rank > 0)
		mpi_coll_copy(me, coll, mpi_coll_block_at(result, coll->work[1]), result);
	if (coll->rank > 0)
		mpi_coll_fold_left(me, coll, result);
	if (coll->kind == COLL_SCAN)
		mpi_coll_copy(me, coll, mpi_coll_block_at(result, coll->work[0]), result);
	if (coll->rank < coll->size - 1)
		mpi_coll_send(me, coll, mpi_coll_block_at(result, coll->work[0]), coll->rank + 1);
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	if (coll->step == 0)
		begin(me, coll);
	else if (coll->step == 1)
		pass_on(me, coll);
	return coll->step == 2;
}

const struct mpi_coll_algorithm mpi_coll_scan_linear = {
    .name = "linear",
    .kinds = MPI_COLL_KIND(COLL_SCAN) | MPI_COLL_KIND(COLL_EXSCAN),
    .stages = {{NULL, run_round}},
};
