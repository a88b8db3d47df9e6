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

/* Of what was measured, and of an empty message: a line that leaves it by more predicts what nobody
 * saw. */
static const double SLACK = 0.1;
static const double STEEP = 0.999;

/* What was measured from from_B on: of transfers, and behind them of messages that tell nothing of
 * theirs but that they take no longer. */
struct seen {
	double to_B, low_s, high_s, empty_s;
};

static double within(const struct seen *seen, double time_s)
{
	if (time_s > seen->high_s + SLACK * (seen->high_s + seen->empty_s))
		return seen->high_s;
	return time_s < seen->low_s - SLACK * (seen->low_s + seen->empty_s) ? seen->low_s : time_s;
}

static struct seen seen_from(const struct fit *fit, int where, double from_B, double end_B)
{
	const struct curve *transfers = &fit->transfers[where], *messages = &fit->curves[where];
	double burst_s = where == BETWEEN_NODES ? fit->burst_s : 0; /* which passes at once */
	struct seen seen = {from_B, INFINITY, 0, fit->empty[where].value};

	for (int k = 0; k < transfers->n_points; k++) {
		const struct point *point = &transfers->points[k];

		if ((double)point->size_B < from_B || (double)point->size_B >= end_B)
			continue;
		seen.to_B = fmax(seen.to_B, (double)point->size_B);
		seen.low_s = fmin(seen.low_s, fmax(point->time.low, 0));
		seen.high_s = fmax(seen.high_s, point->time.high);
	}
	for (int k = 0; k < messages->n_points; k++) {
		const struct point *point = &messages->points[k];
		bool is_eager = point->size_B <= fit->threshold_B[fit->subject];
		double size_B =
		    (double)point->size_B - (is_eager ? 0 : fmax(fit->request_data_B, 0));

		if (size_B <= seen.to_B || size_B >= end_B)
			continue;
		seen.to_B = size_B;
		seen.high_s = fmax(seen.high_s, point->time.high + burst_s);
	}
	return seen;
}

/* At the first and the last of its sizes a line says nothing that is outside of all that was seen
 * there. */
static void keep_within(const struct seen *seen, struct entry *entry)
{
	double from_B = (double)entry->from_B,
	       from_s = entry->latency_s + entry->per_byte_s * from_B,
	       to_s = entry->latency_s + entry->per_byte_s * seen->to_B;

	if (within(seen, from_s) == from_s && within(seen, to_s) == to_s)
		return;
	from_s = within(seen, from_s);
	to_s = fmax(within(seen, to_s), from_s);
	entry->per_byte_s = seen->to_B > from_B ? (to_s - from_s) / (seen->to_B - from_B) : 0;
	entry->latency_s = from_s - entry->per_byte_s * from_B;
}

static struct entry make_entry(const struct segment *segment, const struct seen *seen)
{
	struct entry entry = {segment->from_B, segment->latency_s, fmax(segment->per_byte_s, 0)};

	if (segment->per_byte_s < 0) /* time does not fall with size: the mean */
		entry.latency_s +=
		    segment->per_byte_s * (double)(segment->from_B + segment->to_B) / 2;
	keep_within(seen, &entry);
	/* The file refuses negative times, and its numbers are rounded: so steep a line is a step. */
	if (entry.latency_s < -STEEP * entry.per_byte_s * (double)entry.from_B) {
		entry.latency_s += entry.per_byte_s * (double)(segment->from_B + segment->to_B) / 2;
		entry.per_byte_s = 0;
	}
	return entry;
}

int fit_entries(const struct fit *fit, int where, struct entry entries[FIT_SEGMENTS])
{
	const struct curve *curve = &fit->transfers[where];

	for (int k = 0; k < curve->n_segments; k++) {
		const struct segment *s = &curve->segments[k];
		double end_B = k + 1 < curve->n_segments ? (double)s[1].from_B : INFINITY;
		struct seen seen = seen_from(fit, where, (double)s->from_B, end_B);

		entries[k] = make_entry(s, &seen);
	}
	return curve->n_segments;
}

/* --- whether it needs them --- */

/* How far one latency and one bandwidth are off for messages of that size and larger ones. */
static double error_from(const struct fit *fit, int where, int64_t from_B)
{
	const struct curve *curve = &fit->curves[where];
	double worst = 0;

	for (int k = 0; k < curve->n_points; k++) {
		double time_s = curve->points[k].time.median;
		int64_t size_B = curve->points[k].size_B;

		if (size_B >= from_B && time_s > 0 &&
		    (size_B == 0 || fit_finds_burst(fit, where, &curve->points[k])))
			worst = fmax(worst, fabs(fit_plain_time(fit, where, size_B) / time_s - 1));
	}
	return worst;
}

double fit_plain_error(const struct fit *fit, int where)
{
	/* packets are as good as segments, and exclude them */
	return where == BETWEEN_NODES && fit->payload_B > 0 ? 0 : error_from(fit, where, 0);
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
