/* SPDX-License-Identifier: BSD-3-Clause */
/* Overheads per byte, bursts, order and latencies that share, from the probes of probe_rest.c. */
#include <math.h>
#include <string.h>

#include "fit.h"

/* Copying a byte takes longer than that, if it takes anything. */
static const double LEAST_PER_BYTE = 0.01; /* of the time that the byte travels */
static const double LEAST_BURST_B = 512;
/* Of a large message's time, when an empty one behind it arrives that cannot pass it. */
static const double IN_ORDER = 0.9;

/* The largest size of a probe; -1: it was not made. */
static int64_t largest_of(const struct samples *samples, const char *name, int where)
{
	int64_t size_B = -1;

	for (size_t i = 0; i < samples->n; i++)
		if (samples->list[i].key.where == where &&
		    !strcmp(samples->list[i].key.name, name) && samples->list[i].key.x > size_B)
			size_B = samples->list[i].key.x;
	return size_B;
}

static struct summary largest_summary(const struct fit *fit, const char *name, int64_t *size_B)
{
	struct sample_key key;

	*size_B = largest_of(fit->samples, name, fit->subject);
	key = sample_key(name, fit->subject, *size_B, 0);
	return samples_summary(fit->samples, &key);
}

static double per_byte(const struct fit *fit, const char *name, const struct value *empty)
{
	int64_t size_B;
	struct summary time = largest_summary(fit, name, &size_B);
	double more_s = time.median - empty->value;

	if (size_B <= 0 || time.low <= empty->high ||
	    more_s < LEAST_PER_BYTE * (double)size_B / fit->bandwidth_Bps[fit->subject].value)
		return 0;
	return more_s / (double)size_B;
}

static double burst(const struct fit *fit)
{
	int64_t size_B;
	struct summary gain = largest_summary(fit, "after_rest", &size_B);
	double rate = fit->bandwidth_Bps[fit->subject].value, idle_s;

	if (size_B <= 0 || gain.low <= 0 || !isfinite(rate) || gain.median * rate < LEAST_BURST_B)
		return 0;
	/* the links are idle between the two messages, too */
	idle_s = 2 * fit->empty[fit->subject].value +
		 (fit->send_per_B_s + fit->recv_per_B_s) * (double)size_B;
	return fmin(gain.median + idle_s, FIT_MOST_B / rate);
}

void fit_rest(struct fit *fit)
{
	int w = fit->subject;
	int64_t size_B;
	struct summary behind = largest_summary(fit, "behind_large", &size_B),
		       two = largest_summary(fit, "two_at_once", &size_B);

	fit->send_per_B_s = per_byte(fit, "send_overhead", &fit->send_overhead[w]);
	fit->recv_per_B_s = per_byte(fit, "recv_overhead", &fit->recv_overhead[w]);
	fit->burst_s = burst(fit);
	fit->is_ordered = behind.n > 0 && behind.median > IN_ORDER;
	/* one more overhead on each side, or twice as long in the links */
	fit->is_latency_shared = two.n > 0 && fit->latency[w].value > fit->empty[w].value / 2 &&
				 two.low > 2 * fit->empty[w].value + fit->send_overhead[w].value +
					       fit->recv_overhead[w].value +
					       1.5 * fit->latency[w].value;
}
