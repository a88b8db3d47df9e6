/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_CURVE_H
#define TRACES_CURVE_H

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

#endif
