/* SPDX-License-Identifier: BSD-3-Clause */
/* The root sends to each of the others. */
#include "mpi/coll/algorithms.h"

bool mpi_coll_bcast_linear_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block data = mpi_coll_whole(&coll->call.recv);

	if (coll->step == 1)
		return true;
	if (coll->rank != coll->call.root) {
		mpi_coll_recv(me, coll, data, coll->call.root);
		return false;
	}
	mpi_coll_reserve(me, coll, coll->size);
	for (int peer = 0; peer < coll->size; peer++)
		if (peer != coll->rank)
			mpi_coll_send(me, coll, data, peer);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_bcast_linear = {
    .name = "linear",
    .kinds = MPI_COLL_KIND(COLL_BCAST),
    .stages = {{NULL, mpi_coll_bcast_linear_round}},
};
