/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_TOPO_ATTACH_H
#define MPI_TOPO_ATTACH_H

#include "mpi/comm/comm.h"
#include "mpi/comm/topology.h"

/*
 * Puts a topology (taken over) on a new communicator. MPI_SUCCESS, or MPI_ERR_NO_MEM when it is
 * NULL; then *comm is released and NULL.
 */
int mpi_topology_attach(struct mpi_rank *me, struct mpi_comm **comm, struct mpi_topology *topology);

#endif
