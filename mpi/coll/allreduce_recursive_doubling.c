/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In round k ranks that differ in bit k exchange what they have and both combine it, lower one
 * left: log2 n rounds, and two more for ranks beyond a power of two (pairs.h). Any operation keeps
 * its order.
 */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/pairs.h"

static bool round_inside(struct mpi_rank *me, struct mpi_coll *coll, int power, int n_pairs)
{
	struct mpi_coll_block data = mpi_coll_whole(&coll->call.recv);
	int index = mpi_coll_pairs_index(coll->rank, n_pairs), mask = (1 << coll->step) / 2, peer;

	if (coll->step == 0) {
		mpi_coll_pairs_begin(me, coll, n_pairs);
		return false;
	}
	/*
	 * What came: in step 1 from the lower one of the pair, later from the peer of the step
	 * before.
	 */
	if (coll->has_received && (coll->step == 1 || index & (mask / 2)))
		mpi_coll_fold_left(me, coll, data);
	else if (coll->has_received)
		mpi_coll_fold_right(me, coll, data);
	if (mask >= power)
		return mpi_coll_pairs_end(me, coll, n_pairs);
	peer = mpi_coll_pairs_rank(index ^ mask, n_pairs);
	mpi_coll_recv(me, coll, mpi_coll_block_at(data, coll->work[1]), peer);
	mpi_coll_send(me, coll, mpi_coll_block_at(data, coll->work[0]), peer);
	return false;
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	return mpi_coll_pairs_round(me, coll, mpi_coll_pairs_round_outside, round_inside);
}

const struct mpi_coll_algorithm mpi_coll_allreduce_recursive_doubling = {
    .name = "recursive_doubling",
    .kinds = MPI_COLL_KIND(COLL_ALLREDUCE),
    .stages = {{NULL, run_round}},
};
