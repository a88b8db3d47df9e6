/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_TOPO_TOPOLOGY_H
#define MPI_TOPO_TOPOLOGY_H

/* The virtual topology of a communicator, shared with its duplicates. Cartesian: row-major, the
 * last dimension varies fastest. */
struct mpi_topology {
	int n_references;
	int n_dims;
	int *dims;    /* [n_dims] */
	int *periods; /* [n_dims], 0 or 1 */
};

/* Copies the arrays; NULL when out of memory. */
struct mpi_topology *mpi_topology_create(int n_dims, const int dims[], const int periods[]);
struct mpi_topology *mpi_topology_retain(struct mpi_topology *topology); /* NULL is fine */
void mpi_topology_release(struct mpi_topology *topology);		 /* NULL is fine */

#endif
