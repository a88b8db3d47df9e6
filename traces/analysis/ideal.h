/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_ANALYSIS_IDEAL_H
#define TRACES_ANALYSIS_IDEAL_H

#include <stdbool.h>

#include "util/error.h"

/*
 * The same program's run on an ideal network, as its JSON output (docs/json.md) has it: its time,
 * and when each of its phases began and ended. With it efficiencies are exact where the second
 * clock of one run is not (docs/efficiency.md).
 */
struct trace_ideal;

/*
 * `command`: of this run, NULL at its end; the other one must have the same words, but for the
 * program's folder. Errors: UTIL_ESYSTEM; UTIL_EINPUT for what is no JSON of a completed run of
 * that command with `n_ranks` ranks.
 */
int trace_ideal_load(const char *path, int n_ranks, char *const command[], struct trace_ideal **out,
		     struct util_error *err);
void trace_ideal_destroy(struct trace_ideal *ideal); /* NULL is fine */
double trace_ideal_time(const struct trace_ideal *ideal);

struct trace_ideal_span {
	double begin_s, end_s, span_s; /* first begin, last end, and how far they are apart */
};
/* The `index`-th phase of that name. False: there is none. O(1). */
bool trace_ideal_phase(const struct trace_ideal *ideal, const char *name, int index,
		       struct trace_ideal_span *out);
/* The same of a job of a schedule. O(1). */
bool trace_ideal_job(const struct trace_ideal *ideal, const char *name,
		     struct trace_ideal_span *out);

#endif
