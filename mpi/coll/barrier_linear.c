/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 hears from all, then tells all. */
#include "mpi/coll/algorithms.h"

static void exchange(struct mpi_rank *me, struct mpi_coll *coll, bool receives)
{
	struct mpi_coll_block nothing = mpi_coll_bytes(me, NULL, 0);
	int first = coll->rank == 0 ? 1 : 0, end = coll->rank == 0 ? coll->size : 1;

	for (int peer = first; peer < end; peer++) {
		if (receives)
			mpi_coll_recv(me, coll, nothing, peer);
		else
			mpi_coll_send(me, coll, nothing, peer);
	}
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	if (coll->step == 2)
		return true;
	exchange(me, coll, (coll->rank == 0) == (coll->step == 0));
	return false;
}

const struct mpi_coll_algorithm mpi_coll_barrier_linear = {
    .name = "linear",
    .kinds = MPI_COLL_KIND(COLL_BARRIER),
    .stages = {{NULL, run_round}},
};
