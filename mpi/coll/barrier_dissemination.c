/* SPDX-License-Identifier: BSD-3-Clause */
/* In round k each rank tells rank + 2^k and hears from rank - 2^k: ceil(log2 n) rounds. */
#include "mpi/coll/algorithms.h"

bool mpi_coll_barrier_dissemination_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block nothing = mpi_coll_bytes(me, NULL, 0);
	int64_t distance = INT64_C(1) << coll->step;

	if (distance >= coll->size)
		return true;
	mpi_coll_recv(me, coll, nothing, (int)((coll->rank - distance + coll->size) % coll->size));
	mpi_coll_send(me, coll, nothing, (int)((coll->rank + distance) % coll->size));
	return false;
}

const struct mpi_coll_algorithm mpi_coll_barrier_dissemination = {
    .name = "dissemination",
    .kinds = MPI_COLL_KIND(COLL_BARRIER),
    .stages = {{NULL, mpi_coll_barrier_dissemination_round}},
};
