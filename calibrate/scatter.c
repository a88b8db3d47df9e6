/* SPDX-License-Identifier: BSD-3-Clause */
/* What times by size scatter by, and whether their lines are more than that. */
#include <math.h>

#include "fit.h"

/* Of the squares that lines by size leave for each point that they could leave: so much more for
 * each of their numbers is no chance, though the best of all lines were taken. */
static const double NO_CHANCE = 10;
enum { NUMBERS_PER_SEGMENT = 3 };
static const double ROUNDING = 1e-4; /* of a time */

/* As a fraction of the larger one: at most 1. */
static double distance(double predicted_s, double time_s)
{
	return predicted_s > 0 ? fabs(predicted_s - time_s) / fmax(predicted_s, time_s) : 1;
}

double fit_scatter(const struct fit *fit, int where)
{
	const struct curve *curve = &fit->curves[where];
	double sum = 0;

	for (int k = 0; k < curve->n_points; k++)
		sum += distance(fit_curve_time(curve, curve->points[k].size_B),
				curve->points[k].time.median);
	return curve->n_points ? sum / curve->n_points : 0;
}

bool fit_stands_out(const struct fit *fit, int where)
{
	const struct curve *curve = &fit->curves[where];
	int n = 0, n_numbers = NUMBERS_PER_SEGMENT * curve->n_segments;
	double plain = 0, lines = 0;

	for (int k = 0; k < curve->n_points; k++) {
		double time_s = curve->points[k].time.median, off;
		int64_t size_B = curve->points[k].size_B;

		if (size_B > 0 && !fit_finds_burst(fit, where, &curve->points[k]))
			continue;
		off = distance(fit_plain_time(fit, where, size_B), time_s);
		plain += off * off;
		off = fmax(distance(fit_curve_time(curve, size_B), time_s), ROUNDING);
		lines += off * off;
		n++;
	}
	return n <= n_numbers || plain - lines > NO_CHANCE * n_numbers * lines / (n - n_numbers);
}
