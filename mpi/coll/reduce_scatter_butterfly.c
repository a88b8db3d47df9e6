/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks at twice the distance each round exchange halves of what both still reduce. Group i's
 * blocks lie at the place whose binary digits are those of i in reverse, so that they end at group
 * i. Neighbouring ranges of ranks are combined, lower one left: any operation keeps its order.
 * log2 n rounds, and two more for ranks beyond a power of two.
 */
#include "mpi/coll/reduce_scatter_blocks.h"
#include "mpi/coll/tree.h"

static int mirrored(int index, int power)
{
	int result = 0;

	for (; power > 1; power /= 2, index /= 2)
		result = 2 * result + index % 2;
	return result;
}

static MPI_Count items_of_group(const struct mpi_coll *coll, int group, int n_pairs)
{
	return mpi_coll_blocks_first(coll, mpi_coll_group_first(group + 1, n_pairs)) -
	       mpi_coll_blocks_first(coll, mpi_coll_group_first(group, n_pairs));
}

/* Where each place begins; once per operation. */
static void measure_places(struct mpi_rank *me, struct mpi_coll *coll, int power, int n_pairs)
{
	MPI_Count *offsets = mpi_coll_scratch_numbers(me, coll, power + 1);

	offsets[0] = 0;
	for (int i = 0; i < power; i++)
		offsets[i + 1] = offsets[i] + items_of_group(coll, mirrored(i, power), n_pairs);
	coll->packed.offsets = offsets;
}

/* The items at places [first, first + n), at `buf`. */
static struct mpi_coll_block places(const struct mpi_coll *coll, char *buf, int first, int n)
{
	const MPI_Count *offsets = coll->packed.offsets;

	return mpi_coll_items(coll, mpi_coll_block_at(mpi_coll_blocks_all(coll), buf),
			      offsets[first], offsets[first + n] - offsets[first]);
}

/* This rank's data, with that of its other one, from work[0] to their places in work[1]; swaps. */
static void put_in_places(struct mpi_rank *me, struct mpi_coll *coll, int power, int n_pairs)
{
	struct mpi_coll_block all = mpi_coll_blocks_all(coll);
	char *placed = coll->work[1];

	if (coll->has_received)
		mpi_coll_fold_left(me, coll, all);
	for (int i = 0; i < power; i++) {
		struct mpi_coll_block to = places(coll, placed, i, 1);
		int rank = mpi_coll_group_first(mirrored(i, power), n_pairs);

		mpi_coll_copy(me, coll,
			      mpi_coll_items(coll, mpi_coll_block_at(all, coll->work[0]),
					     mpi_coll_blocks_first(coll, rank), to.count),
			      to);
	}
	coll->work[1] = coll->work[0];
	coll->work[0] = placed;
}

/* What arrived at places [first, first + n) in work[1]; the rest of work[0] is not needed any more.
 */
static void fold(struct mpi_rank *me, struct mpi_coll *coll, int first, int n, bool is_from_lower)
{
	struct mpi_coll_block own = places(coll, coll->work[0], first, n);
	struct mpi_coll_block arrived = places(coll, coll->work[1], first, n);
	char *result = coll->work[1];

	if (is_from_lower) {
		mpi_op_apply(me, coll->op, own.type, arrived.buf, own.buf, own.count);
		return;
	}
	mpi_op_apply(me, coll->op, own.type, own.buf, arrived.buf, own.count);
	coll->work[1] = coll->work[0];
	coll->work[0] = result;
}

/* Step 0: pairs; in step 1 + k with the rank that differs in bit k. */
static bool round_inside(struct mpi_rank *me, struct mpi_coll *coll, int power, int n_pairs)
{
	int index = mpi_coll_pairs_index(coll->rank, n_pairs), place = mirrored(index, power);
	int bit = coll->step > 0 ? 1 << (coll->step - 1) : 0;
	int have = bit ? power / bit : 0, half = have / 2;
	int peer = mpi_coll_pairs_rank(index ^ bit, n_pairs);

	if (coll->step == 0) {
		mpi_coll_blocks_begin(me, coll, n_pairs);
		return false;
	}
	if (coll->step == 1) {
		measure_places(me, coll, power, n_pairs);
		put_in_places(me, coll, power, n_pairs);
	} else if (coll->has_received) {
		fold(me, coll, place & -have, have, index & (bit / 2));
	}
	if (half == 0)
		return mpi_coll_blocks_end(me, coll, n_pairs,
					   places(coll, coll->work[0], place, 1));
	mpi_coll_recv_some(me, coll, places(coll, coll->work[1], place & -half, half), peer);
	mpi_coll_send_some(me, coll, places(coll, coll->work[0], (place ^ half) & -half, half),
			   peer);
	return false;
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	return mpi_coll_pairs_round(me, coll, mpi_coll_blocks_round_outside, round_inside);
}

static bool is_regular(const struct mpi_coll *coll)
{
	const struct mpi_coll_side *send = &coll->given.send;

	if (mpi_coll_power_of_two(coll->size) != coll->size)
		return false;
	for (int i = 1; mpi_counts_are_set(send->counts) && i < coll->size; i++)
		if (mpi_counts_at(send->counts, i) != mpi_counts_at(send->counts, 0))
			return false;
	return true;
}

#define KINDS (MPI_COLL_KIND(COLL_REDUCE_SCATTER) | MPI_COLL_KIND(COLL_REDUCE_SCATTER_BLOCK))

const struct mpi_coll_algorithm mpi_coll_reduce_scatter_butterfly = {
    .name = "butterfly",
    .kinds = KINDS,
    .stages = {{NULL, run_round}},
};

/* MPICH's name where it has this: for a power of two of ranks and equal blocks. */
const struct mpi_coll_algorithm mpi_coll_reduce_scatter_noncommutative = {
    .name = "noncommutative",
    .kinds = KINDS,
    .fits = is_regular,
    .stages = {{NULL, run_round}},
};
