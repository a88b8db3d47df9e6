/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_OPTIONS_H
#define TOOLS_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pdexec/rank.h"
#include "util/error.h"

/* The command line of mpisim-run. Strings are borrowed from argv. */
struct run_options {
	const char *cluster; /* file */
	int n_ranks;
	const char *placement; /* NULL: what the cluster file says */
	enum pd_compute_mode mode;
	const char *bench_in, *bench_out, *blas_model;
	int first_n;
	bool no_alloc;
	const char **scales; /* [n_scales] */
	int n_scales;
	const char **overrides; /* [n_overrides] of --set */
	int n_overrides;
	double vary_compute, vary_transfer;
	bool vary_kernels;
	int64_t seed;
	int64_t stack_size_B;
	enum pd_isolation isolation;
	const char *json;   /* file, "-": standard output, NULL: none */
	const char *report; /* directory, NULL: none */
	bool tag_output, quiet, help, version;
	char **program; /* argv of the program, NULL at its end */
};

/*
 * Reads the command line; with --help or --version nothing else is checked. Errors (UTIL_EINPUT): a
 * sentence with what was found and what was wanted. Leaves the state of getopt as a program finds
 * it at its start.
 */
int run_options_parse(int argc, char **argv, struct run_options *out, struct util_error *err);
void run_options_finish(struct run_options *options);

/* "direct" and so on, as the option is spelled. */
const char *run_mode_name(enum pd_compute_mode mode);

void run_help(FILE *file);

#endif
