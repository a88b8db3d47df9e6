/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recursive halving (halving.h), then doubling: once every rank has its piece of the result, the
 * same exchanges backwards collect the pieces. Any operation keeps its order.
 */
#include "mpi/coll/halving.h"

static void collect(struct mpi_rank *me, struct mpi_coll *coll, int index, int k, int n_pairs)
{
	int other = index ^ (1 << k), peer = mpi_coll_pairs_rank(other, n_pairs);

	mpi_coll_recv(
	    me, coll,
	    mpi_coll_halving_part(coll, coll->work[0], mpi_coll_halving_range(coll, other, k + 1)),
	    peer);
	mpi_coll_send(
	    me, coll,
	    mpi_coll_halving_part(coll, coll->work[0], mpi_coll_halving_range(coll, index, k + 1)),
	    peer);
}

/*
 * Step 0: pairs; 1 … log: halving; log+1 … 2 log: collecting; then the result to the other of the
 * pair.
 */
static bool round_inside(struct mpi_rank *me, struct mpi_coll *coll, int power, int n_pairs)
{
	int index = mpi_coll_pairs_index(coll->rank, n_pairs), k = coll->step - 1;
	int n_rounds = mpi_coll_halving_rounds(power);

	if (coll->step == 0) {
		mpi_coll_pairs_begin(me, coll, n_pairs);
		return false;
	}
	mpi_coll_halving_fold(me, coll, index, k, n_rounds);
	if (k < n_rounds)
		mpi_coll_halving_send(me, coll, index, k, n_pairs);
	else if (k < 2 * n_rounds)
		collect(me, coll, index, 2 * n_rounds - 1 - k, n_pairs);
	else
		return mpi_coll_pairs_end(me, coll, n_pairs);
	return false;
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	return mpi_coll_pairs_round(me, coll, mpi_coll_pairs_round_outside, round_inside);
}

const struct mpi_coll_algorithm mpi_coll_allreduce_rabenseifner = {
    .name = "rabenseifner",
    .kinds = MPI_COLL_KIND(COLL_ALLREDUCE),
    .fits = mpi_coll_halving_fits,
    .stages = {{NULL, run_round}},
};
