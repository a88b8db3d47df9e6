/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_CURVE_H
#define TRACES_CURVE_H

#include <stddef.h>

#include "simcore/time.h"

/*
 * An amount that is spread over time, in TRACE_CURVE_BINS bins of equal width from time 0. When
 * time outgrows the bins their width doubles and neighbours merge, so memory is constant and
 * nothing is lost. Amounts are spread evenly over their interval.
 */
#define TRACE_CURVE_BINS 1024

struct trace_curve {
	sim_time_ps width;
	double amount[TRACE_CURVE_BINS];
};

void trace_curve_init(struct trace_curve *curve);
/* Adds `amount` over [begin, end]; all of it to one bin when begin = end. O(1) on average over a
 * run, O(bins) at most. */
void trace_curve_add(struct trace_curve *curve, sim_time_ps begin, sim_time_ps end, double amount);
/* How many bins [0, end] covers. */
int trace_curve_n(const struct trace_curve *curve, sim_time_ps end);

/* Several amounts side by side, in fewer bins; those of all have the same width. */
struct trace_curves {
	int n, n_bins; /* n may grow to what was said; n_bins: a power of two */
	sim_time_ps width;
	double *amount; /* [max * n_bins] */
};

/* As many bins for `max` amounts, `n` of them now, as `max_B` bytes hold: 16 … 128. Returns 0, or
 * -1 without memory. */
int trace_curves_init(struct trace_curves *curves, int n, int max, size_t max_B);
void trace_curves_finish(struct trace_curves *curves);
/* As trace_curve_add; doubling the width costs O(n · bins). */
void trace_curves_add(struct trace_curves *curves, int which, sim_time_ps begin, sim_time_ps end,
		      double amount);
/* The sum of the bins that begin within [begin, end), both multiples of the width. */
double trace_curves_sum(const struct trace_curves *curves, int which, sim_time_ps begin,
			sim_time_ps end);

#endif
