/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks travel once around: in round s each rank passes on, to rank + 1, the block it received in
 * round s - 1.
 */
#include "mpi/coll/algorithms.h"

static struct mpi_coll_block block_of(const struct mpi_coll *coll, int distance)
{
	return mpi_coll_block(&coll->call.recv, (coll->rank - distance + coll->size) % coll->size);
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	int n = coll->size;
	struct mpi_coll_block out, in;

	if (coll->step == 0)
		mpi_coll_copy(me, coll, mpi_coll_whole(&coll->call.send), block_of(coll, 0));
	if (coll->step == n - 1)
		return true;
	in = block_of(coll, coll->step + 1);
	out = block_of(coll, coll->step);
	if (mpi_coll_block_size_B(in) > 0)
		mpi_coll_recv(me, coll, in, coll->rank == 0 ? n - 1 : coll->rank - 1);
	if (mpi_coll_block_size_B(out) > 0)
		mpi_coll_send(me, coll, out, coll->rank == n - 1 ? 0 : coll->rank + 1);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_allgather_two_proc = {
    .name = "two_proc",
    .kinds = MPI_COLL_KIND(COLL_ALLGATHER) | MPI_COLL_KIND(COLL_ALLGATHERV),
    .fits = mpi_coll_is_pair,
    .stages = {{NULL, run_round}},
};

const struct mpi_coll_algorithm mpi_coll_allgather_ring = {
    .name = "ring",
    .kinds = MPI_COLL_KIND(COLL_ALLGATHER) | MPI_COLL_KIND(COLL_ALLGATHERV),
    .stages = {{NULL, run_round}},
};
