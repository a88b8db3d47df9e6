/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_PHASES_H
#define TRACES_PHASES_H

#include "traces/summary.h"

/* The part of the summary that follows phases; called by traces/summary.c only. */
struct trace_open_phase {
	struct trace_phase *phase;	      /* NULL: one that is not kept */
	sim_time_ps begin, in_calls, waiting; /* the rank's sums when it began */
	double useful_s;
};

void trace_phases_begin(struct trace_summary *summary, int rank, const char *name, sim_time_ps now);
/* Ends the innermost open phase of `rank`; nothing when there is none. */
void trace_phases_end(struct trace_summary *summary, int rank, sim_time_ps now);
/* A computation step ended: what of it was done before bounds that lie within it is added to them.
 * O(bounds within the step). */
void trace_phases_compute(struct trace_summary *summary, const struct sim_record_compute *record);

#endif
