/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In round k ranks that differ in bit k exchange what they have of all blocks but those of their
 * own 2^k ranks, which the other one's need no more of: log2 n rounds, and two more for ranks
 * beyond a power of two. Neighbouring ranges of ranks are combined, lower one left: any operation
 * keeps its order.
 */
#include "mpi/coll/reduce_scatter_blocks.h"

/* Items before and after those of groups [first, first + n), which lie side by side at `buf`. */
struct others {
	struct mpi_coll_block before, after;
};

static struct others others_of(const struct mpi_coll *coll, char *buf, int first, int n,
			       int n_pairs)
{
	struct mpi_coll_block all = mpi_coll_block_at(mpi_coll_blocks_all(coll), buf);
	MPI_Count from = mpi_coll_blocks_first(coll, mpi_coll_group_first(first, n_pairs));
	MPI_Count end = mpi_coll_blocks_first(coll, mpi_coll_group_first(first + n, n_pairs));

	return (struct others){.before = mpi_coll_items(coll, all, 0, from),
			       .after = mpi_coll_items(coll, all, end, all.count - end)};
}

/* One message: packed where both parts have items. */
static void send_others(struct mpi_rank *me, struct mpi_coll *coll, struct others o, int peer)
{
	MPI_Count before_B = mpi_coll_block_size_B(o.before),
		  after_B = mpi_coll_block_size_B(o.after);
	char *packed;

	if (before_B == 0 || after_B == 0) {
		mpi_coll_send_some(me, coll, before_B ? o.before : o.after, peer);
		return;
	}
	packed = mpi_coll_scratch(me, coll, before_B + after_B);
	mpi_coll_copy(me, coll, o.before, mpi_coll_bytes(me, packed, before_B));
	mpi_coll_copy(me, coll, o.after,
		      mpi_coll_bytes(me, mpi_coll_scratch_at(coll, packed, before_B), after_B));
	mpi_coll_send(me, coll, mpi_coll_bytes(me, packed, before_B + after_B), peer);
}

/* Arrives packed; coll->packed.buf has it until the next round. */
static void recv_others(struct mpi_rank *me, struct mpi_coll *coll, struct others o, int peer)
{
	MPI_Count size_B = mpi_coll_block_size_B(o.before) + mpi_coll_block_size_B(o.after);

	coll->packed.buf = mpi_coll_scratch(me, coll, size_B);
	mpi_coll_recv_some(me, coll, mpi_coll_bytes(me, coll->packed.buf, size_B), peer);
}

static void fold_part(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block own,
		      struct mpi_coll_block arrived, bool is_from_lower)
{
	if (is_from_lower) {
		mpi_op_apply(me, coll->op, own.type, arrived.buf, own.buf, own.count);
		return;
	}
	mpi_op_apply(me, coll->op, own.type, own.buf, arrived.buf, own.count);
	mpi_coll_copy(me, coll, arrived, own);
}

/* What the peer of round k, whose groups are [first, first + n), sent. */
static void fold(struct mpi_rank *me, struct mpi_coll *coll, int first, int n, int n_pairs,
		 bool is_from_lower)
{
	struct others own = others_of(coll, coll->work[0], first, n, n_pairs);
	struct others arrived = others_of(coll, coll->work[1], first, n, n_pairs);
	MPI_Count before_B = mpi_coll_block_size_B(own.before),
		  after_B = mpi_coll_block_size_B(own.after);

	mpi_coll_copy(me, coll, mpi_coll_bytes(me, coll->packed.buf, before_B), arrived.before);
	mpi_coll_copy(
	    me, coll,
	    mpi_coll_bytes(me, mpi_coll_scratch_at(coll, coll->packed.buf, before_B), after_B),
	    arrived.after);
	fold_part(me, coll, own.before, arrived.before, is_from_lower);
	fold_part(me, coll, own.after, arrived.after, is_from_lower);
}

/* Step 0: pairs; in step 1 + k with the rank that differs in bit k. */
static bool round_inside(struct mpi_rank *me, struct mpi_coll *coll, int power, int n_pairs)
{
	int index = mpi_coll_pairs_index(coll->rank, n_pairs);
	int bit = coll->step > 0 ? 1 << (coll->step - 1) : 0, last = bit / 2, peer;
	struct mpi_coll_block all = mpi_coll_blocks_all(coll);
	MPI_Count from = mpi_coll_blocks_first(coll, mpi_coll_group_first(index, n_pairs));

	if (coll->step == 0) {
		mpi_coll_blocks_begin(me, coll, n_pairs);
		return false;
	}
	if (coll->has_received && coll->step == 1)
		mpi_coll_fold_left(me, coll, all);
	else if (coll->has_received)
		fold(me, coll, (index ^ last) & -last, last, n_pairs, index & last);
	all.count = mpi_coll_blocks_first(coll, mpi_coll_group_first(index + 1, n_pairs)) - from;
	if (bit >= power)
		return mpi_coll_blocks_end(
		    me, coll, n_pairs,
		    mpi_coll_items(coll, mpi_coll_block_at(all, coll->work[0]), from, all.count));
	peer = mpi_coll_pairs_rank(index ^ bit, n_pairs);
	recv_others(me, coll, others_of(coll, coll->work[1], (index ^ bit) & -bit, bit, n_pairs),
		    peer);
	send_others(me, coll, others_of(coll, coll->work[0], index & -bit, bit, n_pairs), peer);
	return false;
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	return mpi_coll_pairs_round(me, coll, mpi_coll_blocks_round_outside, round_inside);
}

const struct mpi_coll_algorithm mpi_coll_reduce_scatter_recursive_doubling = {
    .name = "recursive_doubling",
    .kinds = MPI_COLL_KIND(COLL_REDUCE_SCATTER) | MPI_COLL_KIND(COLL_REDUCE_SCATTER_BLOCK),
    .stages = {{NULL, run_round}},
};
