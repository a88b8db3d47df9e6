/* SPDX-License-Identifier: BSD-3-Clause */
/* In the simulator: as the cluster file says. */
#include <mpi.h>

#include "places.h"

/* The first rank of those that share it; within a node that is a number. */
static int first_of(const char *resource)
{
	MPI_Info info;
	MPI_Comm comm;
	int rank, first = -1;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Info_create(&info);
	MPI_Info_set(info, "mpi_hw_resource_type", resource);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm);
	MPI_Info_free(&info);
	if (comm != MPI_COMM_NULL) {
		MPI_Allreduce(&rank, &first, 1, MPI_INT, MPI_MIN, comm);
		MPI_Comm_free(&comm);
	}
	return first;
}

void levels_find(struct rank_place *place)
{
	place->socket = first_of("mpisim://socket");
	place->domain = first_of("mpisim://domain");
}
