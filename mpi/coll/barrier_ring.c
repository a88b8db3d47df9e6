/* SPDX-License-Identifier: BSD-3-Clause */
/* A word goes around the ring twice: the first time all have come, the second time all know it. */
#include "mpi/coll/algorithms.h"

/* Rank 0 begins by sending; the others begin by waiting. */
static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block nothing = mpi_coll_bytes(me, NULL, 0);
	int n = coll->size;

	if (coll->step == 4 || n == 1)
		return true;
	if ((coll->step % 2 == 0) == (coll->rank == 0))
		mpi_coll_send(me, coll, nothing, (coll->rank + 1) % n);
	else
		mpi_coll_recv(me, coll, nothing, (coll->rank + n - 1) % n);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_barrier_double_ring = {
    .name = "double_ring",
    .kinds = MPI_COLL_KIND(COLL_BARRIER),
    .stages = {{NULL, run_round}},
};
