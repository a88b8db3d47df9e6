/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_ANALYSIS_COLLECTIVES_H
#define TRACES_ANALYSIS_COLLECTIVES_H

#include <stdbool.h>

#include "simcore/observer.h"

/*
 * Wait at collectives: who came when, until all have come. Memory: one entry for each rank that is
 * in, or has been in, a collective that others have yet to enter.
 */
struct trace_collectives;

struct trace_collective_wait {
	int rank, site;
	int by; /* the rank that came last of those that it needs; -1: that has not come */
	bool is_barrier, is_open; /* is_open: it waits still */
	sim_time_ps begin, end;
};
typedef void (*trace_collective_fn)(void *context, const struct trace_collective_wait *wait);

int trace_collectives_create(trace_collective_fn wait, void *context,
			     struct trace_collectives **out);	       /* 0 or UTIL_ENOMEM */
void trace_collectives_destroy(struct trace_collectives *collectives); /* NULL is fine */
/* 0 or UTIL_ENOMEM. */
int trace_collectives_enter(struct trace_collectives *collectives,
			    const struct sim_cause_collective *entered, int site, sim_time_ps now);
/* The run ends early: whoever needs others that have not come has waited until `now`. */
void trace_collectives_close(struct trace_collectives *collectives, sim_time_ps now);

#endif
