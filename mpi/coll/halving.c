/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/coll/halving.h"
#include "mpi/coll/tree.h"

struct mpi_coll_range mpi_coll_halving_range(const struct mpi_coll *coll, int index, int n_rounds)
{
	struct mpi_coll_range range = {0, coll->call.send.count};

	for (int k = 0; k < n_rounds; k++) {
		MPI_Count middle = range.first + (range.end - range.first) / 2;

		if (index & (1 << k))
			range.first = middle;
		else
			range.end = middle;
	}
	return range;
}

struct mpi_coll_block mpi_coll_halving_part(const struct mpi_coll *coll, char *buf,
					    struct mpi_coll_range range)
{
	struct mpi_datatype *type = coll->call.send.type;

	return (struct mpi_coll_block){
	    .buf = mpi_coll_scratch_at(coll, buf, range.first * type->extent_B),
	    .count = range.end - range.first,
	    .type = type};
}

int mpi_coll_halving_rounds(int power)
{
	int n_rounds = 0;

	while (1 << n_rounds < power)
		n_rounds++;
	return n_rounds;
}

bool mpi_coll_halving_fits(const struct mpi_coll *coll)
{
	return coll->given.send.count >= mpi_coll_power_of_two(coll->size);
}

/* Folds what arrived for `range` in work[1]; the rest of work[0] is not needed any more. */
static void fold(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_range range,
		 bool is_from_lower)
{
	struct mpi_coll_block own = mpi_coll_halving_part(coll, coll->work[0], range);
	struct mpi_coll_block arrived = mpi_coll_halving_part(coll, coll->work[1], range);
	char *result = coll->work[1];

	if (is_from_lower) {
		mpi_op_apply(me, coll->op, own.type, arrived.buf, own.buf, own.count);
		return;
	}
	mpi_op_apply(me, coll->op, own.type, own.buf, arrived.buf, own.count);
	coll->work[1] = coll->work[0];
	coll->work[0] = result;
}

void mpi_coll_halving_fold(struct mpi_rank *me, struct mpi_coll *coll, int index, int k,
			   int n_rounds)
{
	if (coll->has_received && k == 0)
		fold(me, coll, mpi_coll_halving_range(coll, index, 0), true);
	else if (coll->has_received && k <= n_rounds)
		fold(me, coll, mpi_coll_halving_range(coll, index, k), index & (1 << (k - 1)));
}

void mpi_coll_halving_send(struct mpi_rank *me, struct mpi_coll *coll, int index, int k,
			   int n_pairs)
{
	int other = index ^ (1 << k), peer = mpi_coll_pairs_rank(other, n_pairs);

	mpi_coll_recv(
	    me, coll,
	    mpi_coll_halving_part(coll, coll->work[1], mpi_coll_halving_range(coll, index, k + 1)),
	    peer);
	mpi_coll_send(
	    me, coll,
	    mpi_coll_halving_part(coll, coll->work[0], mpi_coll_halving_range(coll, other, k + 1)),
	    peer);
}
