/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_OPTIONS_H
#define TOOLS_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pdexec/rank.h"
#include "tools/orders/options.h"
#include "tools/run/programs.h"
#include "util/error.h"

/* The command line of mpisim-run. Strings are borrowed from argv. */
#define RUN_MAX_RANKS 10000000

struct run_options {
	const char *cluster; /* file */
	char *cluster_path; /* what `cluster` points to once found */
	int n_ranks; /* of all programs; 0 with a schedule */
	int cpus_per_rank;     /* cores that each rank holds, 0: not given */
	const char *placement; /* NULL: what the cluster file says */
	enum pd_compute_mode mode;
	const char *bench_in, *bench_out, *blas_model;
	const char *contention; /* kernel of --contention; NULL: what the cluster file says */
	int first_n;
	bool no_alloc;
	const char **scales; /* [n_scales] */
	int n_scales;
	const char **overrides; /* [n_overrides] of --set and of what stands for it, such as --coll */
	int n_overrides;
	char **made_overrides; /* [n_made] those of `overrides` that are not borrowed */
	int n_made;
	double vary_compute, vary_transfer; /* negative: what the cluster file says */
	bool vary_kernels, vary_cluster;
	bool deterministic; /* no variation by the cluster file */
	int n_repeats;	 /* 0: not said; 1: no repetition */
	double coverage; /* of --interval, a fraction; 0: not given */
	int64_t seed;
	int64_t stack_size_B;
	enum pd_isolation isolation;
	const char **private_libraries; /* [n_private_libraries] */
	int n_private_libraries;
	const char *json;   /* file, "-": standard output, NULL: none */
	const char *report; /* directory, NULL: none */
	const char *html;   /* file, NULL: none */
	const char *real;   /* trace of a real run beside html and json, NULL: none */
	const char *compare; /* JSON of another run, NULL: none */
	const char *what_if; /* file whose table goes into html, NULL: none */
	const char *trace_out; /* file, NULL: none */
	int debug_fd; /* socket of mpisim-debug; 0: none */
	const char *graph;     /* file, NULL: none */
	const char *ideal;     /* file, NULL: none */
	bool explain;
	const char *time_only; /* file for nothing but the predicted time, NULL: none */
	const char *record; /* trace file, NULL: none */
	bool record_memory; /* with the memory that is used */
	bool record_touches; /* and the pages that computation accesses */
	bool record_at_fd;  /* the trace goes to RUN_REPEAT_TRACE_FD: a run of another mpisim-run */
	bool record_sites;  /* then: with source lines */
	bool tag_output, quiet, verbose, help, version;
	bool coll_help, coll_rules; /* --coll help, --coll rules */
	bool list_clusters; /* --list-clusters */
	const char *schedule; /* file of jobs, NULL: none */
	bool ignore_leaks;	  /* no warnings about what the program did not free */
	unsigned verify;	       /* enum mpi_verify_part; 0: nothing is verified */
	bool verify_valgrind;	       /* memory is looked at by valgrind */
	bool verify_unread;	       /* what is received and not read is looked at */
	bool verify_impact;	       /* the run is repeated for findings about buffers in use */
	bool verify_strict;	       /* reading what is being sent is told */
	bool verify_warn;	       /* findings do not change the exit status */
	const char *verify_suppress; /* file of findings that are not wanted, NULL: none */
	struct orders_options orders; /* of --verify=orders */
	const char *decisions; /* file that says who is first, NULL: time does */
	const char *show_cluster; /* file for what --cluster describes, instead of a run; NULL: none */
	const char *check_binary; /* file to look at instead of a run, NULL: none */
	bool is_replay; /* the options are those of mpisim-replay */
	char **program; /* what follows the options, NULL at its end */
	struct run_programs programs; /* the same, taken apart; none with a schedule */
};

/*
 * Reads the command line; with --help or --version nothing else is checked. Errors (UTIL_EINPUT): a
 * sentence with what was found and what was wanted. Leaves the state of getopt as a program finds
 * it at its start.
 */
int run_options_parse(int argc, char **argv, struct run_options *out, struct util_error *err);
/* The same for mpisim-replay: out->program is the trace. Options that only a run of the program can obey are refused. */
int run_options_parse_replay(int argc, char **argv, struct run_options *out, struct util_error *err);
/* Whether the options go together. Within run_options_parse. */
int run_options_check(const struct run_options *options, struct util_error *err);
/* --time-only: drops what else would come out, or refuses it. Within run_options_parse. */
int run_options_keep_time_only(struct run_options *o, struct util_error *err);
/* Makes `cluster` the path of the file that was named (cluster/named.h). */
int run_options_find_cluster(struct run_options *options, struct util_error *err);
/* Prints the clusters that --cluster finds by name. Returns the exit status. */
int run_list_clusters(const char *tool);
/* Whether a result would replace another one, or a file that the run reads (tools/run/clash.c). Several
 * names of a file that is there are the same. Errors: UTIL_EINPUT. */
int run_clash_check(const struct run_options *options, struct util_error *err);
void run_options_finish(struct run_options *options);

/*
 * Options that are short for --set of keys of the cluster file (tools/run/options_coll.c): --coll LIST and
 * --coll-profile NAME. Errors: UTIL_EINPUT. `out->overrides` has room.
 */
int run_options_take_coll(const char *text, struct run_options *out, struct util_error *err);
int run_options_take_profile(const char *option, const char *name, struct run_options *out,
			     struct util_error *err);
/* The same for --contention KERNEL, once the files that may have it are known
 * (tools/run/options_contention.c). */
int run_options_take_contention(struct run_options *out, struct util_error *err);
/* How many overrides the command line can become. */
int run_options_count_overrides(int argc, char **argv);

/* "direct" and so on, as the option is spelled. */
const char *run_mode_name(enum pd_compute_mode mode);

void run_help(FILE *file);

#endif
