/* SPDX-License-Identifier: BSD-3-Clause */
/* The root sends each rank its block. */
#include "mpi/coll/algorithms.h"

static void send_all(struct mpi_rank *me, struct mpi_coll *coll)
{
	mpi_coll_reserve(me, coll, coll->size);
	for (int peer = 0; peer < coll->size; peer++) {
		struct mpi_coll_block block = mpi_coll_block(&coll->call.send, peer);

		if (peer == coll->rank)
			mpi_coll_copy(me, coll, block, mpi_coll_whole(&coll->call.recv));
		else if (mpi_coll_block_size_B(block) > 0)
			mpi_coll_send(me, coll, block, peer);
	}
}

bool mpi_coll_scatter_linear_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block own = mpi_coll_whole(&coll->call.recv);

	if (coll->step == 1)
		return true;
	if (coll->rank == coll->call.root)
		send_all(me, coll);
	else if (mpi_coll_block_size_B(own) > 0)
		mpi_coll_recv(me, coll, own, coll->call.root);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_scatter_linear = {
    .name = "linear",
    .kinds = MPI_COLL_KIND(COLL_SCATTER) | MPI_COLL_KIND(COLL_SCATTERV),
    .stages = {{NULL, mpi_coll_scatter_linear_round}},
};
