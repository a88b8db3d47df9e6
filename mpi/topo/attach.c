/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/topo/attach.h"

int mpi_topology_attach(struct mpi_rank *me, struct mpi_comm **comm, struct mpi_topology *topology)
{
	(*comm)->topology = topology;
	if (topology)
		return MPI_SUCCESS;
	mpi_comm_release(me, *comm);
	*comm = NULL;
	return MPI_ERR_NO_MEM;
}
