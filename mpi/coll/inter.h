/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COLL_INTER_H
#define MPI_COLL_INTER_H

#include "mpi/coll/algorithms.h"

/*
 * Collectives on intercommunicators: what a group does for itself is a stage of an algorithm for
 * intracommunicators on the local group, with rank 0 as its leader; between the groups go messages
 * of the leaders, or of all ranks.
 */
extern const struct mpi_coll_algorithm mpi_coll_inter_barrier, mpi_coll_inter_bcast,
    mpi_coll_inter_gather, mpi_coll_inter_scatter, mpi_coll_inter_allgather,
    mpi_coll_inter_allgatherv, mpi_coll_inter_alltoall, mpi_coll_inter_reduce,
    mpi_coll_inter_allreduce, mpi_coll_inter_reduce_scatter;

/* One round: the leaders send each other call.send and receive call.recv, both whole. */
bool mpi_coll_inter_exchange(struct mpi_rank *me, struct mpi_coll *coll);
/* Prepares a broadcast of call.recv from the leader. */
void mpi_coll_inter_prepare_bcast(struct mpi_rank *me, struct mpi_coll *coll);

#endif
