/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_ANALYSIS_DELAYS_H
#define TRACES_ANALYSIS_DELAYS_H

#include <stdbool.h>

#include "simcore/observer.h"

/*
 * Who made others wait (docs/efficiency.md, "Who is to blame"; the idea: Böhme, Geimer, Wolf,
 * Arnold, "Identifying the root causes of wait states in large-scale parallel applications", ICPP
 * 2010). A rank that waits for another compares what both did since they were last together: what
 * the late one computed longer is a delay, and has the cost of the wait; what it waited itself
 * hands its share on to those that it waited for.
 *
 * Every wait and computation is kept, up to TRACE_MAX_DELAY_SPANS, and no more is told beyond.
 */
enum { TRACE_MAX_DELAY_SPANS = 8 << 20 };

struct trace_delay_region { /* a place that ranks compute at */
	double *useful_s;   /* [n_ranks] on an otherwise idle core */
	double *cost_s;	    /* [n_ranks] waiting of all ranks that this rank's time there caused */
	double total_s, total_cost_s;
	const char *kernel; /* that most of the time went to, if one did; NULL: not annotated */
	double kernel_s;    /* how much more than to all others */
};

struct trace_delays;

int trace_delays_create(int n_ranks, struct trace_delays **out); /* 0 or UTIL_ENOMEM */
void trace_delays_destroy(struct trace_delays *delays);		 /* NULL is fine */
/* Where the rank's next computations are: a number from 0 on, the caller's. */
void trace_delays_enter(struct trace_delays *delays, int rank, int region);
void trace_delays_compute(struct trace_delays *delays, const struct sim_record_compute *record);
/* `rank` waited until `by` did something; by < 0: for nobody that is known. */
void trace_delays_wait(struct trace_delays *delays, int rank, int by, sim_time_ps begin,
		       sim_time_ps end);
/* The run is over: sums up who is to blame. 0; UTIL_ENOMEM: out of memory, or too many spans. */
int trace_delays_settle(struct trace_delays *delays);
/* [*out_n] by number, valid until destroy. Regions that nobody computed at have NULL arrays. */
const struct trace_delay_region *trace_delays_regions(const struct trace_delays *delays,
						      int *out_n);
/* Cost of waits for ranks that did nothing longer but communicate. */
double trace_delays_rest_s(const struct trace_delays *delays);

#endif
