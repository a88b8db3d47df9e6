/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_RUN_H
#define TOOLS_RUN_RUN_H

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <sys/types.h>

#include "mpi/core/rank.h"
#include "tools/run/options.h"
#include "tools/run/strings.h"
#include "traces/analysis/explain.h"
#include "traces/export/export.h"
#include "traces/graph/graph.h"
#include "traces/jobs.h"
#include "traces/real/real.h"
#include "traces/report.h"
#include "traces/run.h"

/* mpisim-run: one run from its command line to its exit status. */
struct orders_execution;
struct run_launcher;
struct run_output;
struct mtrace_file;
struct replay_change;
struct run_schedule;
struct verify_aside;
struct verify_suppressions;

#define RUN_RESERVE_B ((size_t)4 << 20)

struct run {
	const char *tool; /* "mpisim-run" or "mpisim-replay": begins what it says */
	struct run_options options;
	FILE *console; /* standard error as it was at the start: what the tool itself says */
	void *
	    reserve; /* RUN_RESERVE_B, never touched: given back before the report, which even a run that
			  is out of memory can write then */
	struct cluster *cluster;
	int *node_of; /* [n_ranks] */
	int n_ranks;
	struct pd_program_config *programs; /* [n_programs] */
	char **paths;			    /* [n_programs] their files */
	int n_programs;
	struct run_schedule *schedule; /* NULL: one job, from the command line */
	char *schedule_command[3];     /* stands for the program's in results */
	struct run_launcher *launcher; /* NULL without a schedule */
	struct trace_summary *summary;
	struct trace_detail *detail;	 /* NULL without --report and --html */
	struct trace_real *real;	 /* NULL without --real */
	json_t *compared;		 /* the other run; NULL without --compare */
	struct trace_analysis *analysis; /* NULL without --explain */
	struct trace_ideal *ideal;	 /* NULL without --ideal */
	struct trace_graph *graph;	 /* NULL without --graph */
	struct run_debug *debug;	 /* NULL: it is not stopped by mpisim-debug */
	struct trace_export *exporter;	 /* NULL without --trace-out */
	struct pd_world *world;
	struct mpi_world *mpi;
	struct mpi_record *record; /* NULL: nothing is recorded */
	int trace_fd;		   /* of a trace in memory; 0: none */
	bool is_record_closed;
	struct util_error record_error; /* of closing it; code 0: none */
	struct mtrace_file *trace; /* its recording, borrowed; NULL: none that can be replayed */
	const struct mpi_record
	    *trace_record; /* … knows its places; NULL: they stand in it, or are unknown */
	const struct replay_change *change; /* of a replay; NULL: none */
	bool is_varied; /* the median of several seeds is reported: tools/run/variation.h */
	bool gave_vary_compute, gave_vary_transfer; /* by options, not by the cluster file */
	const struct run *told; /* the run of the program, if this one replays it: its warnings */
	struct run_output *output;	  /* NULL without --tag-output */
	char **argv;			  /* borrowed; options.program points into it */
	int start_dir_fd;		  /* the working directory at the start; -1: unknown */
	off_t input_begin;		  /* tools/run/input.h */
	double *repeat_times_s;		  /* [options.n_repeats] of --repeat; NULL without */
	struct trace_prediction interval; /* n_runs 0: none */
	struct verify_aside
	    *aside; /* tools/verify/aside.h; NULL: nothing is repeated for findings */
	struct verify_suppressions *suppressions; /* tools/verify/suppress.h; NULL: none */
	void *(*substitute)(const char *name); /* of struct pd_config; NULL: what the options say */
	bool is_ordered; /* choices decide what happens first, not time (tools/orders) */
	struct orders_execution *execution; /* then: what has been decided; NULL: nothing yet */
	json_t *orders;		/* what exploring them found; NULL: nothing was explored */
	json_t *order_findings; /* of it, told by then: borrowed by findings of `mpi` */
	/* When nothing goes on any more: lets something happen. NULL, or false: this is a deadlock. */
	bool (*at_rest)(struct run *run);
	struct run_strings notes; /* warnings beside those that the run gives */
	int signal;		  /* that interrupted the run; 0: none */
	int stuck_rank;		  /* from which control was taken then, -1: none; where it was */
	const void *stuck_site;
	double begin_s; /* host's clock */
	void *tls_area; /* see tools/run/entry.h */
	size_t tls_size_B;
};

struct replay;
struct run_twin { /* tools/run/variation.h */
	struct run run;
	struct replay *replay;
};

/* Ctrl-C and SIGTERM are noted instead of ending the process, from catch to release; the first one
 * only. */
void run_catch_signals(struct sigaction saved[3]);
void run_release_signals(const struct sigaction saved[3]);
/* The signal since the last catch; 0: none. */
int run_caught_signal(void);

/* Runs the world until it is over, deadlocked or interrupted (tools/run/loop.c). */
void run_loop(struct run *run);
/* Neither failed nor interrupted, and every rank returned 0. */
bool run_ended_well(const struct run *run);

/* Reports the run on the console and to --json and --report (tools/run/finish.c). Returns the exit
 * status. */
int run_finish(struct run *run);

/* What became of the jobs, and the analysis in numbers, with its call sites in words, which `texts`
 * owns: goes to `description`, where `out` stays borrowed. (tools/run/explain.c) */
void run_explain(struct run *run, struct run_strings *texts, struct trace_explanation *out,
		 struct trace_run *description);
/* Says where each rank that has not ended is: its MPI call or that it computes, the line of the
 * source, since when. Starts helper processes for source lines. (tools/run/interrupted.c) */
void run_interrupted_print(const struct run *run, FILE *file);
/* The programs that were spawned, in order; malloc'ed [*out_n], NULL without any or when out of
 * memory. Strings are the run's. (tools/run/spawned.c) */
struct trace_job *run_spawned_describe(const struct run *run, int *out_n);
/* What was set up between processes that did not start together. */
void run_connections_describe(const struct run *run, struct trace_run *out);
/* The table of --what-if, as mpisim-whatif --json writes it for one trace or program (version 1).
 * *out is the caller's. Errors: UTIL_EINPUT with the path, the place, what was wanted.
 * (tools/run/whatif.c) */
int run_whatif_load(const char *path, json_t **out, struct util_error *err);

/* Sentences of what a user should know of the run (tools/run/warnings.c), what matters most first:
 * ranks that ended with another exit code than 0 (returns how many), O(ranks) */
int run_warn_exit_codes(const struct run *run, struct run_strings *warnings);
/* what the prediction leaves out, */
void run_warn_missing(const struct run *run, struct run_strings *warnings);
/* and what stands below the result. O(ranks + leaked handles). */
void run_warn(const struct run *run, struct run_strings *warnings);

/* Makes what observes the run: summary (there already), --report, --explain. (tools/run/observers.c) */
int run_observers_create(struct run *run, struct sim_observers *out, struct util_error *err);
/* After the world that they observe. */
void run_observers_destroy(struct run *run);
void run_observe(struct sim_observers *observers, struct sim_observer observer);
/* Warns of what --real leaves out. (tools/run/waits.c) */
void run_real_warn(const struct run *run, struct run_strings *warnings);
/* Cluster, placement, programs, world: what has to be there before ranks start. (tools/run/main.c) */
int run_prepare(struct run *run, struct util_error *err);
/* Whether the files of results can be written. (tools/run/results.c) */
int run_results_check(const struct run_options *options, struct util_error *err);

/* The host's monotonic clock; the C library's own functions give simulated time to ranks. */
double run_host_time_s(void);

#endif
