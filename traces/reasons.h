/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_REASONS_H
#define TRACES_REASONS_H

#include <jansson.h>
#include <stdio.h>

#include "traces/analysis/explain.h"

/* What holds a run back, most first: who is to blame, and the predicted time without it
 * (docs/efficiency.md, "Who is to blame"). */
enum trace_reason_kind {
	TRACE_REASON_SLOW_RANKS,
	TRACE_REASON_SLOW_NODE,
	TRACE_REASON_SERIAL,
	TRACE_REASON_IMBALANCE,
	TRACE_REASON_CONTENTION,
	TRACE_REASON_MEMORY,
	TRACE_REASON_PLACEMENT,
	TRACE_REASON_LOCKS,
	TRACE_REASON_MESSAGES,
	TRACE_REASON_BANDWIDTH,
	TRACE_N_REASONS,
};

struct trace_reason {
	enum trace_reason_kind kind;
	char text[256];	 /* "rank 10 computes 3.0 times as long as the others" */
	char where[256]; /* "heat.c:20-31 (main)"; "": nowhere in particular */
	char callers
	    [512]; /* "solve.c:12 (solve), main.c:30 (main)": who called the function; "": unknown */
	char after[256], before[256]; /* the calls around a computation, with their lines */
	char remedy[128];	      /* what the predicted time supposes */
	char option[64];	      /* of mpisim-run, that shows the same; "": none */
	int *ranks;		      /* [n_ranks] to blame */
	int n_ranks;
	double time_s;	  /* that they took there, over all of them */
	double waiting_s; /* of all ranks, that it caused; 0: not known */
	double predicted_s, gain_s;
};

/* The time at other bandwidths of the network, between nodes and within one. */
enum { TRACE_N_BANDWIDTHS = 8 };

struct trace_bandwidth {
	struct trace_bandwidth_point {
		double bandwidth_Bps, predicted_s;
	} points[TRACE_N_BANDWIDTHS]; /* least bandwidth first */
	double own_Bps;		      /* the cluster's */
	double knee_Bps; /* more of it saves less than 5 %; 0: less than all points */
};

struct trace_reasons {
	struct trace_reason *list; /* [n], largest gain first */
	int n;
	bool has_tree;
	struct trace_tree tree;
	struct trace_bandwidth *bandwidth; /* NULL: not tried */
	char why_not[256];		   /* why nothing is known; "": all is */
};

void trace_reasons_finish(struct trace_reasons *reasons);
const char *trace_reason_name(enum trace_reason_kind kind); /* "slow_ranks": in JSON */
/* NULL: out of memory. */
json_t *trace_bandwidth_json(const struct trace_bandwidth *curve);
json_t *trace_reasons_json(const struct trace_reasons *reasons);
/* At most `most` of them, two lines each; has_callers: and one that says who called the function. */
void trace_reasons_text(const struct trace_reasons *reasons, int most, bool has_callers,
			FILE *file);

#endif
