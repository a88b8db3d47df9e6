/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each block goes once around the ring while every rank adds its own, and ends at its rank: n-1
 * rounds. Contributions come in an order of their own in each block, so only for operations that
 * commute.
 */
#include "mpi/coll/algorithms.h"

static struct mpi_coll_block block_of(const struct mpi_coll *coll, int distance)
{
	return mpi_coll_block(&coll->call.send, (coll->rank - distance + coll->size) % coll->size);
}

/* Room for the longest block, which is on its way, and for the next one. */
static void begin(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block longest = mpi_coll_block(&coll->call.send, 0);

	for (int i = 1; i < coll->size; i++) {
		struct mpi_coll_block block = mpi_coll_block(&coll->call.send, i);

		if (block.count > longest.count)
			longest = block;
	}
	coll->work[0] = mpi_coll_scratch_like(me, coll, longest);
	coll->work[1] = mpi_coll_scratch_like(me, coll, longest);
}

/* Round k: the reduction so far of block rank - 1 - k leaves, that of rank - 2 - k arrives. */
static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	int n = coll->size, k = coll->step;
	struct mpi_coll_block here = block_of(coll, (k + 1) % n),
			      next = block_of(coll, (k + 2) % n);
	char *arrived;

	if (k == 0) {
		begin(me, coll);
		mpi_coll_copy(me, coll, here, mpi_coll_block_at(here, coll->work[0]));
	} else {
		arrived = coll->work[1];
		mpi_op_apply(me, coll->op, here.type, here.buf, arrived, here.count);
		coll->work[1] = coll->work[0];
		coll->work[0] = arrived;
	}
	if (k == n - 1) {
		mpi_coll_copy(me, coll, mpi_coll_block_at(here, coll->work[0]),
			      mpi_coll_whole(&coll->call.recv));
		return true;
	}
	mpi_coll_recv_some(me, coll, mpi_coll_block_at(next, coll->work[1]),
			   (coll->rank + n - 1) % n);
	mpi_coll_send_some(me, coll, mpi_coll_block_at(here, coll->work[0]), (coll->rank + 1) % n);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_reduce_scatter_ring = {
    .name = "ring",
    .kinds = MPI_COLL_KIND(COLL_REDUCE_SCATTER) | MPI_COLL_KIND(COLL_REDUCE_SCATTER_BLOCK),
    .fits = mpi_coll_commutes,
    .stages = {{NULL, run_round}},
};
