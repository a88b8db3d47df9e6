/* SPDX-License-Identifier: BSD-3-Clause */
/* Every rank sends to the root, which receives all at once. */
#include "mpi/coll/algorithms.h"

static void receive_all(struct mpi_rank *me, struct mpi_coll *coll)
{
	mpi_coll_reserve(me, coll, coll->size);
	for (int peer = 0; peer < coll->size; peer++) {
		struct mpi_coll_block block = mpi_coll_block(&coll->call.recv, peer);

		if (peer == coll->rank)
			mpi_coll_copy(me, coll, mpi_coll_whole(&coll->call.send), block);
		else if (mpi_coll_block_size_B(block) > 0)
			mpi_coll_recv(me, coll, block, peer);
	}
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block own = mpi_coll_whole(&coll->call.send);

	if (coll->step == 1)
		return true;
	if (coll->rank == coll->call.root)
		receive_all(me, coll);
	else if (mpi_coll_block_size_B(own) > 0)
		mpi_coll_send(me, coll, own, coll->call.root);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_gather_linear = {
    .name = "linear",
    .kinds = MPI_COLL_KIND(COLL_GATHER) | MPI_COLL_KIND(COLL_GATHERV),
    .stages = {{NULL, run_round}},
};
