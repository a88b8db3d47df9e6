// SPDX-License-Identifier: BSD-3-Clause
#include "traces/curve.h"

#define FIRST_WIDTH_PS 1000

void trace_curve_init(struct trace_curve *curve)
{
	*curve = (struct trace_curve){.width = FIRST_WIDTH_PS};
}

static void fold(struct trace_curve *curve)
{
	const int half = TRACE_CURVE_BINS / 2;

	for (int i = 0; i < half; i++)
		curve->amount[i] = curve->amount[2 * i] + curve->amount[2 * i + 1];
	for (int i = half; i < TRACE_CURVE_BINS; i++)
		curve->amount[i] = 0;
	curve->width *= 2;
}

void trace_curve_add(struct trace_curve *curve, sim_time_ps begin, sim_time_ps end, double amount)
{
	sim_time_ps first, last;
	double per_ps;

	if (begin < 0 || end < begin)
		return;
	while (end / curve->width >= TRACE_CURVE_BINS)
		fold(curve);
	first = begin / curve->width;
	last = end / curve->width;
	if (first == last) {
		curve->amount[first] += amount;
		return;
	}
	per_ps = amount / (double)(end - begin);
	curve->amount[first] += per_ps * (double)(curve->width - begin % curve->width);
	for (sim_time_ps i = first + 1; i < last; i++)
		curve->amount[i] += per_ps * (double)curve->width;
	curve->amount[last] += per_ps * (double)(end % curve->width);
}

int trace_curve_n(const struct trace_curve *curve, sim_time_ps end)
{
	sim_time_ps n = end / curve->width + (end % curve->width != 0);

	return n > TRACE_CURVE_BINS ? TRACE_CURVE_BINS : (int)n;
}
