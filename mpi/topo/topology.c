/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/topo/topology.h"

#include <stdlib.h>

struct mpi_topology *mpi_topology_create(int n_dims, const int dims[], const int periods[])
{
	struct mpi_topology *topology = calloc(1, sizeof *topology);
	size_t n = (size_t)n_dims + 1;

	if (!topology)
		return NULL;
	topology->n_references = 1;
	topology->n_dims = n_dims;
	topology->dims = calloc(n, sizeof *topology->dims);
	topology->periods = calloc(n, sizeof *topology->periods);
	if (!topology->dims || !topology->periods) {
		mpi_topology_release(topology);
		return NULL;
	}
	for (int i = 0; i < n_dims; i++) {
		topology->dims[i] = dims[i];
		topology->periods[i] = periods[i] != 0;
	}
	return topology;
}

struct mpi_topology *mpi_topology_retain(struct mpi_topology *topology)
{
	if (topology)
		topology->n_references++;
	return topology;
}

void mpi_topology_release(struct mpi_topology *topology)
{
	if (!topology || --topology->n_references > 0)
		return;
	free(topology->dims);
	free(topology->periods);
	free(topology);
}
