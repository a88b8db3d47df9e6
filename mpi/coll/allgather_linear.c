/* SPDX-License-Identifier: BSD-3-Clause */
/* Every rank sends its block to each of the others. */
#include "mpi/coll/algorithms.h"

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block own = mpi_coll_whole(&coll->call.send);
	int n = coll->size;

	if (coll->step == 1)
		return true;
	mpi_coll_reserve(me, coll, 2 * n);
	for (int i = 1; i < n; i++) {
		int source = (coll->rank + n - i) % n;
		struct mpi_coll_block block = mpi_coll_block(&coll->call.recv, source);

		if (mpi_coll_block_size_B(block) > 0)
			mpi_coll_recv(me, coll, block, source);
	}
	for (int i = 1; i < n && mpi_coll_block_size_B(own) > 0; i++)
		mpi_coll_send(me, coll, own, (coll->rank + i) % n);
	mpi_coll_copy(me, coll, own, mpi_coll_block(&coll->call.recv, coll->rank));
	return false;
}

const struct mpi_coll_algorithm mpi_coll_allgather_linear = {
    .name = "linear",
    .kinds = MPI_COLL_KIND(COLL_ALLGATHER) | MPI_COLL_KIND(COLL_ALLGATHERV),
    .stages = {{NULL, run_round}},
};
