/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_RUN_H
#define TRACES_RUN_H

#include <stdint.h>
#include <stdio.h>

#include "cluster/cluster.h"
#include "simcore/time.h"
#include "traces/jobs.h"
#include "traces/summary.h"
#include "util/error.h"

/* A finished run as it is reported: what was run, how it ended, what was observed. Everything is
 * borrowed. */
enum trace_outcome {
	TRACE_COMPLETED,   /* every rank ended with exit code 0 */
	TRACE_BAD_EXIT,	   /* every rank ended, some with another exit code */
	TRACE_FAILED,	   /* see `failure` */
	TRACE_INTERRUPTED, /* the user stopped it */
};

struct trace_blocked { /* a rank of a deadlock */
	int rank;
	const char *function,
	    *site;	      /* the call it is in, and where the program made it; may be NULL */
	const char *text;     /* what it waits for: "receive from rank 3, tag 7"; may be NULL */
	const int *waits_for; /* [n_waits_for] ranks */
	int n_waits_for;
	bool waits_for_any;    /* one of them would do */
	bool waits_for_anyone; /* any rank would do; waits_for is empty */
};

struct trace_failure {
	const char *kind;	     /* "deadlock", "abort", … (docs/json.md) */
	int rank;		     /* -1: none in particular */
	const char *function, *site; /* may be NULL */
	double time_s;
	const char *text;
	const struct trace_blocked *blocked; /* [n_blocked] of a deadlock, by rank */
	int n_blocked;
	const int *cycle; /* [n_cycle] ranks, each waits for the next, the last for the first */
	int n_cycle;
};

/* Of several runs of the same with different seeds. */
struct trace_prediction {
	int n_runs;
	uint64_t first_seed;	/* the others follow it */
	uint64_t reported_seed; /* of the run that everything else describes */
	double coverage;	/* probability that a further run lies between low and high */
	double low_s, median_s, high_s;
	const double *times_s; /* [n_runs], by seed */
};

struct trace_collective {
	const char *operation, *algorithm; /* "allreduce", "ring" */
	uint64_t n;			   /* operations that it did */
};

struct trace_finding_call {
	int rank;
	const char *function, *site; /* may be NULL */
};

#define TRACE_FINDING_MAX_CALLS 8

struct trace_finding { /* of --verify (mpi/verify/verify.h, which says more) */
	const char *class_name, *severity;
	struct trace_finding_call calls[TRACE_FINDING_MAX_CALLS]; /* [n_calls] */
	int n_calls;
	double time_s;
	bool is_timeless;			      /* of other runs: time_s says nothing */
	bool is_failure;			      /* the failure of the run says the same */
	const char *found, *wanted, *why, *decisions; /* the last three may be NULL */
	uint64_t count;
};

struct json_t;
struct net_devices;
struct trace_run {
	const char *cluster_file;
	int cpus_per_rank; /* --cpus-per-rank; 0: was not given */
	const char *placement, *compute_mode;
	const char *const *overrides; /* [n_overrides] of --set */
	int n_overrides;
	const char *const *scales; /* [n_scales] of --scale */
	int n_scales;
	double vary_compute, vary_transfer;
	bool vary_kernels, vary_cluster;
	const struct trace_prediction *interval; /* NULL: there was one run */
	const char *blas_model;			 /* file; NULL: none */
	int first_n;
	bool no_alloc;
	char *const *command; /* argv of the program, NULL at its end; of a schedule: its file */
	const struct trace_job *jobs;	 /* [n_jobs] of a schedule */
	int n_jobs;			 /* 0: no schedule */
	const struct trace_job *spawned; /* [n_spawned] programs; `due` is `begin`, no node_s */
	int n_spawned;
	/* Connections between processes that did not start together: all, the most of one process, and
	 * their memory; 0: none. */
	uint64_t n_connections, connection_memory_B;
	int most_connections;
	uint64_t seed;
	enum trace_outcome outcome;
	int exit_status;		     /* of mpisim-run */
	const int *exit_codes;		     /* [n_ranks] of the ranks that have ended */
	const struct trace_failure *failure; /* NULL: none */
	const char *early_end; /* why it ended early, in lines, for the report; NULL: it did not */
	const struct trace_finding *findings; /* [n_findings]; NULL: nothing was verified */
	int n_findings;
	const struct json_t
	    *orders; /* what each view has seen, for --json; NULL: none was explored */
	const struct trace_summary *summary;
	const struct net_devices *devices; /* netmodel/device.h; NULL: no accelerator was used */
	const struct trace_fabric *fabric;     /* traces/fabric.h; NULL: a star */
	const char *compared_file;	       /* --json of another run beside this one; NULL: none */
	const struct json_t *compared_run;     /* … what it says */
	const struct trace_real *real;	       /* traces/real/real.h; NULL: none is beside it */
	struct trace_explanation *explanation; /* traces/analysis/explain.h; NULL: not asked for */
	const struct trace_reasons *reasons;   /* traces/reasons.h; NULL: not asked for */
	uint64_t n_messages, n_bytes; /* point-to-point messages of the program, received or not;
					 collectives' own are in `summary` */
	const struct trace_collective *collectives; /* [n_collectives] algorithms used */
	int n_collectives;
	const char *const *warnings; /* [n_warnings] */
	int n_warnings;
	int n_early_warnings,
	    n_top_warnings; /* of the first ones: said by `early_end` already; these and those that
						 stand above the prediction */
	/* what the simulation itself took */
	double cpu_s, wall_s;
	double jumped_s; /* of the predicted time: repetitions that were not simulated */
	int64_t peak_memory_B;
};

/* Writes the run as JSON (docs/json.md). Equal runs give equal bytes but for `simulation`. Errors:
 * UTIL_ENOMEM, UTIL_ESYSTEM. */
int trace_json_write(const struct trace_run *run, FILE *file, struct util_error *err);
/* Writes the summary for people, at most 100 columns wide but for long names. Write errors are left
 * in `file`. */
void trace_text_write(const struct trace_run *run, FILE *file);

#endif
