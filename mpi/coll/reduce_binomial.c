/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Up a binomial tree. The tree of position 0 combines neighbouring ranges of positions, lower one
 * left, so with rank 0 at its top it keeps the order of ranks: that is used for operations that do
 * not commute, and rank 0 then passes the result to the root.
 */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/tree.h"

enum { CLIMBING, SENT_UP, RECEIVING_RESULT };

static int top_of(const struct mpi_coll *coll)
{
	return coll->op->is_commutative ? coll->call.root : 0;
}

static void begin(struct mpi_rank *me, struct mpi_coll *coll, int position)
{
	struct mpi_coll_block own = mpi_coll_whole(&coll->call.send);

	coll->work[0] = own.buf;
	if (position & 1 || position + 1 == coll->size) /* a leaf sends its buffer as it is */
		return;
	coll->work[0] = mpi_coll_scratch_like(me, coll, own);
	coll->work[1] = mpi_coll_scratch_like(me, coll, own);
	mpi_coll_copy(me, coll, own, mpi_coll_block_at(own, coll->work[0]));
}

/* The top has the result. */
static bool deliver(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block result =
	    mpi_coll_block_at(mpi_coll_whole(&coll->call.send), coll->work[0]);

	if (coll->rank == coll->call.root) {
		mpi_coll_copy(me, coll, result, mpi_coll_whole(&coll->call.recv));
		return true;
	}
	mpi_coll_send(me, coll, result, coll->call.root);
	coll->phase = RECEIVING_RESULT; /* nothing to receive: the next round ends it */
	return false;
}

static bool climb(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block data = mpi_coll_whole(&coll->call.send);
	int n = coll->size, top = top_of(coll), position = mpi_coll_position(coll->rank, top, n);
	int mask = 1 << coll->step;

	if (coll->step == 0)
		begin(me, coll, position);
	if (coll->has_received)
		mpi_coll_fold_right(me, coll, data);
	if (position & mask) {
		mpi_coll_send(me, coll, mpi_coll_block_at(data, coll->work[0]),
			      mpi_coll_rank_at(position - mask, top, n));
		coll->phase = SENT_UP;
	} else if (position + mask < n) {
		mpi_coll_recv(me, coll, mpi_coll_block_at(data, coll->work[1]),
			      mpi_coll_rank_at(position + mask, top, n));
	} else if (position == 0) {
		return deliver(me, coll);
	}
	return false;
}

bool mpi_coll_reduce_binomial_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	int top = top_of(coll);

	if (coll->phase == CLIMBING)
		return climb(me, coll);
	if (coll->phase == RECEIVING_RESULT || coll->rank != coll->call.root)
		return true;
	mpi_coll_recv(me, coll, mpi_coll_whole(&coll->call.recv), top);
	coll->phase = RECEIVING_RESULT;
	return false;
}

const struct mpi_coll_algorithm mpi_coll_reduce_binomial = {
    .name = "binomial",
    .kinds = MPI_COLL_KIND(COLL_REDUCE),
    .stages = {{NULL, mpi_coll_reduce_binomial_round}},
};
