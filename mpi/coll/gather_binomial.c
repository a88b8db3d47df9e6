/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Up a binomial tree: inner ranks collect the packed data of their subtree. The root receives
 * subtrees straight into its buffer, but for one that wraps around the highest rank.
 */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/tree.h"

/* From the children of an inner rank: work[0] is the subtree's data in order of position. */
static void receive_subtree(struct mpi_rank *me, struct mpi_coll *coll, int position)
{
	struct mpi_coll_block own = mpi_coll_whole(&coll->call.send);
	MPI_Count block_B = mpi_coll_block_size_B(own);
	int n = coll->size, reach = mpi_coll_tree_reach(position, n);

	coll->work[0] =
	    mpi_coll_scratch(me, coll, block_B * mpi_coll_tree_size(position, reach, n));
	mpi_coll_copy(me, coll, own, mpi_coll_bytes(me, coll->work[0], block_B));
	for (int mask = 1; mask < reach && position + mask < n; mask *= 2)
		mpi_coll_recv(
		    me, coll,
		    mpi_coll_bytes(me, mpi_coll_scratch_at(coll, coll->work[0], mask * block_B),
				   block_B * mpi_coll_tree_size(position + mask, mask, n)),
		    mpi_coll_rank_at(position + mask, coll->call.root, n));
}

static void receive_at_root(struct mpi_rank *me, struct mpi_coll *coll)
{
	const struct mpi_coll_side *recv = &coll->call.recv;
	int n = coll->size;

	coll->work[0] = NULL;
	mpi_coll_copy(me, coll, mpi_coll_whole(&coll->call.send), mpi_coll_block(recv, coll->rank));
	for (int mask = 1; mask < n; mask *= 2) {
		int child = mpi_coll_rank_at(mask, coll->call.root, n);
		struct mpi_coll_block blocks =
		    mpi_coll_blocks(recv, child, mpi_coll_tree_size(mask, mask, n));
		MPI_Count size_B = mpi_coll_block_size_B(blocks);

		if (child + mpi_coll_tree_size(mask, mask, n) > n) {
			coll->work[0] = mpi_coll_scratch(me, coll, size_B);
			coll->phase = mask;
			blocks = mpi_coll_bytes(me, coll->work[0], size_B);
		}
		mpi_coll_recv(me, coll, blocks, child);
	}
}

/* The subtree at position phase = mask lies around the end: ranks child … n-1, then 0 … */
static void unpack_wrapped(struct mpi_rank *me, struct mpi_coll *coll)
{
	const struct mpi_coll_side *recv = &coll->call.recv;
	int n = coll->size, mask = coll->phase, child = mpi_coll_rank_at(mask, coll->call.root, n);
	struct mpi_coll_block high = mpi_coll_blocks(recv, child, n - child);
	struct mpi_coll_block low =
	    mpi_coll_blocks(recv, 0, mpi_coll_tree_size(mask, mask, n) - (n - child));
	MPI_Count high_B = mpi_coll_block_size_B(high);

	mpi_coll_copy(me, coll, mpi_coll_bytes(me, coll->work[0], high_B), high);
	mpi_coll_copy(me, coll,
		      mpi_coll_bytes(me, mpi_coll_scratch_at(coll, coll->work[0], high_B),
				     mpi_coll_block_size_B(low)),
		      low);
}

static void send_up(struct mpi_rank *me, struct mpi_coll *coll, int position)
{
	struct mpi_coll_block own = mpi_coll_whole(&coll->call.send);
	int n = coll->size,
	    size = mpi_coll_tree_size(position, mpi_coll_tree_reach(position, n), n);
	int parent = mpi_coll_rank_at(mpi_coll_tree_parent(position), coll->call.root, n);

	if (size > 1)
		own = mpi_coll_bytes(me, coll->work[0], size * mpi_coll_block_size_B(own));
	mpi_coll_send(me, coll, own, parent);
}

bool mpi_coll_gather_binomial_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	int n = coll->size, position = mpi_coll_position(coll->rank, coll->call.root, n);

	if (coll->step == 2)
		return true;
	if (coll->step == 0) {
		if (position == 0)
			receive_at_root(me, coll);
		else if (mpi_coll_tree_size(position, mpi_coll_tree_reach(position, n), n) > 1)
			receive_subtree(me, coll, position);
	} else if (position != 0) {
		send_up(me, coll, position);
	} else if (coll->phase) {
		unpack_wrapped(me, coll);
	}
	return false;
}

const struct mpi_coll_algorithm mpi_coll_gather_binomial = {
    .name = "binomial",
    .kinds = MPI_COLL_KIND(COLL_GATHER),
    .stages = {{NULL, mpi_coll_gather_binomial_round}},
};
