/* SPDX-License-Identifier: BSD-3-Clause */
/* From times of transfers by size to a cluster file's latency and bandwidth by size. */
#include <math.h>

#include "fit.h"

/* Times by size that one latency and one bandwidth give this well need no segments; smaller errors
 * are worth them if their lines are so many times better. */
static const double PLAIN_ENOUGH = 0.03, LEAST_ERROR = 0.005, MUCH_BETTER = 10;

double fit_intra_latency(const struct fit *fit)
{
	return fmax(fit->empty[WITHIN_NODE].value - fit->send_overhead[fit->subject].value -
			fit->recv_overhead[fit->subject].value,
		    0);
}

static const double STEEP = 0.999;

static struct entry make_entry(const struct segment *segment)
{
	struct entry entry = {segment->from_B, segment->latency_s, fmax(segment->per_byte_s, 0)};
	double middle_B = (double)(segment->from_B + segment->to_B) / 2;

	if (segment->per_byte_s < 0) /* time does not fall with size: the mean */
		entry.latency_s += segment->per_byte_s * middle_B;
	/* The file refuses negative times, and its numbers are rounded: so steep a line is a step. */
	if (entry.latency_s < -STEEP * entry.per_byte_s * (double)entry.from_B) {
		entry.latency_s += entry.per_byte_s * middle_B;
		entry.per_byte_s = 0;
	}
	return entry;
}

int fit_entries(const struct fit *fit, int where, struct entry entries[FIT_SEGMENTS])
{
	const struct curve *curve = &fit->transfers[where];

	for (int k = 0; k < curve->n_segments; k++)
		entries[k] = make_entry(&curve->segments[k]);
	return curve->n_segments;
}

/* --- whether it needs them --- */

double fit_plain_error(const struct fit *fit, int where)
{
	const struct curve *curve = &fit->curves[where];
	double worst = 0;

	if (where == BETWEEN_NODES && fit->payload_B > 0)
		return 0; /* packets are as good as segments, and exclude them */
	for (int k = 0; k < curve->n_points; k++) {
		const struct point *point = &curve->points[k];
		double time_s = point->time.median;

		if (time_s > 0 && (point->size_B == 0 || fit_finds_burst(fit, where, point)))
			worst = fmax(worst,
				     fabs(fit_plain_time(fit, where, point->size_B) / time_s - 1));
	}
	return worst;
}

bool fit_needs_segments(const struct fit *fit, int where)
{
	const struct curve *curve = &fit->transfers[where];
	double error = fit_plain_error(fit, where), worst = 0;

	if (fit->choice.has_segments && where == BETWEEN_NODES)
		return curve->n_segments > 0 && fit->payload_B == 0;
	for (int k = 0; k < curve->n_segments; k++)
		worst = fmax(worst, curve->segments[k].worst);
	return curve->n_segments > 0 &&
	       (error > PLAIN_ENOUGH || (error > LEAST_ERROR && error > MUCH_BETTER * worst)) &&
	       fit_stands_out(fit, where);
}

/* --- of transfers between nodes by size --- */

static const struct segment *segment_at(const struct fit *fit, double size_B)
{
	const struct curve *curve = &fit->transfers[fit->subject];
	int k = 0;

	if (!fit_needs_segments(fit, fit->subject))
		return NULL;
	while (k + 1 < curve->n_segments && size_B >= (double)curve->segments[k + 1].from_B)
		k++;
	return &curve->segments[k];
}

double fit_rate_at(const struct fit *fit, double size_B)
{
	const struct segment *segment = segment_at(fit, size_B);

	return segment ? 1 / fmax(segment->per_byte_s, 1e-19)
		       : fit->bandwidth_Bps[fit->subject].value;
}

double fit_delay_at(const struct fit *fit, double size_B)
{
	const struct segment *segment = segment_at(fit, size_B);

	return segment ? fmax(segment->latency_s, 0) : fit->latency[fit->subject].value;
}
