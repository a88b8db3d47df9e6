/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_GRAPH_GRAPH_H
#define TRACES_GRAPH_GRAPH_H

#include <stdio.h>

#include "mpi/watch/watch.h"
#include "simcore/observer.h"
#include "traces/analysis/sites.h"
#include "util/error.h"

/*
 * The message-passing graph of a run (docs/json.md): a vertex for each MPI call that is not local,
 * edges for program order, messages and requests, the calls of one collective together.
 */
struct trace_graph;
struct mpi_meets;

/* The first so many calls are kept; the others are counted. */
enum { TRACE_GRAPH_MAX_CALLS = 100000 };

enum trace_graph_format { TRACE_GRAPH_HTML, TRACE_GRAPH_DOT, TRACE_GRAPH_JSON };

/* By the ending of `path`: .html, .dot or .json. Errors: UTIL_EINPUT for another one. */
int trace_graph_format_of(const char *path, enum trace_graph_format *out, struct util_error *err);

/* `locate`: as of trace_sites_init. Errors: UTIL_ENOMEM. */
int trace_graph_create(int max_calls, trace_locate_fn locate, void *context,
		       struct trace_graph **out, struct util_error *err);
void trace_graph_destroy(struct trace_graph *graph); /* NULL is fine */
/* What the graph needs to be told: by the run's observers, the world's watchers, and world->meets. */
struct sim_observer trace_graph_observer(struct trace_graph *graph);
struct mpi_watcher trace_graph_watcher(struct trace_graph *graph);
const struct mpi_meets *trace_graph_meets(const struct trace_graph *graph);
/* Calls beyond the bound, which are not in it. */
uint64_t trace_graph_n_left_out(const struct trace_graph *graph);

struct trace_graph_run { /* what the graph is of; borrowed */
	const struct trace_graph *graph;
	enum trace_graph_format format;
	const struct pd_world *world; /* says where calls are */
	char *const *command;	      /* ends with NULL */
};

/* Errors: UTIL_ENOMEM, UTIL_ESYSTEM. O(calls + messages). */
int trace_graph_write(const struct trace_graph_run *run, FILE *file, struct util_error *err);

#endif
