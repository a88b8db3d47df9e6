/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Dist_graph_create: any rank may name any edge, so each tells every rank how many edges of its
 * it has (an alltoall), then sends them to those that have some. Neighbours are in the order of the
 * ranks that named them, and then in theirs.
 */
#include <stdlib.h>

#include "mpi/coll/coll.h"
#include "mpi/comm/create.h"
#include "mpi/p2p/p2p.h"
#include "mpi/topo/dist_graph.h"

/* The edges that one rank names. */
struct edge_list {
	int n;
	const int *sources, *degrees, *destinations, *weights;
};

enum { OUT, IN }; /* the two ends of an edge */

/*
 * Between this rank and each other one, as it was named by the sender: counts[2 * rank + OUT] edges
 * that leave the receiver, then counts[2 * rank + IN] that enter it; each (other end, weight).
 */
struct bundle {
	int *counts; /* [2 * size] */
	int *starts; /* [size] in `numbers` */
	int *numbers;
	int n_numbers;
};

struct construction {
	struct mpi_comm *parent;
	struct bundle given, got;
	int *next; /* [2 * size]: where the next number for a rank goes */
	struct mpi_request **requests;
	int n_requests;
};

static int *allocate(struct mpi_rank *me, int n)
{
	int *numbers = calloc((size_t)n + 1, sizeof *numbers);

	if (!numbers)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for the edges of a graph");
	return numbers;
}

static void bundle_finish(struct bundle *bundle)
{
	free(bundle->counts);
	free(bundle->starts);
	free(bundle->numbers);
}

/* `counts` are there: room for the numbers. */
static void lay_out(struct mpi_rank *me, struct bundle *bundle, int size)
{
	bundle->starts = allocate(me, size);
	for (int i = 0; i < size; i++) {
		bundle->starts[i] = bundle->n_numbers;
		bundle->n_numbers += 2 * (bundle->counts[2 * i + OUT] + bundle->counts[2 * i + IN]);
	}
	bundle->numbers = allocate(me, bundle->n_numbers);
}

static void put(struct construction *graph, int rank, int end, int other, int weight)
{
	struct bundle *given = &graph->given;
	int first = given->starts[rank] + (end == IN ? 2 * given->counts[2 * rank + OUT] : 0);
	int at = first + 2 * graph->next[2 * rank + end]++;

	given->numbers[at] = other;
	given->numbers[at + 1] = weight;
}

static void sort_edges(struct mpi_rank *me, struct construction *graph,
		       const struct edge_list *edges)
{
	int *counts = allocate(me, 2 * graph->parent->size), at = 0;

	graph->given.counts = counts;
	for (int i = 0; i < edges->n; i++) {
		counts[2 * edges->sources[i] + OUT] += edges->degrees[i];
		for (int k = 0; k < edges->degrees[i]; k++)
			counts[2 * edges->destinations[at++] + IN]++;
	}
	lay_out(me, &graph->given, graph->parent->size);
	graph->next = allocate(me, 2 * graph->parent->size);
	at = 0;
	for (int i = 0; i < edges->n; i++)
		for (int k = 0; k < edges->degrees[i]; k++, at++) {
			int weight = edges->weights == MPI_UNWEIGHTED ? 1 : edges->weights[at];

			put(graph, edges->sources[i], OUT, edges->destinations[at], weight);
			put(graph, edges->destinations[at], IN, edges->sources[i], weight);
		}
}

static int n_numbers_of(const struct bundle *bundle, int rank)
{
	return 2 * (bundle->counts[2 * rank + OUT] + bundle->counts[2 * rank + IN]);
}

static int exchange(struct mpi_rank *me, struct construction *graph, int tag)
{
	struct mpi_datatype *type = mpi_datatype_get(me, MPI_INT);
	struct mpi_comm *parent = graph->parent;
	int code = MPI_SUCCESS;

	graph->requests = calloc(2 * (size_t)parent->size, sizeof(struct mpi_request *));
	if (!graph->requests)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for the edges of a graph");
	for (int i = 0; i < parent->size; i++)
		if (n_numbers_of(&graph->got, i) > 0)
			graph->requests[graph->n_requests++] = mpi_recv_start(
			    me, graph->got.numbers + graph->got.starts[i],
			    n_numbers_of(&graph->got, i), type, i, tag, parent, CHANNEL_COLL);
	for (int i = 0; i < parent->size; i++)
		if (n_numbers_of(&graph->given, i) > 0)
			graph->requests[graph->n_requests++] =
			    mpi_send_start(me, graph->given.numbers + graph->given.starts[i],
					   n_numbers_of(&graph->given, i), type, i, tag, parent,
					   SEND_STANDARD, CHANNEL_COLL);
	mpi_requests_wait(me, graph->n_requests, graph->requests, false);
	for (int i = 0; i < graph->n_requests; i++) {
		if (code == MPI_SUCCESS)
			code = graph->requests[i]->status.MPI_ERROR;
		mpi_request_destroy(me, graph->requests[i]);
	}
	return code;
}

/* This rank's edges of one end, out of what all ranks named. */
static int collect(struct mpi_rank *me, const struct construction *graph, int end, int **ranks,
		   int **weights)
{
	const struct bundle *got = &graph->got;
	int size = graph->parent->size, n = 0;

	for (int i = 0; i < size; i++)
		n += got->counts[2 * i + end];
	*ranks = allocate(me, n);
	*weights = allocate(me, n);
	n = 0;
	for (int i = 0; i < size; i++) {
		const int *from =
		    got->numbers + got->starts[i] + (end == IN ? 2 * got->counts[2 * i + OUT] : 0);

		for (int k = 0; k < got->counts[2 * i + end]; k++, n++) {
			(*ranks)[n] = from[2 * k];
			(*weights)[n] = from[2 * k + 1];
		}
	}
	return n;
}

static struct mpi_topology *make_topology(struct mpi_rank *me, const struct construction *graph,
					  bool is_weighted)
{
	int *in, *out, *in_weights, *out_weights;
	int n_in = collect(me, graph, IN, &in, &in_weights);
	int n_out = collect(me, graph, OUT, &out, &out_weights);
	struct mpi_topology *topology = mpi_topology_create_dist_graph(
	    n_in, in, in_weights, n_out, out, out_weights, is_weighted);

	free(in);
	free(out);
	free(in_weights);
	free(out_weights);
	return topology;
}

/* MPI_SUCCESS and the topology (NULL when out of memory), or an error class. */
static int construct(struct mpi_rank *me, struct mpi_comm *parent, const struct edge_list *edges,
		     struct mpi_topology **topology)
{
	struct construction graph = {.parent = parent};
	int tag = (int)(parent->collective_count++ & 0x7fffffff), code;

	sort_edges(me, &graph, edges);
	graph.got.counts = allocate(me, 2 * parent->size);
	code = mpi_coll_alltoall(me, graph.given.counts, graph.got.counts, 2,
				 mpi_datatype_get(me, MPI_INT), parent);
	if (code == MPI_SUCCESS) {
		lay_out(me, &graph.got, parent->size);
		code = exchange(me, &graph, tag);
	}
	if (code == MPI_SUCCESS)
		*topology = make_topology(me, &graph, edges->weights != MPI_UNWEIGHTED);
	bundle_finish(&graph.given);
	bundle_finish(&graph.got);
	free(graph.next);
	free(graph.requests);
	return code;
}

static int check_list(struct mpi_rank *me, struct mpi_comm *comm, const struct edge_list *edges)
{
	int n_edges = 0;
	int code = mpi_dist_graph_check_edges(me, comm, "sources", edges->n, edges->sources,
					      MPI_UNWEIGHTED);

	if (code != MPI_SUCCESS)
		return code;
	if (edges->n > 0 && !edges->degrees)
		return mpi_raise(me, comm, MPI_ERR_ARG, "degrees is NULL");
	for (int i = 0; i < edges->n; i++) {
		if (edges->degrees[i] < 0)
			return mpi_raise(me, comm, MPI_ERR_ARG,
					 "degrees[%d] is %d, it must not be negative", i,
					 edges->degrees[i]);
		n_edges += edges->degrees[i];
	}
	return mpi_dist_graph_check_edges(me, comm, "destinations", n_edges, edges->destinations,
					  edges->weights);
}

int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
			  const int destinations[], const int weights[], MPI_Info info, int reorder,
			  MPI_Comm *comm_dist_graph)
{
	struct mpi_rank *me = MPI_ENTER();
	struct edge_list edges = {n, sources, degrees, destinations, weights};
	struct mpi_topology *topology = NULL;
	struct mpi_comm *parent;
	int code = mpi_dist_graph_check_call(me, comm_old, info, comm_dist_graph, &parent);

	if (code == MPI_SUCCESS)
		code = check_list(me, parent, &edges);
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	code = construct(me, parent, &edges, &topology);
	if (code != MPI_SUCCESS)
		return mpi_leave(me, mpi_comm_publish(me, parent, code, NULL, comm_dist_graph));
	return mpi_leave(me, mpi_dist_graph_publish(me, parent, topology, comm_dist_graph));
}
