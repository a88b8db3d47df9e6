/* SPDX-License-Identifier: BSD-3-Clause */
/* The root sends each rank its block when the one before has left. */
#include "mpi/coll/algorithms.h"

bool mpi_coll_scatter_sequential_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	int peer = coll->step;

	if (coll->rank != coll->call.root) {
		if (coll->step == 0)
			mpi_coll_recv_some(me, coll, mpi_coll_whole(&coll->call.recv),
					   coll->call.root);
		return coll->step == 1;
	}
	if (peer == coll->size)
		return true;
	if (peer == coll->rank)
		mpi_coll_copy(me, coll, mpi_coll_block(&coll->call.send, peer),
			      mpi_coll_whole(&coll->call.recv));
	else
		mpi_coll_send_some(me, coll, mpi_coll_block(&coll->call.send, peer), peer);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_scatter_sequential = {
    .name = "sequential",
    .kinds = MPI_COLL_KIND(COLL_SCATTER) | MPI_COLL_KIND(COLL_SCATTERV),
    .stages = {{NULL, mpi_coll_scatter_sequential_round}},
};
