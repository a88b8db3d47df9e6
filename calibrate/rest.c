/* SPDX-License-Identifier: BSD-3-Clause */
/* Overheads per byte, bursts, order and latencies that share, from the probes of probe_rest.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

/* Copying a byte takes longer than that, if it takes anything. */
static const double LEAST_PER_BYTE = 0.01; /* of the time that the byte travels */
/* Of the time of two messages, a latency that a burst spares. */
static const double HIDDEN = 0.01;
/* Of the time of a large message's bytes, how long before its end an empty one behind it arrives at
 * most that cannot pass it. */
static const double IN_ORDER = 0.1;

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

double fit_per_byte_half_s(const struct fit *fit, const char *name)
{
	int64_t size_B;
	struct summary time = largest_summary(fit, name, &size_B), empty;
	struct sample_key key = sample_key(name, fit->subject, 0, 0);

	empty = samples_summary(fit->samples, &key);
	return hypot(time.high - time.low, empty.high - empty.low) / 2 / (double)size_B;
}

/* A receiver may copy while more of the message arrives: then a byte takes no time of its own. */
static void take_choice(struct fit *fit)
{
	fit->burst_s = fit->choice.burst_s;
	if (!fit->choice.copies_meanwhile)
		return;
	fit->copied_per_B_s = fit->recv_per_B_s;
	fit->send_per_B_s = fit->recv_per_B_s = 0;
}

/* Where links have it, a burst spares a part of an empty message's latency, or all of it: then two
 * at once show what it is. */
static void share_latency(struct fit *fit, double two_at_once_s)
{
	struct value *latency = &fit->latency[fit->subject];
	double least_s = two_at_once_s / 2 - latency->value, more_s = fit->choice.burst_s;

	if (latency->value < HIDDEN * two_at_once_s)
		more_s = fmin(more_s, fmax(least_s, 0));
	fit->is_latency_shared = true;
	latency->value += more_s;
	latency->low += more_s;
	latency->high += more_s;
}

/* The empty message was sent after a quarter of the bytes; its fraction is of a time that began
 * with a word of the receiver. */
static bool is_ordered(const struct fit *fit)
{
	int64_t size_B;
	struct summary behind = largest_summary(fit, "behind_large", &size_B), alone;
	struct sample_key key = sample_key("one_way", fit->subject, size_B, 0);
	double bytes_s = (double)size_B / fit->bandwidth_Bps[fit->subject].value, all_s;

	if (behind.n == 0)
		return false;
	alone = samples_summary(fit->samples, &key);
	all_s = fit->empty[fit->subject].value + (alone.n > 0 ? alone.median : bytes_s);
	return (1 - behind.median) * all_s < IN_ORDER * bytes_s;
}

void fit_rest(struct fit *fit)
{
	int w = fit->subject;
	int64_t size_B;
	struct summary two = largest_summary(fit, "two_at_once", &size_B);

	fit->send_per_B_s = per_byte(fit, "send_overhead", &fit->send_overhead[w]);
	fit->recv_per_B_s = per_byte(fit, "recv_overhead", &fit->recv_overhead[w]);
	take_choice(fit);
	fit->is_ordered = is_ordered(fit);
	if (fit->choice.shares_latency && two.n > 0)
		share_latency(fit, two.median);
}
