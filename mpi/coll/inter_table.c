/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/coll/inter.h"

const struct mpi_coll_algorithm *const mpi_coll_inter_algorithms[N_COLL_KINDS] = {
    [COLL_BARRIER] = &mpi_coll_inter_barrier,
    [COLL_BCAST] = &mpi_coll_inter_bcast,
    [COLL_GATHER] = &mpi_coll_inter_gather,
    [COLL_GATHERV] = &mpi_coll_inter_gather,
    [COLL_SCATTER] = &mpi_coll_inter_scatter,
    [COLL_SCATTERV] = &mpi_coll_inter_scatter,
    [COLL_ALLGATHER] = &mpi_coll_inter_allgather,
    [COLL_ALLGATHERV] = &mpi_coll_inter_allgatherv,
    [COLL_ALLTOALL] = &mpi_coll_inter_alltoall,
    [COLL_ALLTOALLV] = &mpi_coll_inter_alltoall,
    [COLL_ALLTOALLW] = &mpi_coll_inter_alltoall,
    [COLL_REDUCE] = &mpi_coll_inter_reduce,
    [COLL_ALLREDUCE] = &mpi_coll_inter_allreduce,
    [COLL_REDUCE_SCATTER] = &mpi_coll_inter_reduce_scatter,
    [COLL_REDUCE_SCATTER_BLOCK] = &mpi_coll_inter_reduce_scatter,
};
