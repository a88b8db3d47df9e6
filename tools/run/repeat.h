/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_REPEAT_H
#define TOOLS_RUN_REPEAT_H

#include "traces/run.h"
#include "util/error.h"

/*
 * --repeat: the same run with further seeds, as processes of their own, and the interval of their
 * times. The k-th smallest and k-th largest of n times have a further one between them with
 * probability (n + 1 - 2k) / (n + 1), whatever the distribution.
 */
struct run;
struct run_options;

#define RUN_MAX_REPEATS 100000
/* Where --repeat has its further runs write their times. */
#define RUN_REPEAT_TIME "/dev/fd/3"
/* What a further run is told that records itself to a file that is open already. */
#define RUN_REPEAT_TRACE "/dev/fd/4"
#define RUN_REPEAT_TRACE_FD 4

/* "95" as 0.95. Errors: UTIL_EINPUT. */
int run_coverage_parse(const char *text, double *out, struct util_error *err);
/* Whether --repeat and --interval make sense beside the other options. Errors: UTIL_EINPUT. */
int run_repeat_check(const struct run_options *options, struct util_error *err);
/* The same once the cluster's variation is known: whether anything varies. */
int run_repeat_check_varies(const struct run_options *options, struct util_error *err);

/*
 * Fills out's n_runs .. high_s from `times_s` [n] by seed; borrows it. coverage: at least, as far
 * as n allows; 0: 0.95 or what n allows. Returns 0 or UTIL_ENOMEM.
 */
int run_interval_compute(const double times_s[], int n, double coverage,
			 struct trace_prediction *out);

/*
 * Runs what options.n_repeats says beyond this run, whose time is known, and puts the interval of
 * all into run->interval; the caller frees run->repeat_times_s. Runs without measured computation
 * go on all processors at once. What the further runs print goes nowhere. Errors: UTIL_EPROGRAM
 * names the seed of a run that failed; UTIL_ESYSTEM, UTIL_ENOMEM. An interrupt ends it: run->signal
 * is set, there is no interval.
 */
int run_repeat(struct run *run, struct util_error *err);

/* Runs the one with the k-th seed once more, of those that run_repeat ran. Returns the file, in memory,
 * that it was recorded to, for the caller to close; negative: *err says why, or run->signal is set. */
int run_repeat_record(struct run *run, int k, struct util_error *err);

#endif
