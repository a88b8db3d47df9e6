/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_DETAIL_H
#define TRACES_DETAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "simcore/observer.h"
#include "traces/analysis/sites.h"
#include "util/error.h"

/*
 * What the pictures of a report need beyond the summary: who did what when, and who sent how much
 * to whom. Memory is bounded. Intervals are kept one by one up to TRACE_MAX_INTERVALS; a raster of
 * ranks × time is always kept, whose columns widen as the run goes on and whose rows stand for
 * several ranks when there are more than TRACE_MAX_ROWS.
 */
#define TRACE_MAX_INTERVALS 1200000
#define TRACE_MAX_LINES 250000 /* messages kept one by one */
#define TRACE_MAX_ROWS 512
#define TRACE_RASTER_COLUMNS 1000

enum trace_activity { TRACE_COMPUTING, TRACE_COMMUNICATING, TRACE_WAITING, TRACE_N_ACTIVITIES };

struct trace_interval {
	int rank;
	enum trace_activity activity;
	int site;	  /* in `sites`: the call, or the kernel with no address */
	const char *name; /* kernel (NULL: not annotated) or MPI function */
	sim_time_ps begin, end;
};

struct trace_cell { /* of the raster: picoseconds that the row's ranks spent */
	float time[TRACE_N_ACTIVITIES];
};

struct trace_line { /* one message, as a line of the timeline */
	int source, dest;
	int64_t size_B;
	sim_time_ps sent, started, received; /* as in sim_record_message */
};

struct trace_flow { /* from the ranks of one row to those of another */
	uint64_t n_messages, size_B;
};

struct trace_real;

struct trace_detail {
	struct trace_real *real;	    /* that calls are shown to, borrowed; NULL: none */
	struct trace_sites sites;	    /* `locate` is the owner's concern */
	int n_ranks, n_rows, ranks_per_row; /* grow when ranks are spawned */
	struct trace_interval *intervals;   /* [n_intervals], by end time of each rank */
	int n_intervals;
	bool is_complete;	     /* every interval is kept */
	struct trace_line *messages; /* [n_messages], the first ones */
	int n_messages;
	bool has_all_messages;
	sim_time_ps column_width;
	struct trace_cell *raster; /* [row * TRACE_RASTER_COLUMNS + column] */
	struct trace_flow *flows;  /* [source row * n_rows + dest row] */
};

/* Errors: UTIL_ENOMEM. */
int trace_detail_create(int n_ranks, struct trace_detail **out, struct util_error *err);
void trace_detail_destroy(struct trace_detail *detail); /* NULL is fine */
struct sim_observer trace_detail_observer(struct trace_detail *detail);

#endif
