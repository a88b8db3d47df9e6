/* SPDX-License-Identifier: BSD-3-Clause */
/* From times by size, as measured, to a cluster file's latency and bandwidth by size of the
 * transfer. */
#include <math.h>

#include "fit.h"

static double overheads(const struct fit *fit)
{
	return fit->send_overhead[fit->subject].value + fit->recv_overhead[fit->subject].value;
}

double fit_intra_latency(const struct fit *fit)
{
	return fmax(fit->empty[WITHIN_NODE].value - overheads(fit), 0);
}

static double plain_latency(const struct fit *fit, int where)
{
	return where == WITHIN_NODE ? fit_intra_latency(fit) : fit->latency[where].value;
}

/* The time that latency, bandwidth, overhead, threshold and control message give. */
static double plain_time(const struct fit *fit, int where, int64_t size_B)
{
	double latency_s = plain_latency(fit, where), b = fit->bandwidth_Bps[where].value;
	double time_s = overheads(fit) + latency_s + (double)size_B / b;

	if (size_B > fit->threshold_B[fit->subject])
		time_s += fit_n_control(fit) * (latency_s + fit->control_B.value / b);
	return time_s;
}

double fit_plain_error(const struct fit *fit, int where)
{
	const struct curve *curve = &fit->curves[where];
	double worst = 0;

	for (int k = 0; k < curve->n_points; k++) {
		double time_s = curve->points[k].time.median, plain_s;

		plain_s = plain_time(fit, where, curve->points[k].size_B);
		if (time_s > 0)
			worst = fmax(worst, fabs(plain_s / time_s - 1));
	}
	return worst;
}

/* A rendezvous' control messages, of size 0 here, take the first entry's latency each. */
static struct entry make_entry(const struct fit *fit, const struct segment *segment, int64_t from_B,
			       double first_latency_s)
{
	struct entry entry = {from_B, segment->latency_s - overheads(fit),
			      fmax(segment->per_byte_s, 0)};

	if (segment->per_byte_s < 0) /* time does not fall with size: the mean */
		entry.latency_s +=
		    segment->per_byte_s * (double)(segment->from_B + segment->to_B) / 2;
	if (from_B > fit->threshold_B[fit->subject])
		entry.latency_s -= fit_n_control(fit) * first_latency_s;
	/* The file refuses negative times; its numbers are rounded. */
	entry.latency_s = fmax(entry.latency_s, -0.999 * entry.per_byte_s * (double)from_B);
	return entry;
}

int fit_entries(const struct fit *fit, int where, struct entry entries[2 * FIT_SEGMENTS])
{
	const struct curve *curve = &fit->curves[where];
	int64_t threshold_B = fit->threshold_B[fit->subject];
	int n = 0;

	for (int k = 0; k < curve->n_segments; k++) {
		const struct segment *s = &curve->segments[k];
		int64_t end_B = k + 1 < curve->n_segments ? s[1].from_B : INT64_MAX;

		entries[n] = make_entry(fit, s, s->from_B, n ? entries[0].latency_s : 0);
		n++;
		if (threshold_B >= s->from_B && threshold_B < end_B - 1) {
			entries[n] = make_entry(fit, s, threshold_B + 1, entries[0].latency_s);
			n++;
		}
	}
	return n;
}
