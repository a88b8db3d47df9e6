/* SPDX-License-Identifier: BSD-3-Clause */
/* A reduction to rank 0, then a broadcast, each as that operation would be done by itself. */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/part.h"

static void prepare_reduce(struct mpi_rank *me, struct mpi_coll *coll)
{
	mpi_coll_part_choose(me, coll, COLL_REDUCE);
}

static void prepare_bcast(struct mpi_rank *me, struct mpi_coll *coll)
{
	mpi_coll_part_choose(me, coll, COLL_BCAST);
}

const struct mpi_coll_algorithm mpi_coll_allreduce_nonoverlapping = {
    .name = "nonoverlapping",
    .kinds = MPI_COLL_KIND(COLL_ALLREDUCE),
    .stages = {{prepare_reduce, mpi_coll_part_round}, {prepare_bcast, mpi_coll_part_round}},
};
