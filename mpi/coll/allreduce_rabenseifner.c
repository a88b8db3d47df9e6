/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recursive halving, then doubling: in round k ranks that differ in bit k exchange halves of the
 * items that both still reduce, and each folds the half it keeps; once every rank has its piece of
 * the result, the same exchanges backwards collect the pieces. Ranks beyond a power of two pair up
 * first (pairs.h). Neighbouring ranges of ranks are combined, lower one left: any operation keeps
 * its order.
 */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/pairs.h"
#include "mpi/coll/tree.h"

/* Items first … end-1. */
struct range {
	MPI_Count first, end;
};

/* What the rank of this index still reduces after `n_rounds` rounds. */
static struct range range_after(const struct mpi_coll *coll, int index, int n_rounds)
{
	struct range range = {0, coll->call.recv.count};

	for (int k = 0; k < n_rounds; k++) {
		MPI_Count middle = range.first + (range.end - range.first) / 2;

		if (index & (1 << k))
			range.first = middle;
		else
			range.end = middle;
	}
	return range;
}

static struct mpi_coll_block part(const struct mpi_coll *coll, char *buf, struct range range)
{
	struct mpi_datatype *type = coll->call.recv.type;

	return (struct mpi_coll_block){
	    .buf = mpi_coll_scratch_at(coll, buf, range.first * type->extent_B),
	    .count = range.end - range.first,
	    .type = type};
}

static bool fits(const struct mpi_coll *coll)
{
	return coll->given.recv.count >= mpi_coll_power_of_two(coll->size);
}

/* Folds what arrived for `range` in work[1]; the rest of work[0] is not needed any more. */
static void fold(struct mpi_rank *me, struct mpi_coll *coll, struct range range, bool is_from_lower)
{
	struct mpi_coll_block own = part(coll, coll->work[0], range);
	struct mpi_coll_block arrived = part(coll, coll->work[1], range);
	char *result = coll->work[1];

	if (is_from_lower) {
		mpi_op_apply(me, coll->op, own.type, arrived.buf, own.buf, own.count);
		return;
	}
	mpi_op_apply(me, coll->op, own.type, own.buf, arrived.buf, own.count);
	coll->work[1] = coll->work[0];
	coll->work[0] = result;
}

/* Round `k`: keeps one half of the range, gives the other away. */
static void halve(struct mpi_rank *me, struct mpi_coll *coll, int index, int k, int n_pairs)
{
	int other = index ^ (1 << k), peer = mpi_coll_pairs_rank(other, n_pairs);

	mpi_coll_recv(me, coll, part(coll, coll->work[1], range_after(coll, index, k + 1)), peer);
	mpi_coll_send(me, coll, part(coll, coll->work[0], range_after(coll, other, k + 1)), peer);
}

static void collect(struct mpi_rank *me, struct mpi_coll *coll, int index, int k, int n_pairs)
{
	int other = index ^ (1 << k), peer = mpi_coll_pairs_rank(other, n_pairs);

	mpi_coll_recv(me, coll, part(coll, coll->work[0], range_after(coll, other, k + 1)), peer);
	mpi_coll_send(me, coll, part(coll, coll->work[0], range_after(coll, index, k + 1)), peer);
}

/*
 * Step 0: pairs; 1 … log: halving; log+1 … 2 log: collecting; then the result to the other of the
 * pair.
 */
static bool round_inside(struct mpi_rank *me, struct mpi_coll *coll, int power, int n_pairs)
{
	int index = mpi_coll_pairs_index(coll->rank, n_pairs), k = coll->step - 1, n_rounds = 0;

	while (1 << n_rounds < power)
		n_rounds++;
	if (coll->step == 0) {
		mpi_coll_pairs_begin(me, coll, n_pairs);
		return false;
	}
	if (coll->has_received && k == 0)
		fold(me, coll, range_after(coll, index, 0), true);
	else if (coll->has_received && k <= n_rounds)
		fold(me, coll, range_after(coll, index, k), index & (1 << (k - 1)));
	if (k < n_rounds)
		halve(me, coll, index, k, n_pairs);
	else if (k < 2 * n_rounds)
		collect(me, coll, index, 2 * n_rounds - 1 - k, n_pairs);
	else
		return mpi_coll_pairs_end(me, coll, n_pairs);
	return false;
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	int power = mpi_coll_power_of_two(coll->size), n_pairs = coll->size - power;

	if (coll->phase == 1)
		return true;
	if (coll->rank < 2 * n_pairs && coll->rank % 2 == 0)
		return mpi_coll_pairs_round_outside(me, coll);
	return round_inside(me, coll, power, n_pairs);
}

const struct mpi_coll_algorithm mpi_coll_allreduce_rabenseifner = {
    .name = "rabenseifner",
    .kinds = MPI_COLL_KIND(COLL_ALLREDUCE),
    .fits = fits,
    .stages = {{NULL, run_round}},
};
