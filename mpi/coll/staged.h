/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COLL_STAGED_H
#define MPI_COLL_STAGED_H

#include "mpi/coll/operation.h"

/*
 * Collectives on memory of accelerators, where the cluster's MPI library does not take it
 * (accelerators.gpu_aware): each rank copies what it gives to its node before the first message, and
 * what it gets back after the last one. On its fiber.
 */
void mpi_coll_stage(struct mpi_rank *me, struct mpi_coll *coll);
void mpi_coll_unstage(struct mpi_rank *me, const struct mpi_coll *coll);

#endif
