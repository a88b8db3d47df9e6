/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Dist_graph_create: any rank may name any edge. The ranks learn how many edges of theirs
 * others named by a reduce-scatter of two numbers for each, as MPICH and Open MPI do, and then get
 * them from those that named some. Neighbours are in the order of the ranks that named them, and
 * then in theirs. The messages carry no data: as all ranks live in one process, the edges lie in
 * one table.
 */
#include <stdlib.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/coll/coll.h"
#include "mpi/comm/context.h"
#include "mpi/create/create.h"
#include "mpi/p2p/p2p.h"
#include "mpi/topo/dist_graph.h"

/* The edges that one rank names. */
struct edge_list {
	int n;
	const int *sources, *degrees, *destinations, *weights;
};

enum { OUT, IN }; /* the two ends of an edge */

/* One end of an edge, for the rank that it is at. */
struct edge_end {
	struct edge_end *next; /* of the same rank, named before */
	int at, other, weight, end;
	int named_by, place; /* place: among those that the rank named */
};

/* What one rank named: [n] sorted by `at`. */
struct naming {
	struct naming *next;
	int n;
	struct edge_end ends[];
};

/* What all named so far. */
struct edge_table {
	struct naming *first;
	struct edge_end *of_rank[]; /* [size] the last one for each */
};

struct construction {
	struct mpi_comm *parent;
	const struct naming *given;
	struct edge_end **got; /* [n_got] sorted by who named them, in order */
	int n_got;
	struct mpi_request **requests;
	int n_requests;
};

_Noreturn static void fail_memory(struct mpi_rank *me)
{
	pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for the edges of a graph");
}

/* mpi_birth.free_shared */
static void free_table(void *shared)
{
	struct edge_table *table = shared;

	while (table->first) {
		struct naming *next = table->first->next;

		free(table->first);
		table->first = next;
	}
	free(table);
}

static struct mpi_birth *join_table(struct mpi_rank *me, const struct mpi_comm *parent,
				    uint32_t sequence)
{
	struct mpi_birth *birth =
	    mpi_birth_join(me->world, parent->context, sequence, MPI_BIRTH_BOARD);
	struct edge_table *table;

	if (!birth)
		fail_memory(me);
	if (birth->shared)
		return birth;
	table = calloc(1, sizeof *table + (size_t)parent->size * sizeof(struct edge_end *));
	if (!table)
		fail_memory(me);
	birth->shared = table;
	birth->free_shared = free_table;
	birth->meeting.n_left = parent->size;
	return birth;
}

static int compare_given(const void *a, const void *b)
{
	const struct edge_end *left = a, *right = b;

	if (left->at != right->at)
		return (left->at > right->at) - (left->at < right->at);
	return (left->place > right->place) - (left->place < right->place);
}

/* Enters what this rank names in the table. */
static const struct naming *name_edges(struct mpi_rank *me, const struct mpi_comm *parent,
				       const struct edge_list *edges, struct edge_table *table)
{
	int n_edges = 0, n = 0;
	struct naming *naming;

	for (int i = 0; i < edges->n; i++)
		n_edges += edges->degrees[i];
	naming = malloc(sizeof *naming + 2 * (size_t)n_edges * sizeof naming->ends[0]);
	if (!naming)
		fail_memory(me);
	for (int i = 0, edge = 0; i < edges->n; i++)
		for (int k = 0; k < edges->degrees[i]; k++, edge++) {
			int from = edges->sources[i], to = edges->destinations[edge];
			int weight = edges->weights == MPI_UNWEIGHTED ? 1 : edges->weights[edge];

			naming->ends[n++] =
			    (struct edge_end){NULL, from, to, weight, OUT, parent->rank, edge};
			naming->ends[n++] =
			    (struct edge_end){NULL, to, from, weight, IN, parent->rank, edge};
		}
	naming->n = n;
	qsort(naming->ends, (size_t)n, sizeof naming->ends[0], compare_given);
	for (int i = 0; i < n; i++) {
		struct edge_end *end = &naming->ends[i];

		end->next = table->of_rank[end->at];
		table->of_rank[end->at] = end;
	}
	naming->next = table->first;
	table->first = naming;
	return naming;
}

static int compare_got(const void *a, const void *b)
{
	const struct edge_end *left = *(struct edge_end *const *)a;
	const struct edge_end *right = *(struct edge_end *const *)b;

	if (left->named_by != right->named_by)
		return (left->named_by > right->named_by) - (left->named_by < right->named_by);
	return (left->place > right->place) - (left->place < right->place);
}

/* All have named theirs: those of this rank. */
static void collect(struct mpi_rank *me, struct construction *graph, const struct edge_table *table)
{
	struct edge_end *first = table->of_rank[graph->parent->rank];
	int n = 0;

	for (const struct edge_end *end = first; end; end = end->next)
		n++;
	graph->got = malloc(((size_t)n + 1) * sizeof(struct edge_end *));
	if (!graph->got)
		fail_memory(me);
	for (struct edge_end *end = first; end; end = end->next)
		graph->got[graph->n_got++] = end;
	qsort(graph->got, (size_t)n, sizeof(struct edge_end *), compare_got);
}

/* How many from `from` on are between this rank and the same other one. */
static int count_given(const struct naming *given, int from)
{
	int n = 1;

	while (from + n < given->n && given->ends[from + n].at == given->ends[from].at)
		n++;
	return n;
}

static int count_got(const struct construction *graph, int from)
{
	int n = 1;

	while (from + n < graph->n_got &&
	       graph->got[from + n]->named_by == graph->got[from]->named_by)
		n++;
	return n;
}

/* The other end and the weight of each edge, from every rank that named some. */
static int exchange(struct mpi_rank *me, struct construction *graph, int tag)
{
	struct mpi_datatype *type = mpi_datatype_get(me, MPI_INT);
	void *nowhere = pd_memory_absent();
	int code = MPI_SUCCESS, n;

	graph->requests = calloc((size_t)graph->n_got + (size_t)graph->given->n + 1,
				 sizeof(struct mpi_request *));
	if (!graph->requests)
		fail_memory(me);
	for (int i = 0; i < graph->n_got; i += n) {
		n = count_got(graph, i);
		graph->requests[graph->n_requests++] =
		    mpi_recv_start(me, nowhere, 2 * n, type, graph->got[i]->named_by, tag,
				   graph->parent, CHANNEL_COLL);
	}
	for (int i = 0; i < graph->given->n; i += n) {
		n = count_given(graph->given, i);
		graph->requests[graph->n_requests++] =
		    mpi_send_start(me, nowhere, 2 * n, type, graph->given->ends[i].at, tag,
				   graph->parent, SEND_STANDARD, CHANNEL_COLL);
	}
	mpi_requests_wait(me, graph->n_requests, graph->requests, false);
	for (int i = 0; i < graph->n_requests; i++) {
		if (code == MPI_SUCCESS)
			code = graph->requests[i]->status.MPI_ERROR;
		mpi_request_destroy(me, graph->requests[i]);
	}
	return code;
}

/* Ranks and, behind them, weights of this rank's edges of one end. */
static int *list_of(struct mpi_rank *me, const struct construction *graph, int end, int *out_n)
{
	int *list = malloc((2 * (size_t)graph->n_got + 1) * sizeof *list), n = 0;

	if (!list)
		fail_memory(me);
	for (int i = 0; i < graph->n_got; i++)
		if (graph->got[i]->end == end) {
			list[n] = graph->got[i]->other;
			list[graph->n_got + n++] = graph->got[i]->weight;
		}
	*out_n = n;
	return list;
}

static struct mpi_topology *make_topology(struct mpi_rank *me, const struct construction *graph,
					  bool is_weighted)
{
	int n_in, n_out, *in = list_of(me, graph, IN, &n_in),
			 *out = list_of(me, graph, OUT, &n_out);
	struct mpi_topology *topology = mpi_topology_create_dist_graph(
	    n_in, in, in + graph->n_got, n_out, out, out + graph->n_got, is_weighted);

	free(in);
	free(out);
	return topology;
}

/* MPI_SUCCESS and the topology (NULL when out of memory), or an error class. */
static int construct(struct mpi_rank *me, struct mpi_comm *parent, const struct edge_list *edges,
		     struct mpi_topology **topology)
{
	struct construction graph = {.parent = parent};
	uint32_t sequence = parent->collective_count++;
	struct mpi_birth *birth = join_table(me, parent, sequence);
	void *nowhere = pd_memory_absent();
	int code;

	graph.given = name_edges(me, parent, edges, birth->shared);
	code = mpi_coll_reduce_scatter_block(me, nowhere, nowhere, 2, mpi_datatype_get(me, MPI_INT),
					     mpi_op_get(me, MPI_SUM), parent);
	if (code == MPI_SUCCESS) {
		collect(me, &graph, birth->shared);
		code = exchange(me, &graph, (int)(sequence & 0x7fffffff));
	}
	if (code == MPI_SUCCESS)
		*topology = make_topology(me, &graph, edges->weights != MPI_UNWEIGHTED);
	free(graph.got);
	free(graph.requests);
	mpi_birth_leave(me->world, birth);
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

int mpi_dist_graph_create(struct mpi_rank *me, struct mpi_comm *parent, int n, const int sources[],
			  const int degrees[], const int destinations[], const int weights[],
			  struct mpi_info *info, int reorder, MPI_Comm *comm_dist_graph)
{
	struct edge_list edges = {n, sources, degrees, destinations, weights};
	struct mpi_topology *topology = NULL;
	int code = check_list(me, parent, &edges);

	if (code != MPI_SUCCESS)
		return code;
	code = construct(me, parent, &edges, &topology);
	if (code != MPI_SUCCESS)
		return mpi_comm_publish(me, parent, code, NULL, comm_dist_graph);
	return mpi_dist_graph_publish(me, parent, topology, comm_dist_graph);
}
