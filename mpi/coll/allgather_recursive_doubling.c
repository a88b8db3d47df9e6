/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In round k ranks that differ in bit k exchange the 2^k blocks they have: log2 n rounds, n a power
 * of two.
 */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/tree.h"

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	const struct mpi_coll_side *recv = &coll->call.recv;
	int64_t mask = INT64_C(1) << coll->step;
	int peer = coll->rank ^ (int)mask, n = (int)mask;

	if (coll->step == 0)
		mpi_coll_copy(me, coll, mpi_coll_whole(&coll->call.send),
			      mpi_coll_block(recv, coll->rank));
	if (mask >= coll->size)
		return true;
	mpi_coll_recv(me, coll, mpi_coll_blocks(recv, peer & ~(n - 1), n), peer);
	mpi_coll_send(me, coll, mpi_coll_blocks(recv, coll->rank & ~(n - 1), n), peer);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_allgather_recursive_doubling = {
    .name = "recursive_doubling",
    .kinds = MPI_COLL_KIND(COLL_ALLGATHER),
    .fits = mpi_coll_is_power_of_two,
    .stages = {{NULL, run_round}},
};
