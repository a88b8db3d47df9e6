/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recursive halving (halving.h), then the pieces go up a binomial tree to the root, or to the one
 * of its pair that takes part, which passes the result on. Any operation keeps its order.
 */
#include "mpi/coll/halving.h"


/* The index of the root, or of the one that has the result before it. */
static int root_index(const struct mpi_coll *coll, int n_pairs)
{
	return mpi_coll_pairs_index(coll->call.root, n_pairs);
}

static struct mpi_coll_block whole_at(const struct mpi_coll *coll, char *buf)
{
	return mpi_coll_block_at(mpi_coll_whole(&coll->call.send), buf);
}

/* A rank that sits out gives its data away; if it is the root, it waits for the result. */
static bool round_outside(struct mpi_rank *me, struct mpi_coll *coll)
{
	if (coll->step == 0)
		mpi_coll_send(me, coll, mpi_coll_whole(&coll->call.send), coll->rank + 1);
	else if (coll->step == 1 && coll->rank == coll->call.root)
		mpi_coll_recv(me, coll, mpi_coll_whole(&coll->call.recv), coll->rank + 1);
	return coll->step == 2;
}

static void begin(struct mpi_rank *me, struct mpi_coll *coll, int n_pairs)
{
	struct mpi_coll_block own = mpi_coll_whole(&coll->call.send);

	coll->work[0] = mpi_coll_scratch_like(me, coll, own);
	coll->work[1] = mpi_coll_scratch_like(me, coll, own);
	mpi_coll_copy(me, coll, own, whole_at(coll, coll->work[0]));
	if (coll->rank < 2 * n_pairs)
		mpi_coll_recv(me, coll, whole_at(coll, coll->work[1]), coll->rank - 1);
}

/* The result is in work[0] of the root's index. */
static bool deliver(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block result = whole_at(coll, coll->work[0]);

	if (coll->rank == coll->call.root) {
		mpi_coll_copy(me, coll, result, mpi_coll_whole(&coll->call.recv));
		return true;
	}
	mpi_coll_send(me, coll, result, coll->call.root);
	coll->phase = MPI_COLL_PAIRS_LEAVING;
	return false;
}

/* Ranks whose bits above k are the root's still have pieces; those whose bit k is not, give them.
 */
static void collect(struct mpi_rank *me, struct mpi_coll *coll, int index, int k, int n_pairs)
{
	int other = index ^ (1 << k), peer = mpi_coll_pairs_rank(other, n_pairs);
	bool receives = (index & (1 << k)) == (root_index(coll, n_pairs) & (1 << k));
	struct mpi_coll_range range = mpi_coll_halving_range(coll, receives ? other : index, k + 1);
	struct mpi_coll_block piece = mpi_coll_halving_part(coll, coll->work[0], range);

	if (receives) {
		mpi_coll_recv(me, coll, piece, peer);
		return;
	}
	mpi_coll_send(me, coll, piece, peer);
	coll->phase = MPI_COLL_PAIRS_LEAVING;
}

/* Step 0: pairs; 1 … log: halving; log+1 … 2 log: collecting. */
static bool round_inside(struct mpi_rank *me, struct mpi_coll *coll, int power, int n_pairs)
{
	int index = mpi_coll_pairs_index(coll->rank, n_pairs), k = coll->step - 1;
	int n_rounds = mpi_coll_halving_rounds(power);

	if (coll->step == 0) {
		begin(me, coll, n_pairs);
		return false;
	}
	mpi_coll_halving_fold(me, coll, index, k, n_rounds);
	if (k < n_rounds)
		mpi_coll_halving_send(me, coll, index, k, n_pairs);
	else if (k < 2 * n_rounds)
		collect(me, coll, index, 2 * n_rounds - 1 - k, n_pairs);
	else
		return deliver(me, coll);
	return false;
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	return mpi_coll_pairs_round(me, coll, round_outside, round_inside);
}

const struct mpi_coll_algorithm mpi_coll_reduce_rabenseifner = {
    .name = "rabenseifner",
    .kinds = MPI_COLL_KIND(COLL_REDUCE),
    .fits = mpi_coll_halving_fits,
    .stages = {{NULL, run_round}},
};
