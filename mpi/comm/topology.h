/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COMM_TOPOLOGY_H
#define MPI_COMM_TOPOLOGY_H

#include <mpi.h>
#include <stdbool.h>

/*
 * The virtual topology of a communicator as one rank sees it, shared with its duplicates. A grid
 * (MPI_CART) is row-major: the last dimension varies fastest. A graph (MPI_GRAPH) is known as a
 * whole, of a distributed graph (MPI_DIST_GRAPH) a rank knows its own edges.
 */
struct mpi_topology {
	int n_references;
	int kind; /* MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH */
	/* MPI_CART */
	int n_dims;
	int *dims;    /* [n_dims] */
	int *periods; /* [n_dims], 0 or 1 */
	/* MPI_GRAPH: neighbours of rank i are edges[ends[i - 1]] … edges[ends[i] - 1] */
	int n_nodes;
	int *ends, *edges; /* [n_nodes], [ends[n_nodes - 1]] */
	/* MPI_DIST_GRAPH */
	int n_in, n_out;
	int *in, *out;		       /* [n_in], [n_out] */
	int *in_weights, *out_weights; /* [n_in], [n_out]; NULL when the graph has no weights */
	bool is_weighted;
};

/* Copies the arrays; NULL when out of memory. */
struct mpi_topology *mpi_topology_create(int n_dims, const int dims[], const int periods[]);
/*
 * A grid or a graph like this one, whose arrays may be anybody's: *kept when it is the same, which
 * it is on all members of a communicator, else a copy, which *kept gets when it is NULL. The caller
 * and *kept have a reference each. NULL when out of memory. O(length of the arrays).
 */
struct mpi_topology *mpi_topology_share(struct mpi_topology **kept,
					const struct mpi_topology *like);
/* A rank's edges in and out; `weights` of both or of neither. */
struct mpi_topology *mpi_topology_create_dist_graph(int n_in, const int in[],
						    const int in_weights[], int n_out,
						    const int out[], const int out_weights[],
						    bool is_weighted);
struct mpi_topology *mpi_topology_retain(struct mpi_topology *topology); /* NULL is fine */
void mpi_topology_release(struct mpi_topology *topology);		 /* NULL is fine */

/* The rank that lies `disp` further than `rank` in a dimension of a grid, MPI_PROC_NULL beyond an
 * edge. */
int mpi_topology_shift(const struct mpi_topology *topology, int rank, int dim, long long disp);
/* The coordinate in range, -1 when it is out of range in a dimension without period. */
int mpi_topology_wrap(const struct mpi_topology *topology, int dim, long long coord);

/*
 * Neighbours of `rank` (the caller's own in a distributed graph) for neighbourhood collectives, in
 * the order of their blocks: of a grid the lower and the upper one of each dimension,
 * MPI_PROC_NULL beyond an edge. O(dimensions).
 */
int mpi_topology_n_sources(const struct mpi_topology *topology, int rank);
int mpi_topology_n_destinations(const struct mpi_topology *topology, int rank);
int mpi_topology_source(const struct mpi_topology *topology, int rank, int index);
int mpi_topology_destination(const struct mpi_topology *topology, int rank, int index);

#endif
