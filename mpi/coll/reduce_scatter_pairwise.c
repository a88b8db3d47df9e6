/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * n - 1 rounds; in round s each rank sends rank + s the block it needs and folds in what rank - s
 * sent. Contributions come in an order of their own on each rank, so only for operations that
 * commute.
 */
#include "mpi/coll/algorithms.h"

static void begin(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block own = mpi_coll_block(&coll->call.send, coll->rank);

	coll->work[0] = mpi_coll_scratch_like(me, coll, own);
	coll->work[1] = mpi_coll_scratch_like(me, coll, own);
	mpi_coll_copy(me, coll, own, mpi_coll_block_at(own, coll->work[0]));
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block own = mpi_coll_whole(&coll->call.recv), out;
	int n = coll->size, distance = coll->step + 1, dest = (coll->rank + distance) % n;

	if (coll->step == 0)
		begin(me, coll);
	if (coll->has_received)
		mpi_coll_fold_left(me, coll, own);
	if (distance >= n) {
		mpi_coll_copy(me, coll, mpi_coll_block_at(own, coll->work[0]), own);
		return true;
	}
	out = mpi_coll_block(&coll->call.send, dest);
	if (mpi_coll_block_size_B(own) > 0)
		mpi_coll_recv(me, coll, mpi_coll_block_at(own, coll->work[1]),
			      (coll->rank - distance + n) % n);
	if (mpi_coll_block_size_B(out) > 0)
		mpi_coll_send(me, coll, out, dest);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_reduce_scatter_pairwise = {
    .name = "pairwise",
    .kinds = MPI_COLL_KIND(COLL_REDUCE_SCATTER) | MPI_COLL_KIND(COLL_REDUCE_SCATTER_BLOCK),
    .fits = mpi_coll_commutes,
    .stages = {{NULL, run_round}},
};
