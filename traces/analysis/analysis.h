/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_ANALYSIS_ANALYSIS_H
#define TRACES_ANALYSIS_ANALYSIS_H

#include "cluster/cluster.h"
#include "simcore/observer.h"
#include "traces/analysis/links.h"
#include "traces/analysis/loads.h"
#include "traces/analysis/path.h"
#include "traces/analysis/sites.h"
#include "traces/names.h"
#include "traces/summary.h"
#include "util/error.h"

/*
 * Why a run takes as long as it does (docs/efficiency.md): what its critical path consists of, how
 * long it would take on an ideal network, who waited for whom, how busy the links were. Observed
 * while the run goes on, in memory that does not grow with its length: O((ranks + messages under
 * way) · call sites). It stands in front of a summary, to which it passes every record.
 *
 *     trace_analysis_create → observer of the run → trace_analysis_close → trace_explain
 * (explain.h)
 */

/* What a stretch of the critical path was spent on. */
enum trace_blame {
	TRACE_BLAME_COMPUTE,	   /* of a kernel, as on an otherwise idle core */
	TRACE_BLAME_STOLEN,	   /* … longer because communication took the CPU */
	TRACE_BLAME_SHARED,	   /* … longer because other ranks computed on the node */
	TRACE_BLAME_LATENCY,	   /* of a message sent at a call site */
	TRACE_BLAME_BANDWIDTH,	   /* its bytes, alone on its links */
	TRACE_BLAME_CONTENTION,	   /* … longer because other transfers shared them */
	TRACE_BLAME_SEND_OVERHEAD, /* CPU overhead o at a call site */
	TRACE_BLAME_RECV_OVERHEAD,
	TRACE_BLAME_POLLING, /* from a message's arrival to the test that found it */
	TRACE_BLAME_FILE,    /* waiting for accesses to files */
	TRACE_BLAME_OTHER,   /* sleeping */
	TRACE_BLAME_START,   /* before a job began; starting processes that are spawned */
	TRACE_N_BLAMES,
};

/* Counted along the critical path. */
enum trace_path_count {
	TRACE_COUNT_TRANSFERS, /* between nodes */
	TRACE_COUNT_BYTES,
	TRACE_COUNT_LATENCY_STRETCH, /* ps of contention that grow with the latency: all where
					latency is shared work, as its part of the work */
	TRACE_COUNT_INTRA_TRANSFERS, /* within a node */
	TRACE_COUNT_INTRA_BYTES,
	TRACE_COUNT_SEND_OVERHEADS,
	TRACE_COUNT_SEND_OVERHEAD_B,
	TRACE_COUNT_RECV_OVERHEADS,
	TRACE_COUNT_RECV_OVERHEAD_B,
	TRACE_N_COUNTS,
};

enum trace_wait {
	TRACE_WAIT_LATE_SENDER,	  /* a receive, or a wait for one, before the send was called */
	TRACE_WAIT_LATE_RECEIVER, /* a send, or a wait for one, before the receive was posted */
	TRACE_WAIT_BARRIER,	  /* in MPI_Barrier before the last rank came */
	TRACE_WAIT_COLLECTIVE,	  /* in another collective before those came whose data it needs */
	TRACE_N_WAITS,
};

struct trace_wait_total {
	sim_time_ps time[TRACE_N_WAITS];
	uint64_t n[TRACE_N_WAITS]; /* occurrences with a time above 0 */
	/* of these, in calls that were not over when the run ended early: their time so far */
	sim_time_ps open_time[TRACE_N_WAITS];
	uint64_t n_open[TRACE_N_WAITS];
};

struct trace_call_total { /* of calls that ended */
	sim_time_ps time;
	uint64_t n;
};

struct trace_delays;

struct trace_analysis_rank {
	struct trace_path path;
	struct trace_path cause; /* of what it may be waiting for, as of the last news */
	bool has_cause;
	enum trace_wait cause_wait; /* … and who is late if it waits */
	int cause_by;		    /* … this rank */
	sim_time_ps cause_ready;    /* … until when */
	sim_time_ps seen;	    /* end of the last activity */
	sim_time_ps idle;	    /* if later: blocked up to then, for a reason not yet known */
	sim_time_ps looks_since; /* since then it has waited for reasons not yet known, but for looks */
	int idle_site;
	enum trace_blame idle_blame; /* polling, unless an access to a file ended then */
	sim_time_ps accessed;	     /* when the last one ended */
	sim_time_ps spawned;	     /* when processes began that it spawned */
	int job;		     /* of a schedule; else 0 */
	bool in_collective;
	int64_t ideal;		/* its clock on an ideal network, ps */
	sim_time_ps ideal_seen; /* up to where the advance of that clock is in the curve */
	struct trace_wait_total waits;
};

/* One occurrence of a phase: useful computation of the whole run up to its begin and its end, by
 * rank. */
struct trace_region {
	int job;			/* of the rank that began it first */
	int64_t ideal_begin, ideal_end; /* first and last on the clocks of the ideal network */
	double *useful_s[2];		/* [n_known[…]], begin and end; NULL: not kept */
	int n_known[2];
	bool has_ended; /* on all ranks that took part */
};

/* Memory for useful computation by phase and rank; phases beyond it have no efficiency tree. */
#define TRACE_MAX_REGION_B (64 << 20)
/* … by window of time and rank; windows become fewer. */
#define TRACE_MAX_WINDOW_B (64 << 20)

struct trace_analysis {
	struct sim_causes causes;
	const struct cluster *cluster;	     /* borrowed */
	struct net_topology *topology;	     /* NULL: links between switches add no latency */
	struct net_model *model;	     /* borrowed; NULL: a star, or nobody has told */
	struct trace_loads loads;	     /* of links between switches */
	const struct trace_summary *summary; /* borrowed */
	int n_ranks, max_ranks;		     /* now, and at most */
	double *useful_s;		     /* [n_ranks]: of the steps that ended */
	struct trace_analysis_rank *ranks;
	struct trace_paths paths;
	struct util_pool tokens;
	struct trace_sites sites;
	struct trace_names kernels;
	struct trace_wait_total *waits; /* [n_waits] by site */
	int n_waits;
	struct trace_call_total *calls; /* [n_calls] by site */
	int n_calls;
	struct trace_collectives *collectives;
	struct trace_links links;
	struct trace_curve *advance; /* [n_jobs] of the ideal clocks of the job's ranks, over
					simulated time, ps summed over them */
	int n_jobs;		     /* at least 1 */
	struct trace_curves useful_over_time; /* s, by rank */
	struct trace_region *regions;	      /* [n_regions] as summary->phases */
	int n_regions, regions_capacity;
	size_t regions_B;
	struct trace_delays *delays; /* borrowed; NULL: nobody asks who made others wait */
	int last_rank;		     /* whose end is the run's */
	bool out_of_memory;
};

/* `summary` observes the same run, and is told before. `n_jobs`: of a schedule; else 1. `locate`
 * may be NULL; it is called while the run goes on. Errors: UTIL_ENOMEM. */
int trace_analysis_create(const struct trace_summary *summary, int n_jobs, trace_locate_fn locate,
			  void *locate_context, struct trace_analysis **out,
			  struct util_error *err);
/* The run's model: links between switches, what loads them and what they cost. */
void trace_analysis_set_model(struct trace_analysis *analysis, struct net_model *model);
/* A job of a schedule begins, after trace_summary_place: so do its clocks. */
void trace_analysis_begin_job(struct trace_analysis *analysis, int job, int first_rank, int n_ranks,
			      sim_time_ps now);
void trace_analysis_destroy(struct trace_analysis *analysis); /* NULL is fine */
struct sim_observer trace_analysis_observer(struct trace_analysis *analysis);
/* At the early end of a run: the rank is in a call, and has waited for somebody since `begin`
 * (TRACE_N_WAITS: for nobody that is known; collectives are known without it). Before
 * trace_analysis_close, and before the call is recorded. */
void trace_analysis_open_call(struct trace_analysis *analysis, const struct sim_cause_place *place,
			      enum trace_wait wait, sim_time_ps begin, sim_time_ps now);
/* Ends the observation, after trace_summary_close: the critical path is that of the rank that was
 * last, up to the end of the run. */
void trace_analysis_close(struct trace_analysis *analysis);

#endif
