/* SPDX-License-Identifier: BSD-3-Clause */
/* From times of transfers by size to a cluster file's latency and bandwidth by size. */
#include <math.h>

#include "fit.h"

double fit_intra_latency(const struct fit *fit)
{
	return fmax(fit->empty[WITHIN_NODE].value - fit->send_overhead[fit->subject].value -
			fit->recv_overhead[fit->subject].value,
		    0);
}

static struct entry make_entry(const struct segment *segment)
{
	struct entry entry = {segment->from_B, segment->latency_s, fmax(segment->per_byte_s, 0)};

	if (segment->per_byte_s < 0) /* time does not fall with size: the mean */
		entry.latency_s +=
		    segment->per_byte_s * (double)(segment->from_B + segment->to_B) / 2;
	/* The file refuses negative times; its numbers are rounded. */
	entry.latency_s = fmax(entry.latency_s, -0.999 * entry.per_byte_s * (double)entry.from_B);
	return entry;
}

int fit_entries(const struct fit *fit, int where, struct entry entries[FIT_SEGMENTS])
{
	const struct curve *curve = &fit->transfers[where];

	for (int k = 0; k < curve->n_segments; k++)
		entries[k] = make_entry(&curve->segments[k]);
	return curve->n_segments;
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
