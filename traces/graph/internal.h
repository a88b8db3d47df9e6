/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_GRAPH_INTERNAL_H
#define TRACES_GRAPH_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>

#include "mpi/p2p/causes.h"
#include "traces/graph/graph.h"
#include "util/array.h"
#include "util/map.h"

/* What the files of this folder share. */
struct graph_call {
	int rank, site;			      /* site: of graph->sites */
	const struct mpi_call_info *function; /* NULL: made by a library, arguments unknown */
	sim_time_ps begin, end, waiting;
	int comm;	    /* of graph->comms; -1: none */
	int collective;	    /* the how manieth of its communicator, of this rank; -1: it is none */
	int outer;	    /* the call in whose error handler it is; -1: none */
	size_t first_value; /* in graph->values, one for each argument */
	bool has_ended;
};

struct graph_comm {
	int size;
	char *name;
};

struct graph_message { /* indices of calls */
	int send, receive, tag;
	int64_t size_B;
};

struct graph_edge { /* from the call that gave a request to the one that completed it */
	int from, to;
};

struct graph_rank {
	int open, ended;   /* the call under way, and the one whose record comes next; -1: none */
	bool is_skipped;   /* a call has ended whose record is not wanted */
	uintptr_t *listed; /* [n_listed] requests that the call under way was given */
	int n_listed;
};

struct trace_graph {
	struct graph_call *calls; /* [n_calls], in the order in which they began */
	int n_calls, max_calls;
	int64_t *values; /* numbers; of types, operations and text: a place in `texts` */
	size_t n_values;
	struct graph_message *messages;
	int n_messages;
	struct graph_edge *edges;
	int n_edges;
	struct graph_comm *comms;
	int n_comms;
	char **texts;
	int n_texts;
	struct graph_rank *ranks;
	int n_ranks;
	struct trace_sites sites;
	struct util_map comm_of, counts, call_of_message, call_of_recv, call_of_request;
	uint64_t n_left_out;
	bool is_out_of_memory;
	struct sim_causes causes;
	struct mpi_meets meets;
};

/* The calls of all collectives, those of one together. `order` is the caller's to free. */
struct graph_groups {
	int *order, n; /* [n] calls */
};
int graph_groups_find(const struct trace_graph *graph, struct graph_groups *out);
/* Where the group ends that begins at order[i]. */
int graph_groups_end(const struct trace_graph *graph, const struct graph_groups *groups, int i);

/* An argument, or NULL where it says nothing: the caller's to release. */
json_t *graph_value_json(const struct trace_graph *graph, const struct graph_call *call, int i);
/* Where the program made the call: "ring.c:12 (main)". Returns `text`. */
char *graph_place(const struct trace_graph_run *run, int site, char *text, size_t size);
/* The whole graph; NULL when out of memory. */
json_t *graph_json(const struct trace_graph_run *run);
int graph_dot_write(const struct trace_graph_run *run, FILE *file);

/* The page around the data; generated. */
extern const char graph_page_before[], graph_page_after[];

#endif
