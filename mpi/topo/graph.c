/* SPDX-License-Identifier: BSD-3-Clause */
/* Graph topologies that every rank knows as a whole. Ranks are not reordered. */
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/create/create.h"
#include "mpi/topo/attach.h"

static int check_edges(struct mpi_rank *me, struct mpi_comm *comm, int n_nodes, const int ends[],
		       const int edges[])
{
	int n_edges = 0;

	for (int i = 0; i < n_nodes; i++) {
		if (ends[i] < n_edges)
			return mpi_raise(me, comm, MPI_ERR_ARG,
					 "index[%d] is %d, it must be at least %d", i, ends[i],
					 n_edges);
		n_edges = ends[i];
	}
	if (n_edges > 0 && !edges)
		return mpi_raise(me, comm, MPI_ERR_ARG, "edges is NULL");
	for (int i = 0; i < n_edges; i++)
		if (edges[i] < 0 || edges[i] >= n_nodes)
			return mpi_raise(me, comm, MPI_ERR_ARG,
					 "edges[%d] is %d, it must be in 0 … %d", i, edges[i],
					 n_nodes - 1);
	return MPI_SUCCESS;
}

/* MPI_SUCCESS for a graph that fits the communicator, or the error. */
static int check_graph(struct mpi_rank *me, struct mpi_comm *comm, int n_nodes, const int ends[],
		       const int edges[])
{
	if (n_nodes < 0 || n_nodes > comm->size)
		return mpi_raise(me, comm, MPI_ERR_ARG, "nnodes is %d, it must be in 0 … %d",
				 n_nodes, comm->size);
	if (n_nodes > 0 && !ends)
		return mpi_raise(me, comm, MPI_ERR_ARG, "index is NULL");
	return check_edges(me, comm, n_nodes, ends, edges);
}

int mpi_graph_create(struct mpi_rank *me, struct mpi_comm *parent, int nnodes, const int indx[],
		     const int edges[], int reorder, MPI_Comm *comm_graph)
{
	struct mpi_topology graph = {
	    .kind = MPI_GRAPH, .n_nodes = nnodes, .ends = (int *)indx, .edges = (int *)edges};
	struct mpi_comm *made = NULL;
	int code = check_graph(me, parent, nnodes, indx, edges);

	if (code != MPI_SUCCESS)
		return code;
	code = mpi_comm_create_grid(me, parent, nnodes, &graph, &made);
	return mpi_comm_publish(me, parent, code, made, comm_graph);
}

int mpi_graph_map(struct mpi_rank *me, struct mpi_comm *comm, int nnodes, const int indx[],
		  const int edges[], int *newrank)
{
	int code = check_graph(me, comm, nnodes, indx, edges);

	if (code == MPI_SUCCESS)
		*newrank = comm->rank < nnodes ? comm->rank : MPI_UNDEFINED;
	return code;
}

static int check(struct mpi_rank *me, struct mpi_comm *comm)
{
	if (!comm->topology || comm->topology->kind != MPI_GRAPH)
		return mpi_raise(me, comm, MPI_ERR_TOPOLOGY, "comm has no graph topology");
	return MPI_SUCCESS;
}

static int n_edges(const struct mpi_topology *graph)
{
	return graph->n_nodes > 0 ? graph->ends[graph->n_nodes - 1] : 0;
}

int mpi_graphdims_get(struct mpi_rank *me, struct mpi_comm *comm, int *nnodes, int *nedges)
{
	int code = check(me, comm);

	if (code != MPI_SUCCESS)
		return code;
	*nnodes = comm->topology->n_nodes;
	*nedges = n_edges(comm->topology);
	return MPI_SUCCESS;
}

/* As much as there is room for. */
static void copy(int to[], int n_room, const int from[], int n)
{
	if (n_room < n)
		n = n_room;
	if (n > 0)
		memcpy(to, from, (size_t)n * sizeof *to);
}

int mpi_graph_get(struct mpi_rank *me, struct mpi_comm *comm, int maxindex, int maxedges,
		  int indx[], int edges[])
{
	int code = check(me, comm);

	if (code != MPI_SUCCESS)
		return code;
	copy(indx, maxindex, comm->topology->ends, comm->topology->n_nodes);
	copy(edges, maxedges, comm->topology->edges, n_edges(comm->topology));
	return MPI_SUCCESS;
}

static int check_node(struct mpi_rank *me, struct mpi_comm *comm, int rank)
{
	int code = check(me, comm);

	if (code == MPI_SUCCESS && (rank < 0 || rank >= comm->topology->n_nodes))
		code = mpi_raise(me, comm, MPI_ERR_RANK, "rank is %d, it must be in 0 … %d", rank,
				 comm->topology->n_nodes - 1);
	return code;
}

int mpi_graph_neighbors_count(struct mpi_rank *me, struct mpi_comm *comm, int rank, int *nneighbors)
{
	int code = check_node(me, comm, rank);

	if (code == MPI_SUCCESS)
		*nneighbors = mpi_topology_n_sources(comm->topology, rank);
	return code;
}

int mpi_graph_neighbors(struct mpi_rank *me, struct mpi_comm *comm, int rank, int maxneighbors,
			int neighbors[])
{
	int n, code = check_node(me, comm, rank);

	if (code != MPI_SUCCESS)
		return code;
	n = mpi_topology_n_sources(comm->topology, rank);
	for (int i = 0; i < n && i < maxneighbors; i++)
		neighbors[i] = mpi_topology_source(comm->topology, rank, i);
	return MPI_SUCCESS;
}
