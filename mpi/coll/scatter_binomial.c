/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Down a binomial tree, largest subtree first: each inner rank receives the packed data of its
 * subtree. The root sends straight from its buffer, but for a subtree that wraps around the highest
 * rank.
 */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/tree.h"

static void receive_subtree(struct mpi_rank *me, struct mpi_coll *coll, int position)
{
	struct mpi_coll_block data = mpi_coll_whole(&coll->call.recv);
	int n = coll->size,
	    size = mpi_coll_tree_size(position, mpi_coll_tree_reach(position, n), n);
	MPI_Count size_B = size * mpi_coll_block_size_B(data);

	if (size > 1) {
		coll->work[0] = mpi_coll_scratch(me, coll, size_B);
		data = mpi_coll_bytes(me, coll->work[0], size_B);
	}
	mpi_coll_recv(me, coll, data,
		      mpi_coll_rank_at(mpi_coll_tree_parent(position), coll->call.root, n));
}

/* Ranks child … child+size-1 modulo n in one packed block. */
static struct mpi_coll_block pack_wrapped(struct mpi_rank *me, struct mpi_coll *coll, int child,
					  int size)
{
	const struct mpi_coll_side *send = &coll->call.send;
	struct mpi_coll_block high = mpi_coll_blocks(send, child, coll->size - child);
	struct mpi_coll_block low = mpi_coll_blocks(send, 0, size - (coll->size - child));
	MPI_Count high_B = mpi_coll_block_size_B(high), low_B = mpi_coll_block_size_B(low);
	char *packed = mpi_coll_scratch(me, coll, high_B + low_B);

	mpi_coll_copy(me, coll, high, mpi_coll_bytes(me, packed, high_B));
	mpi_coll_copy(me, coll, low,
		      mpi_coll_bytes(me, mpi_coll_scratch_at(coll, packed, high_B), low_B));
	return mpi_coll_bytes(me, packed, high_B + low_B);
}

static void send_from_root(struct mpi_rank *me, struct mpi_coll *coll)
{
	const struct mpi_coll_side *send = &coll->call.send;
	int n = coll->size;

	for (int mask = mpi_coll_tree_reach(0, n) / 2; mask > 0; mask /= 2) {
		int child = mpi_coll_rank_at(mask, coll->call.root, n);
		int size = mpi_coll_tree_size(mask, mask, n);

		if (child + size > n)
			mpi_coll_send(me, coll, pack_wrapped(me, coll, child, size), child);
		else
			mpi_coll_send(me, coll, mpi_coll_blocks(send, child, size), child);
	}
	mpi_coll_copy(me, coll, mpi_coll_block(send, coll->rank), mpi_coll_whole(&coll->call.recv));
}

static void send_subtree(struct mpi_rank *me, struct mpi_coll *coll, int position)
{
	struct mpi_coll_block own = mpi_coll_whole(&coll->call.recv);
	MPI_Count block_B = mpi_coll_block_size_B(own);
	int n = coll->size;

	for (int mask = mpi_coll_tree_reach(position, n) / 2; mask > 0; mask /= 2) {
		int child = position + mask;

		if (child >= n)
			continue;
		mpi_coll_send(
		    me, coll,
		    mpi_coll_bytes(me, mpi_coll_scratch_at(coll, coll->work[0], mask * block_B),
				   block_B * mpi_coll_tree_size(child, mask, n)),
		    mpi_coll_rank_at(child, coll->call.root, n));
	}
	mpi_coll_copy(me, coll, mpi_coll_bytes(me, coll->work[0], block_B), own);
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	int n = coll->size, position = mpi_coll_position(coll->rank, coll->call.root, n);

	if (coll->step == 2)
		return true;
	if (coll->step == 0 && position != 0)
		receive_subtree(me, coll, position);
	else if (coll->step == 1 && position == 0)
		send_from_root(me, coll);
	else if (coll->step == 1 &&
		 mpi_coll_tree_size(position, mpi_coll_tree_reach(position, n), n) > 1)
		send_subtree(me, coll, position);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_scatter_binomial = {
    .name = "binomial",
    .kinds = MPI_COLL_KIND(COLL_SCATTER),
    .stages = {{NULL, run_round}},
};
