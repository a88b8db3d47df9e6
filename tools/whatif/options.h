/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_WHATIF_OPTIONS_H
#define TOOLS_WHATIF_OPTIONS_H

#include <stdbool.h>

#include "util/error.h"

/* The command line of mpisim-whatif. Strings are borrowed from argv. */
struct whatif_options {
	char *cluster;		/* NULL: the trace's */
	const char **overrides; /* [n_overrides] of --set */
	const char **scales;	/* [n_scales] of --scale */
	const char **scenarios; /* [n_scenarios]; none: the usual ones */
	const char **pairs;	/* [n_pairs] */
	char **passed;		/* [n_passed] options for mpisim-run or mpisim-replay */
	int n_overrides, n_scales, n_scenarios, n_pairs, n_passed;
	const char **async;	  /* [n_async] modes of --async; none: scenarios are predicted */
	const char **async_costs; /* [n_async_costs] */
	int n_async, n_async_costs;
	const char *html;	 /* file for a page of --async; NULL: none */
	const char *async_trace; /* file for the trace as it would be; NULL: none */
	int n_jobs;
	const char *json; /* file, "-": standard output, NULL: none */
	bool has_ranks;	  /* -n: a program follows, not traces */
	bool rma_designs; /* scenarios: each of rma.design */
	bool no_derivatives, quiet, help, version;
	char **argv;	/* the command line */
	char **program; /* traces, or the program and its arguments; NULL at its end */
	int n_program;
};

/* Errors: UTIL_EINPUT, UTIL_ENOMEM. The options are to be finished in any case. */
int whatif_options_parse(int argc, char **argv, struct whatif_options *out, struct util_error *err);
void whatif_options_finish(struct whatif_options *options);

extern const char whatif_help[];

#endif
