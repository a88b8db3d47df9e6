/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In round k ranks that differ in bit k exchange the 2^k blocks they have, of any length: log2 n
 * rounds, n a power of two.
 */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/packed.h"
#include "mpi/coll/tree.h"

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	int mask = 1 << coll->step, peer = coll->rank ^ mask;

	if (coll->step == 0)
		mpi_coll_packed_begin(me, coll, 0);
	if (mask >= coll->size) {
		mpi_coll_packed_end(me, coll, &coll->call.recv);
		return true;
	}
	mpi_coll_recv_some(me, coll, mpi_coll_packed_blocks(me, coll, peer & -mask, mask), peer);
	mpi_coll_send_some(me, coll, mpi_coll_packed_blocks(me, coll, coll->rank & -mask, mask),
			   peer);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_allgatherv_recursive_doubling = {
    .name = "recursive_doubling",
    .kinds = MPI_COLL_KIND(COLL_ALLGATHERV),
    .fits = mpi_coll_is_power_of_two,
    .stages = {{NULL, run_round}},
};
