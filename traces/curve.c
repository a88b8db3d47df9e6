// SPDX-License-Identifier: BSD-3-Clause
#include "traces/curve.h"

#include <stdlib.h>

#define FIRST_WIDTH_PS 1000

void trace_curve_init(struct trace_curve *curve)
{
	*curve = (struct trace_curve){.width = FIRST_WIDTH_PS};
}

/* Merges neighbours; the second half of the bins is free then. */
static void fold(double amounts[], int n_bins)
{
	const int half = n_bins / 2;

	for (int i = 0; i < half; i++)
		amounts[i] = amounts[2 * i] + amounts[2 * i + 1];
	for (int i = half; i < n_bins; i++)
		amounts[i] = 0;
}

static void spread(double amounts[], sim_time_ps width, sim_time_ps begin, sim_time_ps end,
		   double amount)
{
	sim_time_ps first = begin / width, last = end / width;
	double per_ps;

	if (first == last) {
		amounts[first] += amount;
		return;
	}
	per_ps = amount / (double)(end - begin);
	amounts[first] += per_ps * (double)(width - begin % width);
	for (sim_time_ps i = first + 1; i < last; i++)
		amounts[i] += per_ps * (double)width;
	amounts[last] += per_ps * (double)(end % width);
}

void trace_curve_add(struct trace_curve *curve, sim_time_ps begin, sim_time_ps end, double amount)
{
	if (begin < 0 || end < begin)
		return;
	for (; end / curve->width >= TRACE_CURVE_BINS; curve->width *= 2)
		fold(curve->amount, TRACE_CURVE_BINS);
	spread(curve->amount, curve->width, begin, end, amount);
}

int trace_curve_n(const struct trace_curve *curve, sim_time_ps end)
{
	sim_time_ps n = end / curve->width + (end % curve->width != 0);

	return n > TRACE_CURVE_BINS ? TRACE_CURVE_BINS : (int)n;
}

int trace_curves_init(struct trace_curves *curves, int n, int max, size_t max_B)
{
	int n_bins = 128;

	while (n_bins > 16 && (size_t)max * (size_t)n_bins * sizeof *curves->amount > max_B)
		n_bins /= 2;
	*curves = (struct trace_curves){
	    .n = n,
	    .n_bins = n_bins,
	    .width = FIRST_WIDTH_PS,
	    .amount = calloc((size_t)max * (size_t)n_bins + 1, sizeof *curves->amount),
	};
	return curves->amount ? 0 : -1;
}

void trace_curves_finish(struct trace_curves *curves)
{
	free(curves->amount);
	curves->amount = NULL;
}

static double *amounts_of(const struct trace_curves *curves, int which)
{
	return curves->amount + (size_t)which * (size_t)curves->n_bins;
}

void trace_curves_add(struct trace_curves *curves, int which, sim_time_ps begin, sim_time_ps end,
		      double amount)
{
	if (begin < 0 || end < begin)
		return;
	for (; end / curves->width >= curves->n_bins; curves->width *= 2)
		for (int i = 0; i < curves->n; i++)
			fold(amounts_of(curves, i), curves->n_bins);
	spread(amounts_of(curves, which), curves->width, begin, end, amount);
}

double trace_curves_sum(const struct trace_curves *curves, int which, sim_time_ps begin,
			sim_time_ps end)
{
	const double *amounts = amounts_of(curves, which);
	double sum = 0;

	for (sim_time_ps i = begin / curves->width; i < curves->n_bins && i * curves->width < end;
	     i++)
		sum += amounts[i];
	return sum;
}
