/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks travel by the binary digits of their distance: in round k each rank sends all blocks that
 * have bit k in what is left of their way to rank + 2^k, in one message: ceil(log2 n) rounds for
 * any n, each block sent once per digit 1.
 */
#include "mpi/coll/algorithms.h"

static MPI_Count size_of_block(const struct mpi_coll *coll)
{
	return mpi_coll_block_size_B(mpi_coll_whole(&coll->call.recv));
}

/* The block that is, or was, on its way to the rank at this distance. */
static struct mpi_coll_block held(struct mpi_rank *me, struct mpi_coll *coll, int distance)
{
	MPI_Count block_B = size_of_block(coll);

	return mpi_coll_bytes(me, mpi_coll_scratch_at(coll, coll->work[0], distance * block_B),
			      block_B);
}

/* Place `i` of the message that leaves (half 0) or arrives (half 1). */
static struct mpi_coll_block place(struct mpi_rank *me, struct mpi_coll *coll, int half, int i,
				   int n_blocks)
{
	MPI_Count block_B = size_of_block(coll), offset = half * (coll->size / 2 + 1) + i;

	return mpi_coll_bytes(me, mpi_coll_scratch_at(coll, coll->work[1], offset * block_B),
			      n_blocks * block_B);
}

static void begin(struct mpi_rank *me, struct mpi_coll *coll)
{
	int n = coll->size;
	MPI_Count block_B = size_of_block(coll);

	coll->work[0] = mpi_coll_scratch(me, coll, n * block_B);
	coll->work[1] = mpi_coll_scratch(me, coll, 2 * (n / 2 + 1) * block_B);
	for (int i = 0; i < n; i++)
		mpi_coll_copy(me, coll, mpi_coll_block(&coll->call.send, (coll->rank + i) % n),
			      held(me, coll, i));
}

/* Packs what leaves, or unpacks what has arrived, with this bit; how many blocks. */
static int move(struct mpi_rank *me, struct mpi_coll *coll, int bit, bool packs)
{
	int n_moved = 0;

	for (int i = bit; i < coll->size; i = (i + 1) | bit) {
		struct mpi_coll_block at = place(me, coll, packs ? 0 : 1, n_moved++, 1);

		mpi_coll_copy(me, coll, packs ? held(me, coll, i) : at,
			      packs ? at : held(me, coll, i));
	}
	return n_moved;
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	int n = coll->size, bit = 1 << coll->step, n_moved;

	if (coll->step == 0)
		begin(me, coll);
	else
		move(me, coll, bit / 2, false);
	if (bit >= n) { /* what is at distance i came from rank - i */
		for (int i = 0; i < n; i++)
			mpi_coll_copy(me, coll, held(me, coll, i),
				      mpi_coll_block(&coll->call.recv, (coll->rank - i + n) % n));
		return true;
	}
	n_moved = move(me, coll, bit, true);
	mpi_coll_recv(me, coll, place(me, coll, 1, 0, n_moved), (coll->rank - bit + n) % n);
	mpi_coll_send(me, coll, place(me, coll, 0, 0, n_moved), (coll->rank + bit) % n);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_alltoall_bruck = {
    .name = "bruck",
    .kinds = MPI_COLL_KIND(COLL_ALLTOALL),
    .stages = {{NULL, run_round}},
};
