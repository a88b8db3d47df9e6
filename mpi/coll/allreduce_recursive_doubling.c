/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In round k ranks that differ in bit k exchange what they have and both combine it, lower one left: log2 n rounds. When n is no power of two, the first
 * 2 (n - p) ranks, p the largest one below, pair up: even ones hand their data to the odd one above them, sit out, and get the result from it. A pair
 * is a range of ranks, so any operation keeps its order.
 */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/tree.h"

/* Ranks that take part count from 0 without gaps. */
static int index_of(int rank, int n_pairs)
{
	return rank < 2 * n_pairs ? rank / 2 : rank - n_pairs;
}

static int rank_of(int index, int n_pairs)
{
	return index < n_pairs ? 2 * index + 1 : index + n_pairs;
}

/* An even rank of a pair. */
static bool round_outside(struct mpi_rank *me, struct mpi_coll *coll)
{
	if (coll->step == 0)
		mpi_coll_send(me, coll, mpi_coll_whole(&coll->call.send), coll->rank + 1);
	else if (coll->step == 1)
		mpi_coll_recv(me, coll, mpi_coll_whole(&coll->call.recv), coll->rank + 1);
	return coll->step == 2;
}

static void begin(struct mpi_rank *me, struct mpi_coll *coll, int n_pairs)
{
	struct mpi_coll_block result = mpi_coll_whole(&coll->call.recv);

	coll->work[0] = result.buf;
	coll->work[1] = mpi_coll_scratch_like(me, coll, result);
	mpi_coll_copy(me, coll, mpi_coll_whole(&coll->call.send), result);
	if (coll->rank < 2 * n_pairs)
		mpi_coll_recv(me, coll, mpi_coll_block_at(result, coll->work[1]), coll->rank - 1);
}

static bool end(struct mpi_rank *me, struct mpi_coll *coll, int n_pairs)
{
	struct mpi_coll_block result = mpi_coll_whole(&coll->call.recv);

	mpi_coll_copy(me, coll, mpi_coll_block_at(result, coll->work[0]), result);
	if (coll->rank >= 2 * n_pairs)
		return true;
	mpi_coll_send(me, coll, result, coll->rank - 1);
	coll->phase = 1;
	return false;
}

static bool round_inside(struct mpi_rank *me, struct mpi_coll *coll, int power, int n_pairs)
{
	struct mpi_coll_block data = mpi_coll_whole(&coll->call.recv);
	int index = index_of(coll->rank, n_pairs), mask = (1 << coll->step) / 2, peer;

	if (coll->step == 0) {
		begin(me, coll, n_pairs);
		return false;
	}
	/* What came: in step 1 from the lower one of the pair, later from the peer of the step before. */
	if (coll->has_received && (coll->step == 1 || index & (mask / 2)))
		mpi_coll_fold_left(me, coll, data);
	else if (coll->has_received)
		mpi_coll_fold_right(me, coll, data);
	if (mask >= power)
		return end(me, coll, n_pairs);
	peer = rank_of(index ^ mask, n_pairs);
	mpi_coll_recv(me, coll, mpi_coll_block_at(data, coll->work[1]), peer);
	mpi_coll_send(me, coll, mpi_coll_block_at(data, coll->work[0]), peer);
	return false;
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	int power = mpi_coll_power_of_two(coll->size), n_pairs = coll->size - power;

	if (coll->phase == 1)
		return true;
	if (coll->rank < 2 * n_pairs && coll->rank % 2 == 0)
		return round_outside(me, coll);
	return round_inside(me, coll, power, n_pairs);
}

const struct mpi_coll_algorithm mpi_coll_allreduce_recursive_doubling = {
	.name = "recursive_doubling",
	.kinds = MPI_COLL_KIND(COLL_ALLREDUCE),
	.stages = {{NULL, run_round}},
};
