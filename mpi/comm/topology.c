/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/comm/topology.h"

#include <stdlib.h>
#include <string.h>

static struct mpi_topology *create(int kind)
{
	struct mpi_topology *topology = calloc(1, sizeof *topology);

	if (!topology)
		return NULL;
	topology->n_references = 1;
	topology->kind = kind;
	return topology;
}

/* A copy of n numbers; false when out of memory. */
static bool copy(int **to, int n, const int from[])
{
	*to = malloc(((size_t)n + 1) * sizeof **to);
	if (*to && n > 0)
		memcpy(*to, from, (size_t)n * sizeof **to);
	return *to != NULL;
}

static struct mpi_topology *keep_if(bool is_complete, struct mpi_topology *topology)
{
	if (is_complete)
		return topology;
	mpi_topology_release(topology);
	return NULL;
}

struct mpi_topology *mpi_topology_create(int n_dims, const int dims[], const int periods[])
{
	struct mpi_topology *topology = create(MPI_CART);

	if (!topology)
		return NULL;
	topology->n_dims = n_dims;
	if (!copy(&topology->dims, n_dims, dims) || !copy(&topology->periods, n_dims, periods))
		return keep_if(false, topology);
	for (int i = 0; i < n_dims; i++)
		topology->periods[i] = periods[i] != 0;
	return topology;
}

static struct mpi_topology *create_graph(int n_nodes, const int ends[], const int edges[])
{
	struct mpi_topology *topology = create(MPI_GRAPH);

	if (!topology)
		return NULL;
	topology->n_nodes = n_nodes;
	return keep_if(copy(&topology->ends, n_nodes, ends) &&
			   copy(&topology->edges, n_nodes > 0 ? ends[n_nodes - 1] : 0, edges),
		       topology);
}

static bool equals(int n, const int a[], const int b[])
{
	return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static int n_edges_of(const struct mpi_topology *graph)
{
	return graph->n_nodes > 0 ? graph->ends[graph->n_nodes - 1] : 0;
}

static bool is_same(const struct mpi_topology *a, const struct mpi_topology *b)
{
	if (a->kind != b->kind || a->n_dims != b->n_dims || a->n_nodes != b->n_nodes)
		return false;
	for (int i = 0; i < a->n_dims; i++)
		if (a->dims[i] != b->dims[i] || !a->periods[i] != !b->periods[i])
			return false;
	return equals(a->n_nodes, a->ends, b->ends) && equals(n_edges_of(a), a->edges, b->edges);
}

struct mpi_topology *mpi_topology_share(struct mpi_topology **kept, const struct mpi_topology *like)
{
	struct mpi_topology *made;

	if (*kept && is_same(*kept, like))
		return mpi_topology_retain(*kept);
	made = like->kind == MPI_CART ? mpi_topology_create(like->n_dims, like->dims, like->periods)
				      : create_graph(like->n_nodes, like->ends, like->edges);
	if (!*kept)
		*kept = mpi_topology_retain(made);
	return made;
}

struct mpi_topology *mpi_topology_create_dist_graph(int n_in, const int in[],
						    const int in_weights[], int n_out,
						    const int out[], const int out_weights[],
						    bool is_weighted)
{
	struct mpi_topology *topology = create(MPI_DIST_GRAPH);
	bool is_complete;

	if (!topology)
		return NULL;
	topology->n_in = n_in;
	topology->n_out = n_out;
	topology->is_weighted = is_weighted;
	is_complete = copy(&topology->in, n_in, in) && copy(&topology->out, n_out, out);
	if (is_weighted)
		is_complete = is_complete && copy(&topology->in_weights, n_in, in_weights) &&
			      copy(&topology->out_weights, n_out, out_weights);
	return keep_if(is_complete, topology);
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
	free(topology->ends);
	free(topology->edges);
	free(topology->in);
	free(topology->out);
	free(topology->in_weights);
	free(topology->out_weights);
	free(topology);
}

int mpi_topology_wrap(const struct mpi_topology *topology, int dim, long long coord)
{
	int size = topology->dims[dim];

	if (coord >= 0 && coord < size)
		return (int)coord;
	if (!topology->periods[dim])
		return -1;
	coord %= size;
	return (int)(coord < 0 ? coord + size : coord);
}

int mpi_topology_shift(const struct mpi_topology *topology, int rank, int dim, long long disp)
{
	int n_behind = 1, coord, there;

	for (int i = dim + 1; i < topology->n_dims; i++)
		n_behind *= topology->dims[i];
	coord = rank / n_behind % topology->dims[dim];
	there = mpi_topology_wrap(topology, dim, coord + disp);
	return there < 0 ? MPI_PROC_NULL : rank + (there - coord) * n_behind;
}

/* --- neighbours --- */

static int first_edge(const struct mpi_topology *graph, int rank)
{
	return rank > 0 ? graph->ends[rank - 1] : 0;
}

/* Of grids and graphs, in which who is sent to is received from. */
static int n_neighbors(const struct mpi_topology *topology, int rank)
{
	if (topology->kind == MPI_CART)
		return 2 * topology->n_dims;
	return topology->ends[rank] - first_edge(topology, rank);
}

static int neighbor(const struct mpi_topology *topology, int rank, int index)
{
	if (topology->kind == MPI_CART)
		return mpi_topology_shift(topology, rank, index / 2, index % 2 ? 1 : -1);
	return topology->edges[first_edge(topology, rank) + index];
}

int mpi_topology_n_sources(const struct mpi_topology *topology, int rank)
{
	return topology->kind == MPI_DIST_GRAPH ? topology->n_in : n_neighbors(topology, rank);
}

int mpi_topology_n_destinations(const struct mpi_topology *topology, int rank)
{
	return topology->kind == MPI_DIST_GRAPH ? topology->n_out : n_neighbors(topology, rank);
}

int mpi_topology_source(const struct mpi_topology *topology, int rank, int index)
{
	return topology->kind == MPI_DIST_GRAPH ? topology->in[index]
						: neighbor(topology, rank, index);
}

int mpi_topology_destination(const struct mpi_topology *topology, int rank, int index)
{
	return topology->kind == MPI_DIST_GRAPH ? topology->out[index]
						: neighbor(topology, rank, index);
}
