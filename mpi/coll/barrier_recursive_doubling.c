/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks beyond a power of two p tell rank - p and wait; the others exchange with those that differ
 * in bit 0, 1, …, and tell the ones that wait.
 */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/tree.h"

static bool round_outside(struct mpi_rank *me, struct mpi_coll *coll, int peer)
{
	struct mpi_coll_block nothing = mpi_coll_bytes(me, NULL, 0);

	if (coll->step == 0)
		mpi_coll_send(me, coll, nothing, peer);
	else if (coll->step == 1)
		mpi_coll_recv(me, coll, nothing, peer);
	return coll->step == 2;
}

/* Step 0 waits for the one beyond, step 1 + k is for bit k. */
static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block nothing = mpi_coll_bytes(me, NULL, 0);
	int power = mpi_coll_power_of_two(coll->size),
	    mask = coll->step > 0 ? 1 << (coll->step - 1) : 0;
	bool has_other = coll->rank + power < coll->size;

	if (coll->rank >= power)
		return round_outside(me, coll, coll->rank - power);
	if (coll->step == 0) {
		if (has_other)
			mpi_coll_recv(me, coll, nothing, coll->rank + power);
	} else if (mask < power) {
		mpi_coll_recv(me, coll, nothing, coll->rank ^ mask);
		mpi_coll_send(me, coll, nothing, coll->rank ^ mask);
	} else if (mask == power && has_other) {
		mpi_coll_send(me, coll, nothing, coll->rank + power);
	}
	return mask > power || (mask == power && !has_other);
}

const struct mpi_coll_algorithm mpi_coll_barrier_recursive_doubling = {
    .name = "recursive_doubling",
    .kinds = MPI_COLL_KIND(COLL_BARRIER),
    .stages = {{NULL, run_round}},
};

const struct mpi_coll_algorithm mpi_coll_barrier_two_proc = {
    .name = "two_proc",
    .kinds = MPI_COLL_KIND(COLL_BARRIER),
    .fits = mpi_coll_is_pair,
    .stages = {{NULL, run_round}},
};
