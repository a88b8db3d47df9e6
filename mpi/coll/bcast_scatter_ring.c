/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scatters the message down a binomial tree in n chunks of bytes, then passes the chunks around a
 * ring: each byte leaves the root little more than once, where a tree sends it log2 n times. Chunk
 * i belongs to position i; the last ones may be short or empty.
 */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/tree.h"

static MPI_Count min(MPI_Count a, MPI_Count b)
{
	return a < b ? a : b;
}

/* Chunks first … end-1, with work[0] the whole message without gaps. */
static struct mpi_coll_block chunks(struct mpi_rank *me, struct mpi_coll *coll, int first, int end)
{
	MPI_Count size_B = mpi_coll_block_size_B(mpi_coll_whole(&coll->call.recv));
	MPI_Count chunk_B = (size_B + coll->size - 1) / coll->size;
	MPI_Count from = min(first * chunk_B, size_B);

	return mpi_coll_bytes(me, mpi_coll_scratch_at(coll, coll->work[0], from),
			      min(end * chunk_B, size_B) - from);
}

static void begin(struct mpi_rank *me, struct mpi_coll *coll, int position)
{
	struct mpi_coll_block data = mpi_coll_whole(&coll->call.recv);
	MPI_Count size_B = mpi_coll_block_size_B(data);

	if (data.type->is_contiguous) {
		coll->work[0] = data.buf + data.type->true_lb_B;
		return;
	}
	coll->work[0] = mpi_coll_scratch(me, coll, size_B);
	if (position == 0)
		mpi_coll_copy(me, coll, data, mpi_coll_bytes(me, coll->work[0], size_B));
}

static void end(struct mpi_rank *me, struct mpi_coll *coll, int position)
{
	struct mpi_coll_block data = mpi_coll_whole(&coll->call.recv);

	if (!data.type->is_contiguous && position != 0)
		mpi_coll_copy(me, coll,
			      mpi_coll_bytes(me, coll->work[0], mpi_coll_block_size_B(data)), data);
}

static void send(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block block,
		 int position)
{
	if (block.count > 0)
		mpi_coll_send(me, coll, block,
			      mpi_coll_rank_at(position, coll->call.root, coll->size));
}

static void receive(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block block,
		    int position)
{
	if (block.count > 0)
		mpi_coll_recv(me, coll, block,
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

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	int n = coll->size, position = mpi_coll_position(coll->rank, coll->call.root, n);
	int out = (position - (coll->step - 2) + n) % n, in = (out - 1 + n) % n;

	if (coll->step == 0) {
		begin(me, coll, position);
		if (position != 0)
			receive(
			    me, coll,
			    chunks(me, coll, position, position + mpi_coll_tree_reach(position, n)),
			    mpi_coll_tree_parent(position));
	} else if (coll->step == 1) {
		send_subtrees(me, coll, position);
	} else if (coll->step == n + 1) {
		end(me, coll, position);
		return true;
	} else { /* position 0 has everything already */
		if (position != 0)
			receive(me, coll, chunks(me, coll, in, in + 1), position - 1);
		if (position != n - 1)
			send(me, coll, chunks(me, coll, out, out + 1), position + 1);
	}
	return false;
}

const struct mpi_coll_algorithm mpi_coll_bcast_scatter_ring = {
    .name = "scatter_ring",
    .kinds = MPI_COLL_KIND(COLL_BCAST),
    .stages = {{NULL, run_round}},
};
