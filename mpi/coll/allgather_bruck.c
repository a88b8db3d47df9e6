/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In round k each rank sends all it has, at most as much as is missing, to rank - 2^k and gets as
 * much from rank + 2^k: ceil(log2 n) rounds for any n. Data are packed in order of distance from
 * the own rank, and put into order at the end.
 */
#include "mpi/coll/algorithms.h"

/* The packed blocks of the ranks at these distances. */
static struct mpi_coll_block blocks(struct mpi_rank *me, struct mpi_coll *coll, int distance, int n)
{
	MPI_Count block_B = mpi_coll_block_size_B(mpi_coll_whole(&coll->call.send));

	return mpi_coll_bytes(me, mpi_coll_scratch_at(coll, coll->work[0], distance * block_B),
			      n * block_B);
}

static void begin(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block own = mpi_coll_whole(&coll->call.send);

	coll->work[0] = mpi_coll_scratch(me, coll, coll->size * mpi_coll_block_size_B(own));
	mpi_coll_copy(me, coll, own, blocks(me, coll, 0, 1));
}

/* Distance 0 is the own rank: up to the highest rank, then on from rank 0. */
static void put_in_order(struct mpi_rank *me, struct mpi_coll *coll)
{
	const struct mpi_coll_side *recv = &coll->call.recv;
	int n = coll->size, n_high = n - coll->rank;

	mpi_coll_copy(me, coll, blocks(me, coll, 0, n_high),
		      mpi_coll_blocks(recv, coll->rank, n_high));
	mpi_coll_copy(me, coll, blocks(me, coll, n_high, n - n_high),
		      mpi_coll_blocks(recv, 0, n - n_high));
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	int n = coll->size, have = 1 << coll->step, more;

	if (coll->step == 0)
		begin(me, coll);
	if (have >= n) {
		put_in_order(me, coll);
		return true;
	}
	more = have < n - have ? have : n - have;
	mpi_coll_recv(me, coll, blocks(me, coll, have, more), (coll->rank + have) % n);
	mpi_coll_send(me, coll, blocks(me, coll, 0, more), (coll->rank - have + n) % n);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_allgather_bruck = {
    .name = "bruck",
    .kinds = MPI_COLL_KIND(COLL_ALLGATHER),
    .stages = {{NULL, run_round}},
};
