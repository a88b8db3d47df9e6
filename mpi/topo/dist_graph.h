/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_TOPO_DIST_GRAPH_H
#define MPI_TOPO_DIST_GRAPH_H

#include "mpi/topo/attach.h"

/* What both constructors of distributed graphs do. MPI_SUCCESS, or what mpi_raise returned. */
/* `n` ranks of the communicator; weights may be MPI_UNWEIGHTED or, for none, MPI_WEIGHTS_EMPTY. */
int mpi_dist_graph_check_edges(struct mpi_rank *me, struct mpi_comm *comm, const char *what, int n,
			       const int ranks[], const int *weights);
/* A communicator like the parent with this topology (taken over; NULL: out of memory). */
int mpi_dist_graph_publish(struct mpi_rank *me, struct mpi_comm *parent,
			   struct mpi_topology *topology, MPI_Comm *newcomm);

#endif
