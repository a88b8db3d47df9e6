/* SPDX-License-Identifier: BSD-3-Clause */
/* Graph topologies that every rank knows as a whole. Ranks are not reordered. */
#include <string.h>

#include "mpi/comm/create.h"
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

/* MPI_SUCCESS and *comm for a graph that fits it, or the error. */
static int check_graph(struct mpi_rank *me, MPI_Comm handle, int n_nodes, const int ends[],
		       const int edges[], struct mpi_comm **comm)
{
	int code = mpi_topology_check_parent(me, handle, comm);

	if (code != MPI_SUCCESS)
		return code;
	if (n_nodes < 0 || n_nodes > (*comm)->size)
		return mpi_raise(me, *comm, MPI_ERR_ARG, "nnodes is %d, it must be in 0 … %d",
				 n_nodes, (*comm)->size);
	if (n_nodes > 0 && !ends)
		return mpi_raise(me, *comm, MPI_ERR_ARG, "index is NULL");
	return check_edges(me, *comm, n_nodes, ends, edges);
}

int MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int indx[], const int edges[],
		     int reorder, MPI_Comm *comm_graph)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_topology graph = {
	    .kind = MPI_GRAPH, .n_nodes = nnodes, .ends = (int *)indx, .edges = (int *)edges};
	struct mpi_comm *parent, *made = NULL;
	int code = check_graph(me, comm_old, nnodes, indx, edges, &parent);

	if (code == MPI_SUCCESS && !comm_graph)
		code = mpi_raise(me, parent, MPI_ERR_ARG, "comm_graph is NULL");
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	code = mpi_comm_create_grid(me, parent, nnodes, &graph, &made);
	return mpi_leave(me, mpi_comm_publish(me, parent, code, made, comm_graph));
}

int MPI_Graph_map(MPI_Comm comm, int nnodes, const int indx[], const int edges[], int *newrank)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int code = check_graph(me, comm, nnodes, indx, edges, &c);

	if (code == MPI_SUCCESS && !newrank)
		code = mpi_raise(me, c, MPI_ERR_ARG, "newrank is NULL");
	if (code == MPI_SUCCESS)
		*newrank = c->rank < nnodes ? c->rank : MPI_UNDEFINED;
	return mpi_leave(me, code);
}

/* MPI_SUCCESS and *comm with a graph, or the error. */
static int get_graph(struct mpi_rank *me, MPI_Comm handle, struct mpi_comm **comm)
{
	*comm = mpi_comm_get(me, handle);
	if (!*comm)
		return mpi_raise(me, NULL, MPI_ERR_COMM, "comm is %s",
				 handle == MPI_COMM_NULL ? "MPI_COMM_NULL" : "not a communicator");
	if (!(*comm)->topology || (*comm)->topology->kind != MPI_GRAPH)
		return mpi_raise(me, *comm, MPI_ERR_TOPOLOGY, "comm has no graph topology");
	return MPI_SUCCESS;
}

static int n_edges(const struct mpi_topology *graph)
{
	return graph->n_nodes > 0 ? graph->ends[graph->n_nodes - 1] : 0;
}

int MPI_Graphdims_get(MPI_Comm comm, int *nnodes, int *nedges)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int code = get_graph(me, comm, &c);

	if (code == MPI_SUCCESS && (!nnodes || !nedges))
		code = mpi_raise(me, c, MPI_ERR_ARG, "%s is NULL", nnodes ? "nedges" : "nnodes");
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	*nnodes = c->topology->n_nodes;
	*nedges = n_edges(c->topology);
	return mpi_leave(me, MPI_SUCCESS);
}

/* As much as there is room for. */
static void copy(int to[], int n_room, const int from[], int n)
{
	if (n_room < n)
		n = n_room;
	if (n > 0)
		memcpy(to, from, (size_t)n * sizeof *to);
}

static int check_room(struct mpi_rank *me, struct mpi_comm *comm, const char *name, int n_room,
		      const int array[])
{
	if (n_room < 0)
		return mpi_raise(me, comm, MPI_ERR_ARG, "%s is %d, it must not be negative", name,
				 n_room);
	if (n_room > 0 && !array)
		return mpi_raise(me, comm, MPI_ERR_ARG, "the array for %s items is NULL", name);
	return MPI_SUCCESS;
}

int MPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int indx[], int edges[])
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int code = get_graph(me, comm, &c);

	if (code == MPI_SUCCESS)
		code = check_room(me, c, "maxindex", maxindex, indx);
	if (code == MPI_SUCCESS)
		code = check_room(me, c, "maxedges", maxedges, edges);
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	copy(indx, maxindex, c->topology->ends, c->topology->n_nodes);
	copy(edges, maxedges, c->topology->edges, n_edges(c->topology));
	return mpi_leave(me, MPI_SUCCESS);
}

static int get_node(struct mpi_rank *me, MPI_Comm handle, int rank, struct mpi_comm **comm)
{
	int code = get_graph(me, handle, comm);

	if (code == MPI_SUCCESS && (rank < 0 || rank >= (*comm)->topology->n_nodes))
		code = mpi_raise(me, *comm, MPI_ERR_RANK, "rank is %d, it must be in 0 … %d", rank,
				 (*comm)->topology->n_nodes - 1);
	return code;
}

int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *nneighbors)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int code = get_node(me, comm, rank, &c);

	if (code == MPI_SUCCESS && !nneighbors)
		code = mpi_raise(me, c, MPI_ERR_ARG, "nneighbors is NULL");
	if (code == MPI_SUCCESS)
		*nneighbors = mpi_topology_n_sources(c->topology, rank);
	return mpi_leave(me, code);
}

int MPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[])
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int n, code = get_node(me, comm, rank, &c);

	if (code == MPI_SUCCESS)
		code = check_room(me, c, "maxneighbors", maxneighbors, neighbors);
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	n = mpi_topology_n_sources(c->topology, rank);
	for (int i = 0; i < n && i < maxneighbors; i++)
		neighbors[i] = mpi_topology_source(c->topology, rank, i);
	return mpi_leave(me, MPI_SUCCESS);
}
