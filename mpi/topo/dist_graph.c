/* SPDX-License-Identifier: BSD-3-Clause */
/* Graph topologies of which a rank knows its own edges: queries, and construction from them. */
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/create/create.h"
#include "mpi/topo/dist_graph.h"

int mpi_dist_graph_check_edges(struct mpi_rank *me, struct mpi_comm *comm, const char *what, int n,
			       const int ranks[], const int *weights)
{
	if (n < 0)
		return mpi_raise(me, comm, MPI_ERR_ARG,
				 "the number of %s is %d, it must not be negative", what, n);
	if (n > 0 && (!ranks || !weights))
		return mpi_raise(me, comm, MPI_ERR_ARG, "the array of %s is NULL",
				 ranks ? "weights" : what);
	for (int i = 0; i < n; i++) {
		if (ranks[i] < 0 || ranks[i] >= comm->size)
			return mpi_raise(me, comm, MPI_ERR_RANK,
					 "%s[%d] is %d, it must be in 0 … %d", what, i, ranks[i],
					 comm->size - 1);
		if (weights != MPI_UNWEIGHTED && weights[i] < 0)
			return mpi_raise(me, comm, MPI_ERR_ARG,
					 "the weight of %s[%d] is %d, it must not be negative",
					 what, i, weights[i]);
	}
	return MPI_SUCCESS;
}

int mpi_dist_graph_publish(struct mpi_rank *me, struct mpi_comm *parent,
			   struct mpi_topology *topology, MPI_Comm *newcomm)
{
	struct mpi_comm *made = NULL;
	int code = mpi_comm_duplicate(me, parent, true, &made);

	if (made) {
		mpi_topology_release(made->topology);
		code = mpi_topology_attach(me, &made, topology);
	} else {
		mpi_topology_release(topology);
	}
	return mpi_comm_publish(me, parent, code, made, newcomm);
}

int mpi_dist_graph_create_adjacent(struct mpi_rank *me, struct mpi_comm *parent, int indegree,
				   const int sources[], const int sourceweights[], int outdegree,
				   const int destinations[], const int destweights[],
				   struct mpi_info *info, int reorder, MPI_Comm *comm_dist_graph)
{
	bool is_weighted = sourceweights != MPI_UNWEIGHTED && destweights != MPI_UNWEIGHTED;
	int code =
	    mpi_dist_graph_check_edges(me, parent, "sources", indegree, sources, sourceweights);

	if (code == MPI_SUCCESS)
		code = mpi_dist_graph_check_edges(me, parent, "destinations", outdegree,
						  destinations, destweights);
	if (code == MPI_SUCCESS && !is_weighted && sourceweights != destweights)
		code = mpi_raise(me, parent, MPI_ERR_ARG,
				 "MPI_UNWEIGHTED must be given for both edges in and out, or for "
				 "neither");
	if (code != MPI_SUCCESS)
		return code;
	return mpi_dist_graph_publish(
	    me, parent,
	    mpi_topology_create_dist_graph(indegree, sources, sourceweights, outdegree,
					   destinations, destweights, is_weighted),
	    comm_dist_graph);
}

static int check(struct mpi_rank *me, struct mpi_comm *comm)
{
	if (!comm->topology || comm->topology->kind != MPI_DIST_GRAPH)
		return mpi_raise(me, comm, MPI_ERR_TOPOLOGY,
				 "comm has no distributed graph topology");
	return MPI_SUCCESS;
}

int mpi_dist_graph_neighbors_count(struct mpi_rank *me, struct mpi_comm *comm, int *indegree,
				   int *outdegree, int *weighted)
{
	int code = check(me, comm);

	if (code != MPI_SUCCESS)
		return code;
	*indegree = comm->topology->n_in;
	*outdegree = comm->topology->n_out;
	*weighted = comm->topology->is_weighted;
	return MPI_SUCCESS;
}

/* As many edges as there is room for. */
static int give_edges(struct mpi_rank *me, struct mpi_comm *comm, int n_room, int n,
		      const int from[], const int from_weights[], int ranks[], int weights[])
{
	size_t size_B = (size_t)(n_room < n ? n_room : n) * sizeof *ranks;

	if (n_room < 0)
		return mpi_raise(me, comm, MPI_ERR_ARG,
				 "the room for neighbours is %d, it must not be negative", n_room);
	if (size_B == 0)
		return MPI_SUCCESS;
	if (!ranks || (from_weights && !weights))
		return mpi_raise(me, comm, MPI_ERR_ARG, "an array for neighbours is NULL");
	memcpy(ranks, from, size_B);
	if (from_weights && weights != MPI_UNWEIGHTED)
		memcpy(weights, from_weights, size_B);
	return MPI_SUCCESS;
}

int mpi_dist_graph_neighbors(struct mpi_rank *me, struct mpi_comm *comm, int maxindegree,
			     int sources[], int sourceweights[], int maxoutdegree,
			     int destinations[], int destweights[])
{
	const struct mpi_topology *graph = comm->topology;
	int code = check(me, comm);

	if (code == MPI_SUCCESS)
		code = give_edges(me, comm, maxindegree, graph->n_in, graph->in, graph->in_weights,
				  sources, sourceweights);
	if (code == MPI_SUCCESS)
		code = give_edges(me, comm, maxoutdegree, graph->n_out, graph->out,
				  graph->out_weights, destinations, destweights);
	return code;
}
