/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scatters the message down a binomial tree in n chunks of bytes, then collects the chunks on all
 * ranks: around a ring, or by recursive doubling. Each byte leaves the root little more than once
 * or twice, where a tree sends it log2 n times. Chunk i belongs to position i; the last ones may be
 * short or empty.
 */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/tree.h"

/* Chunks first … end-1. */
static struct mpi_coll_block chunks(struct mpi_rank *me, struct mpi_coll *coll, int first, int end)
{
	MPI_Count size_B = mpi_coll_block_size_B(mpi_coll_whole(&coll->call.recv));
	MPI_Count chunk_B = (size_B + coll->size - 1) / coll->size;

	return mpi_coll_flat(me, coll, first * chunk_B, end * chunk_B);
}

static void send(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block block,
		 int position)
{
	mpi_coll_send_some(me, coll, block,
			   mpi_coll_rank_at(position, coll->call.root, coll->size));
}

static void receive(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block block,
		    int position)
{
	mpi_coll_recv_some(me, coll, block,
			   mpi_coll_rank_at(position, coll->call.root, coll->size));
}

static void send_subtrees(struct mpi_rank *me, struct mpi_coll *coll, int position)
{
	int n = coll->size;

	for (int mask = mpi_coll_tree_reach(position, n) / 2; mask > 0; mask /= 2) {
		int child = position + mask;

		if (child < n)
			send(me, coll,
			     chunks(me, coll, child, child + mpi_coll_tree_size(child, mask, n)),
			     child);
	}
}

/* Steps 0 and 1. */
static void scatter(struct mpi_rank *me, struct mpi_coll *coll, int position)
{
	int n = coll->size;

	if (coll->step == 1) {
		send_subtrees(me, coll, position);
		return;
	}
	mpi_coll_flatten(me, coll, position == 0);
	if (position != 0)
		receive(me, coll,
			chunks(me, coll, position, position + mpi_coll_tree_reach(position, n)),
			mpi_coll_tree_parent(position));
}

/* In round s each position passes on, to the next one, the chunk it got in round s - 1. */
static bool run_ring(struct mpi_rank *me, struct mpi_coll *coll)
{
	int n = coll->size, position = mpi_coll_position(coll->rank, coll->call.root, n);
	int out = (position - (coll->step - 2) + n) % n, in = (out - 1 + n) % n;

	if (coll->step < 2) {
		scatter(me, coll, position);
	} else if (coll->step == n + 1) {
		mpi_coll_unflatten(me, coll, position == 0);
		return true;
	} else { /* position 0 has everything already */
		if (position != 0)
			receive(me, coll, chunks(me, coll, in, in + 1), position - 1);
		if (position != n - 1)
			send(me, coll, chunks(me, coll, out, out + 1), position + 1);
	}
	return false;
}

/* In round k positions that differ in bit k exchange the 2^k chunks they have. */
static bool run_doubling(struct mpi_rank *me, struct mpi_coll *coll)
{
	int n = coll->size, position = mpi_coll_position(coll->rank, coll->call.root, n), mask,
	    peer;

	if (coll->step < 2) {
		scatter(me, coll, position);
		return false;
	}
	mask = 1 << (coll->step - 2);
	if (mask >= n) {
		mpi_coll_unflatten(me, coll, position == 0);
		return true;
	}
	peer = position ^ mask;
	receive(me, coll, chunks(me, coll, peer & -mask, (peer & -mask) + mask), peer);
	send(me, coll, chunks(me, coll, position & -mask, (position & -mask) + mask), peer);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_bcast_scatter_ring = {
    .name = "scatter_ring",
    .kinds = MPI_COLL_KIND(COLL_BCAST),
    .stages = {{NULL, run_ring}},
};

const struct mpi_coll_algorithm mpi_coll_bcast_scatter_recursive_doubling = {
    .name = "scatter_recursive_doubling",
    .kinds = MPI_COLL_KIND(COLL_BCAST),
    .fits = mpi_coll_is_power_of_two,
    .stages = {{NULL, run_doubling}},
};
