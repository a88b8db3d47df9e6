/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_OPTIONS_H
#define TOOLS_SWEEP_OPTIONS_H

#include <stdbool.h>

#include "tools/sweep/spec.h"
#include "util/error.h"

/* mpisim-sweep run. Strings are borrowed from argv. */
struct sweep_run_options {
	const char *spec, *db; /* db NULL: the spec's name with .db */
	int n_jobs;	       /* 0: all cores */
	int engine;	       /* of enum sweep_engine; -1: what the file says */
	const char *sbatch;    /* more options of sbatch, cut at blanks; NULL: none */
	int n_tasks;	       /* most tasks of a job array */
	int n_measurements;    /* 0: what the file says */
	bool is_dry, retries_failed, is_quiet, help;
};

/* Each reads the words behind the name of its subcommand. Errors (UTIL_EINPUT): a sentence. */
int sweep_run_options_parse(int argc, char **argv, struct sweep_run_options *out,
			    struct util_error *err);

/* The subcommands: exit statuses. argv[0] is the subcommand's name. `own_path`: the executable;
 * `lib_from_bin`: the installed library's folder seen from that of the tools. */
int sweep_main_run(int argc, char **argv, const char *own_path, const char *lib_from_bin);
int sweep_main_task(int argc, char **argv);
int sweep_main_status(int argc, char **argv);
int sweep_main_export(int argc, char **argv);
int sweep_main_plot(int argc, char **argv);

/* Prints "mpisim-sweep: …" to standard error; returns the exit status 2. */
int sweep_refuse(const struct util_error *err);

#define SWEEP_EXIT_FAILED 1
#define SWEEP_EXIT_USAGE 2
#define SWEEP_EXIT_INTERRUPTED 130

#endif
