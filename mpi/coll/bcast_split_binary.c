/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Down a binary tree, the first half of the message on the left and the other half on the right, in
 * segments if that was asked for; then each position on the left exchanges halves with the next
 * one, which is on the right. When n is even the last position has none, and gets its other half
 * from the root.
 */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/shape.h"
#include "mpi/coll/tree.h"

struct half {
	MPI_Count from_B, end_B, segment_B, n_segments;
};

static struct half half_of(const struct mpi_coll *coll, bool is_left)
{
	MPI_Count size_B = mpi_coll_block_size_B(mpi_coll_whole(&coll->call.recv));
	struct half half = {.from_B = is_left ? 0 : (size_B + 1) / 2,
			    .end_B = is_left ? (size_B + 1) / 2 : size_B};
	MPI_Count length_B = half.end_B - half.from_B;

	half.segment_B = coll->segment_B ? coll->segment_B : length_B;
	half.n_segments = length_B ? (length_B + half.segment_B - 1) / half.segment_B : 0;
	return half;
}

static struct mpi_coll_block segment(struct mpi_rank *me, struct mpi_coll *coll, struct half half,
				     MPI_Count index)
{
	MPI_Count from_B = half.from_B + index * half.segment_B;
	MPI_Count end_B = from_B + half.segment_B;

	return mpi_coll_flat(me, coll, from_B, end_B < half.end_B ? end_B : half.end_B);
}

static int rank_at(const struct mpi_coll *coll, int position)
{
	return mpi_coll_rank_at(position, coll->call.root, coll->size);
}

/* What round `step` is for the root; true after its last one. */
static bool send_segments(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct half left = half_of(coll, true), right = half_of(coll, false);
	int n = coll->size;

	if (coll->step > left.n_segments || n == 1)
		return true;
	if (coll->step < left.n_segments)
		mpi_coll_send(me, coll, segment(me, coll, left, coll->step), rank_at(coll, 1));
	if (coll->step < right.n_segments && n > 2)
		mpi_coll_send(me, coll, segment(me, coll, right, coll->step), rank_at(coll, 2));
	if (coll->step == left.n_segments && n % 2 == 0)
		mpi_coll_send_some(me, coll, mpi_coll_flat(me, coll, right.from_B, right.end_B),
				   rank_at(coll, n - 1));
	return false;
}

static void exchange_halves(struct mpi_rank *me, struct mpi_coll *coll, int position)
{
	bool is_left = position % 2 != 0;
	struct half own = half_of(coll, is_left), other = half_of(coll, !is_left);
	int peer = is_left ? position + 1 : position - 1;

	if (peer == coll->size)
		peer = 0;
	mpi_coll_recv_some(me, coll, mpi_coll_flat(me, coll, other.from_B, other.end_B),
			   rank_at(coll, peer));
	if (peer != 0)
		mpi_coll_send_some(me, coll, mpi_coll_flat(me, coll, own.from_B, own.end_B),
				   rank_at(coll, peer));
}

/* Round s: segment s arrives, the one that arrived before goes on. */
static bool relay_segments(struct mpi_rank *me, struct mpi_coll *coll, int position)
{
	struct half own = half_of(coll, position % 2 != 0);
	struct mpi_coll_shape shape;
	MPI_Count in = coll->step;

	mpi_coll_shape_binary(position, coll->size, &shape);
	if (in == own.n_segments + 2) {
		mpi_coll_unflatten(me, coll, false);
		return true;
	}
	if (in == own.n_segments + 1) {
		exchange_halves(me, coll, position);
		return false;
	}
	if (in < own.n_segments)
		mpi_coll_recv(me, coll, segment(me, coll, own, in), rank_at(coll, shape.parent));
	for (int i = 0; i < shape.n_children && in > 0; i++)
		mpi_coll_send(me, coll, segment(me, coll, own, in - 1),
			      rank_at(coll, shape.children[i]));
	return false;
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	int position = mpi_coll_position(coll->rank, coll->call.root, coll->size);

	if (coll->step == 0)
		mpi_coll_flatten(me, coll, position == 0);
	return position == 0 ? send_segments(me, coll) : relay_segments(me, coll, position);
}

const struct mpi_coll_algorithm mpi_coll_bcast_split_binary = {
    .name = "split_binary",
    .kinds = MPI_COLL_KIND(COLL_BCAST),
    .has_segments = true,
    .stages = {{NULL, run_round}},
};
