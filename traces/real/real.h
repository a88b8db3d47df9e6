/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_REAL_REAL_H
#define TRACES_REAL_REAL_H

#include <jansson.h>

#include "traces/detail.h"
#include "traces/summary.h"
#include "util/error.h"

/*
 * A real run, from a trace of libmpisim-trace (docs/trace-real.md), beside its prediction: its
 * summary and timeline, and its calls one by one against the predicted ones. Memory is that of a
 * summary, a detail and a block of the trace for each rank.
 */
struct trace_real;

/* Reads the trace, O(its records). `cluster` is borrowed. Errors: UTIL_EINPUT for what is no trace
 * of a real run of `n_ranks` ranks; UTIL_ESYSTEM, UTIL_ENOMEM. */
int trace_real_open(const char *path, int n_ranks, const struct cluster *cluster,
		    struct trace_real **out, struct util_error *err);
void trace_real_close(struct trace_real *real); /* NULL is fine */
const struct trace_detail *trace_real_detail(const struct trace_real *real);
/* From when the last rank has left MPI_Init, where times begin, to when the last one enters
 * MPI_Finalize. */
sim_time_ps trace_real_end(const struct trace_real *real);
/* A predicted call: the rank's next one in the trace is compared with it. */
void trace_real_see_call(struct trace_real *real, const struct sim_record_call *record);
/* What the comparison call by call leaves out, in words, malloc'd; NULL: nothing, or out of memory.
 */
char *trace_real_doubt(const struct trace_real *real);
/* What was measured beside what `predicted` has (docs/json.md), the caller's; NULL: out of memory.
 * After both are closed. */
json_t *trace_real_json(const struct trace_real *real, const struct trace_summary *predicted);

#endif
