/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions to rank 0 followed by a broadcast. */
#include "mpi/coll/algorithms.h"

/* Arguments of both stages are the same but for the root, which these operations leave 0. */
const struct mpi_coll_algorithm mpi_coll_allreduce_linear = {
    .name = "linear",
    .kinds = MPI_COLL_KIND(COLL_ALLREDUCE),
    .stages = {{NULL, mpi_coll_reduce_linear_round}, {NULL, mpi_coll_bcast_linear_round}},
};

const struct mpi_coll_algorithm mpi_coll_allreduce_reduce_bcast = {
    .name = "reduce_bcast",
    .kinds = MPI_COLL_KIND(COLL_ALLREDUCE),
    .stages = {{NULL, mpi_coll_reduce_binomial_round}, {NULL, mpi_coll_bcast_binomial_round}},
};
