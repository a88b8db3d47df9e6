/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything at once; each rank starts with its neighbours, so that no rank is everybody's first. */
#include "mpi/coll/algorithms.h"

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	int n = coll->size;

	if (coll->step == 1)
		return true;
	mpi_coll_reserve(me, coll, 2 * n);
	for (int i = 1; i < n; i++) {
		int source = (coll->rank + i) % n;
		struct mpi_coll_block block = mpi_coll_block(&coll->call.recv, source);

		if (mpi_coll_block_size_B(block) > 0)
			mpi_coll_recv(me, coll, block, source);
	}
	for (int i = 1; i < n; i++) {
		int dest = (coll->rank + n - i) % n;
		struct mpi_coll_block block = mpi_coll_block(&coll->call.send, dest);

		if (mpi_coll_block_size_B(block) > 0)
			mpi_coll_send(me, coll, block, dest);
	}
	mpi_coll_copy(me, coll, mpi_coll_block(&coll->call.send, coll->rank),
		      mpi_coll_block(&coll->call.recv, coll->rank));
	return false;
}

const struct mpi_coll_algorithm mpi_coll_alltoall_linear = {
	.name = "linear",
	.kinds = MPI_COLL_KIND(COLL_ALLTOALL) | MPI_COLL_KIND(COLL_ALLTOALLV) |
		 MPI_COLL_KIND(COLL_ALLTOALLW),
	.stages = {{NULL, run_round}},
};
