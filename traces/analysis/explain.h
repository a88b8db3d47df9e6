/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_ANALYSIS_EXPLAIN_H
#define TRACES_ANALYSIS_EXPLAIN_H

#include <jansson.h>
#include <stdio.h>

#include "traces/analysis/analysis.h"
#include "traces/analysis/ideal.h"
#include "traces/analysis/units.h"
#include "traces/jobs.h"

/* A finished analysis in numbers, for text, JSON and pictures. Terms: docs/efficiency.md. */

/*
 * Efficiencies that multiply: parallel = load_balance · communication, communication =
 * serialization · transfer (Centre of Excellence POP, "Performance metrics"). 0 where a part takes
 * no time.
 */
struct trace_tree {
	double time_s, ideal_s;		    /* on the cluster; on an ideal network */
	double useful_mean_s, useful_max_s; /* useful computation of a processing unit */
	double parallel, load_balance, communication, serialization, transfer;
};

struct trace_blame_entry {
	enum trace_blame blame;
	int id; /* computation: in analysis->kernels; overheads, transfers, polling: in
		   analysis->sites; else 0 */
	sim_time_ps time;
};

/* Derivatives of the run's time as the critical path has them: it stays the same path for small
 * changes. */
struct trace_derivatives {
	double latency;		  /* s per s of network.latency */
	double inverse_bandwidth; /* s per s/B: bytes, those counted several times that shared links
				     several times */
	double intra_latency, intra_inverse_bandwidth; /* the same within nodes */
	double send_overhead, recv_overhead;	       /* s per s */
	double send_overhead_per_B, recv_overhead_per_B;
	double inexact_s; /* time on the path that follows the network in a way that the path does
			     not tell: contention, stolen CPU; 0: the derivatives are exact */
};

struct trace_explanation {		 /* of a run, or of one job of a schedule */
	struct trace_analysis *analysis; /* borrowed */
	const struct trace_job *job;	 /* borrowed; NULL: the run */
	int job_number;			 /* -1: the run */
	struct trace_explanation *jobs;	 /* [n_jobs] those that began; n_jobs 0: no schedule */
	int n_jobs;
	struct trace_units units; /* processing units */
	sim_time_ps begin, end;
	int last_rank; /* whose end is the run's or the job's */
	const struct trace_ideal
	    *ideal; /* borrowed; NULL: ideal times come from the run's second clocks */
	struct trace_tree tree;
	sim_time_ps path_length;
	sim_time_ps path[TRACE_N_BLAMES]; /* adds up to path_length */
	int64_t counts[TRACE_N_COUNTS];
	struct trace_blame_entry *blame; /* [n_blame], most first */
	int n_blame;
	struct trace_derivatives derivatives;
	struct trace_wait_total waits; /* over all ranks */
	const char *const
	    *site_jobs; /* the same of a schedule: the job that each is of; NULL: none */
	const char *const *site_texts; /* [analysis->sites.n] "lu.c:88 (main)", borrowed, may be
					  NULL, as may each */
};

/* `analysis` is closed; `ideal` may be NULL. `jobs`: [n_jobs] of a schedule, those of the analysis;
 * else none. Errors: UTIL_ENOMEM. */
int trace_explain(struct trace_analysis *analysis, const struct trace_ideal *ideal,
		  const struct trace_job jobs[], int n_jobs, struct trace_explanation *out,
		  struct util_error *err);
void trace_explanation_finish(struct trace_explanation *explanation);

/* Of the phase at `place` of summary->phases. False: it is not kept, or the ideal run has none
 * such. */
bool trace_phase_tree(struct trace_explanation *explanation, int place, struct trace_tree *out);

/*
 * Over time, in windows. Of a window of length T: load balance and useful computation are those of
 * what the units did in it; T_ideal is how far the ideal run came meanwhile: by the mean of the
 * second clocks of the ranks that are there, or with an ideal run by the bounds of the phases that
 * both runs have, between them as the clocks went; but no less than the most that a unit computed,
 * and no more than T. NaN: load_balance where nothing was computed, serialization where T_ideal is
 * 0.
 */
struct trace_tree_window {
	double begin_s, end_s;
	struct trace_tree tree;
};
enum { TRACE_MAX_TREE_WINDOWS = 128 };
/* At most `max_windows` of equal length (but for the last) that cover the run or the job; returns
 * how many. Errors: UTIL_ENOMEM. */
int trace_tree_curve(struct trace_explanation *explanation, int max_windows,
		     struct trace_tree_window out[], struct util_error *err);

const char *trace_blame_name(enum trace_blame blame); /* "latency": in JSON */
const char *trace_wait_name(enum trace_wait wait);    /* "late_sender" */

/* The "analysis" of docs/json.md; NULL: out of memory. */
json_t *trace_explanation_json(struct trace_explanation *explanation);
/* For people: the part "why" of the summary. */
void trace_explanation_text(struct trace_explanation *explanation, FILE *file);

#endif
