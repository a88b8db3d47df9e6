/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/topo/attach.h"

int mpi_topology_check_parent(struct mpi_rank *me, MPI_Comm handle, struct mpi_comm **comm)
{
	*comm = mpi_comm_get(me, handle);
	if (!*comm)
		return mpi_raise(me, NULL, MPI_ERR_COMM, "comm is %s",
				 handle == MPI_COMM_NULL ? "MPI_COMM_NULL" : "not a communicator");
	if ((*comm)->remote)
		return mpi_raise(me, *comm, MPI_ERR_COMM, "comm is an intercommunicator");
	return MPI_SUCCESS;
}

int mpi_topology_attach(struct mpi_rank *me, struct mpi_comm **comm, struct mpi_topology *topology)
{
	(*comm)->topology = topology;
	if (topology)
		return MPI_SUCCESS;
	mpi_comm_release(me, *comm);
	*comm = NULL;
	return MPI_ERR_NO_MEM;
}
