/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One rank after the other: the root receives a block when it has the one before. As `linear_sync`
 * it also asks each rank for its block, so that none arrives before its turn.
 */
#include "mpi/coll/algorithms.h"

/* Rank `step`, but for the root itself. */
static bool round_at_root(struct mpi_rank *me, struct mpi_coll *coll, bool asks)
{
	int peer = coll->step;
	struct mpi_coll_block block;

	if (peer == coll->size)
		return true;
	block = mpi_coll_block(&coll->call.recv, peer);
	if (peer == coll->rank) {
		mpi_coll_copy(me, coll, mpi_coll_whole(&coll->call.send), block);
	} else if (mpi_coll_block_size_B(block) > 0) {
		mpi_coll_recv(me, coll, block, peer);
		if (asks)
			mpi_coll_send(me, coll, mpi_coll_bytes(me, NULL, 0), peer);
	}
	return false;
}

static bool run(struct mpi_rank *me, struct mpi_coll *coll, bool asks)
{
	struct mpi_coll_block own = mpi_coll_whole(&coll->call.send);

	if (coll->rank == coll->call.root)
		return round_at_root(me, coll, asks);
	if (coll->step == 2 || mpi_coll_block_size_B(own) == 0)
		return true;
	if (coll->step == 1)
		mpi_coll_send(me, coll, own, coll->call.root);
	else if (asks)
		mpi_coll_recv(me, coll, mpi_coll_bytes(me, NULL, 0), coll->call.root);
	return false;
}

static bool run_sequential(struct mpi_rank *me, struct mpi_coll *coll)
{
	return run(me, coll, false);
}

static bool run_sync(struct mpi_rank *me, struct mpi_coll *coll)
{
	return run(me, coll, true);
}

const struct mpi_coll_algorithm mpi_coll_gather_sequential = {
    .name = "sequential",
    .kinds = MPI_COLL_KIND(COLL_GATHER) | MPI_COLL_KIND(COLL_GATHERV),
    .stages = {{NULL, run_sequential}},
};

const struct mpi_coll_algorithm mpi_coll_gather_linear_sync = {
    .name = "linear_sync",
    .kinds = MPI_COLL_KIND(COLL_GATHER) | MPI_COLL_KIND(COLL_GATHERV),
    .stages = {{NULL, run_sync}},
};
