/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In round k ranks that differ in bit k exchange the reductions of their ranges of 2^k ranks; the
 * upper one also folds what it gets into its prefix. Ranges that n cuts short are just shorter. Any
 * operation keeps its order.
 */
#include "mpi/coll/algorithms.h"

static void begin(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block own = mpi_coll_whole(&coll->call.send);

	coll->work[0] = mpi_coll_scratch_like(me, coll, own);
	coll->work[1] = mpi_coll_scratch_like(me, coll, own);
	mpi_coll_copy(me, coll, own, mpi_coll_block_at(own, coll->work[0]));
	if (coll->kind == COLL_SCAN)
		mpi_coll_copy(me, coll, own, mpi_coll_whole(&coll->call.recv));
}

/*
 * work[1] is the reduction of the ranks just below this one's range: phase tells whether the result
 * holds anything yet.
 */
static void extend_prefix(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block result = mpi_coll_whole(&coll->call.recv);

	if (coll->kind == COLL_EXSCAN && coll->phase == 0)
		mpi_coll_copy(me, coll, mpi_coll_block_at(result, coll->work[1]), result);
	else
		mpi_op_apply(me, coll->op, result.type, coll->work[1], result.buf, result.count);
	coll->phase = 1;
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block data = mpi_coll_whole(&coll->call.recv);
	int mask = 1 << coll->step, peer = coll->rank ^ mask;

	if (coll->step == 0)
		begin(me, coll);
	if (coll->has_received && coll->rank & (mask / 2)) {
		extend_prefix(me, coll);
		mpi_coll_fold_left(me, coll, data);
	} else if (coll->has_received) {
		mpi_coll_fold_right(me, coll, data);
	}
	if (mask >= coll->size)
		return true;
	if (peer >= coll->size)
		return false;
	mpi_coll_recv(me, coll, mpi_coll_block_at(data, coll->work[1]), peer);
	mpi_coll_send(me, coll, mpi_coll_block_at(data, coll->work[0]), peer);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_scan_recursive_doubling = {
    .name = "recursive_doubling",
    .kinds = MPI_COLL_KIND(COLL_SCAN) | MPI_COLL_KIND(COLL_EXSCAN),
    .stages = {{NULL, run_round}},
};
