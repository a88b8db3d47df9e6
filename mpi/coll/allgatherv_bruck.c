/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * As allgather_bruck.c, with blocks of any length: in round k each rank sends all it has, at most
 * as much as is missing, to rank - 2^k and gets as much from rank + 2^k.
 */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/packed.h"

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	int n = coll->size, have = 1 << coll->step, more;

	if (coll->step == 0)
		mpi_coll_packed_begin(me, coll, coll->rank);
	if (have >= n) {
		mpi_coll_packed_end(me, coll, &coll->call.recv);
		return true;
	}
	more = have < n - have ? have : n - have;
	mpi_coll_recv_some(me, coll, mpi_coll_packed_blocks(me, coll, have, more),
			   (coll->rank + have) % n);
	mpi_coll_send_some(me, coll, mpi_coll_packed_blocks(me, coll, 0, more),
			   (coll->rank - have + n) % n);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_allgatherv_bruck = {
    .name = "bruck",
    .kinds = MPI_COLL_KIND(COLL_ALLGATHERV),
    .stages = {{NULL, run_round}},
};
