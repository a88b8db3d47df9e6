/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks at half the distance each round exchange the halves of the blocks that the other's half of
 * the ranks needs: log2 n rounds, and two more for ranks beyond a power of two. Distant ranks are
 * combined first, so only for operations that commute.
 */
#include "mpi/coll/reduce_scatter_blocks.h"

/* The blocks of groups [first, first + n), at `buf`. */
static struct mpi_coll_block groups(const struct mpi_coll *coll, char *buf, int first, int n,
				    int n_pairs)
{
	MPI_Count from = mpi_coll_blocks_first(coll, mpi_coll_group_first(first, n_pairs));
	MPI_Count end = mpi_coll_blocks_first(coll, mpi_coll_group_first(first + n, n_pairs));

	return mpi_coll_items(coll, mpi_coll_block_at(mpi_coll_blocks_all(coll), buf), from,
			      end - from);
}

static void fold(struct mpi_rank *me, struct mpi_coll *coll, int first, int n, int n_pairs)
{
	struct mpi_coll_block own = groups(coll, coll->work[0], first, n, n_pairs);

	mpi_op_apply(me, coll->op, own.type, groups(coll, coll->work[1], first, n, n_pairs).buf,
		     own.buf, own.count);
}

/* Step 0: pairs; step 1 + k: 2^k halves are there. */
static bool round_inside(struct mpi_rank *me, struct mpi_coll *coll, int power, int n_pairs)
{
	int index = mpi_coll_pairs_index(coll->rank, n_pairs);
	int have = coll->step > 0 ? power >> (coll->step - 1) : 0, half = have / 2;
	int peer = mpi_coll_pairs_rank(index ^ half, n_pairs);

	if (coll->step == 0) {
		mpi_coll_blocks_begin(me, coll, n_pairs);
		return false;
	}
	if (coll->has_received)
		fold(me, coll, index & -have, have, n_pairs);
	if (half == 0)
		return mpi_coll_blocks_end(me, coll, n_pairs,
					   groups(coll, coll->work[0], index, 1, n_pairs));
	mpi_coll_recv_some(me, coll, groups(coll, coll->work[1], index & -half, half, n_pairs),
			   peer);
	mpi_coll_send_some(
	    me, coll, groups(coll, coll->work[0], (index ^ half) & -half, half, n_pairs), peer);
	return false;
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	return mpi_coll_pairs_round(me, coll, mpi_coll_blocks_round_outside, round_inside);
}

const struct mpi_coll_algorithm mpi_coll_reduce_scatter_recursive_halving = {
    .name = "recursive_halving",
    .kinds = MPI_COLL_KIND(COLL_REDUCE_SCATTER) | MPI_COLL_KIND(COLL_REDUCE_SCATTER_BLOCK),
    .fits = mpi_coll_commutes,
    .stages = {{NULL, run_round}},
};
