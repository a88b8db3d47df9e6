/* SPDX-License-Identifier: BSD-3-Clause */
/* How a rendezvous begins and ends, and what a node's queue holds, from the probes of probe_ends.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

static const double ROUNDING = 0.02;	   /* of a packet */
static const double LEAST_STALLED = 0.001; /* of a message: less is an error of measurement */
static const double MOST_LEFT = 0.97;	   /* of a large message, of which a queue holds a part */
static const double LEAST_SAME = 0.8, MOST_SAME = 1.1; /* of what a queue holds */

/* The size at which the probe was made; -1: it was not. */
static int64_t size_of(const struct samples *samples, const char *name)
{
	const struct sample_key *key = samples_next(samples, name, -1);

	return key ? key->x : -1;
}

static double median_of(const struct samples *samples, const char *name, int64_t size_B)
{
	struct sample_key key = sample_key(name, BETWEEN_NODES, size_B, 0);

	return samples_summary(samples, &key).median;
}

void fit_end(struct fit *fit)
{
	int64_t size_B = size_of(fit->samples, "receiver_away");

	/* A receiver that attended for three quarters of the time was away until 2.75 of it. */
	fit->is_acknowledged =
	    fit->choice.is_acknowledged ||
	    (size_B >= 0 && median_of(fit->samples, "receiver_away", size_B) >
				1.75 * median_of(fit->samples, "one_way", size_B));
}

double fit_taking_s(const struct fit *fit)
{
	return fit->recv_overhead[fit->subject].value +
	       fit->recv_per_B_s * fmax(fit->request_data_B, 0);
}

double fit_after_return_s(const struct fit *fit)
{
	int64_t size_B = size_of(fit->samples, "send_return");

	return fmax(median_of(fit->samples, "one_way", size_B) -
			median_of(fit->samples, "send_return", size_B) - fit_taking_s(fit),
		    0);
}

double fit_in_buffer_s(const struct fit *fit, double left_s)
{
	double control_s = fit->is_acknowledged ? fit_control_s(fit) : 0;

	/* without a buffer the send has waited for the receiver's word */
	return left_s > 1.5 * control_s ? left_s - 2 * control_s : 0;
}

/* Of calls that ask for what has come, which say no at first? */
void fit_late(struct fit *fit)
{
	fit->is_late_probe = median_of(fit->samples, "late_probe", 0) > 0.5;
	fit->is_late_test = median_of(fit->samples, "late_tests", 0) > 0.5;
}

void fit_synchronous(struct fit *fit)
{
	struct sample_key key = sample_key("synchronous", BETWEEN_NODES, 0, 0);
	struct summary time = samples_summary(fit->samples, &key);
	int w = fit->subject;

	/* one latency as it is matched, two when that is acknowledged */
	fit->is_synchronous_acknowledged =
	    time.n > 0 && time.median > fit->send_overhead[w].value + 1.5 * fit_nothing_s(fit) &&
	    fit->latency[w].value > 0;
}

double fit_unattended_s(const struct fit *fit, double spared_s)
{
	double rested_s = fit_rested_s(fit);

	if (fit->payload_B == 0 && spared_s < 2 * rested_s)
		return spared_s / 2;
	return spared_s - rested_s;
}

/* The bulk began after the sender's first computing, and ended after its second one and what had
 * not left by then. */
static double left_B(const struct fit *fit, const struct sample_key *key)
{
	const char *fact = samples_get_fact(fit->samples, "used_compute_s", 0);
	int w = fit->subject;
	double bulk_B = (double)key->y - fmax(fit->request_data_B, 0), rest_s;
	double rate_Bps = fit_rate_at(fit, bulk_B);

	rest_s = samples_summary(fit->samples, key).median - 2 * strtod(fact ? fact : "0", NULL) -
		 fit_nothing_s(fit) - fit->recv_overhead[w].value - fit_taking_s(fit);
	if (fit->is_acknowledged)
		rest_s -= 2 * fit_control_s(fit);
	return fit_unattended_s(fit, bulk_B / rate_Bps - rest_s) * rate_Bps;
}

/* What the sender still waited for, when it had computed: what had not left, and the answer. */
static void add_eager(struct fit *fit)
{
	const struct samples *samples = fit->samples;
	const struct sample_key *key = NULL;
	int w = fit->subject;
	double stalled_s, spared_s, b;
	bool has_stalled;

	while ((key = samples_next(samples, "used_eager", key ? key->x : -1))) {
		b = fit_rate_at(fit, (double)key->y);
		stalled_s = fmax(samples_summary(samples, key).median - fit->empty[w].value -
				     fit->recv_overhead[w].value,
				 0);
		spared_s = (double)key->y / b - stalled_s;
		has_stalled = stalled_s * b > LEAST_STALLED * (double)key->y;
		/* nothing has: at least as much leaves, and it did not before */
		if (has_stalled)
			fit_add_since(fit->used, &fit->n_used, key->x,
				      fit_unattended_s(fit, spared_s) * b);
		else if (fit->n_used > 0)
			fit_add_since(fit->used, &fit->n_used, key->x,
				      (spared_s - fit_rested_s(fit)) * b);
	}
}

void fit_used(struct fit *fit)
{
	const struct sample_key *key = NULL;
	int64_t from_B;

	add_eager(fit);
	while ((key = samples_next(fit->samples, "used", key ? key->x : -1))) {
		/* a request brings some of its message with it */
		from_B = key->x + (int64_t)fmax(fit->request_data_B, 0);
		fit_add_since(fit->used, &fit->n_used, fit->n_used ? from_B : 0, left_B(fit, key));
	}
}

/* What holds so many bytes, of which one packet has left in part: it may hold up to a packet more,
 * and nothing tells how much. The byte behind is a packet, too, for which nothing is saved up. */
static double packets_of(const struct fit *fit, double waited_B)
{
	double own_s = fit->burst_s > 0 ? fit_wire_s(fit, 1) : 0,
	       full_B = waited_B - own_s * fit->bandwidth_Bps[fit->subject].value;

	return (ceil(full_B / fit->payload_B - ROUNDING) + 0.5) * fit->payload_B;
}

/* What was left of a large message after a quarter of its time. */
static double left_of_bulk(const struct fit *fit, int64_t size_B)
{
	return fmin(0.75 * fit_curve_time(&fit->curves[fit->subject], size_B) *
			fit->bandwidth_Bps[fit->subject].value,
		    (double)size_B);
}

/* Where latencies share, a byte that comes behind the queue shares its link, and finds it busy; its
 * answer comes in while that one still is. */
static double beside_s(const struct fit *fit)
{
	double latency_s = fit->latency[fit->subject].value,
	       rested_s = fmax(latency_s - fit->burst_s, 0);

	if (!fit->is_latency_shared)
		return 0;
	return 2 * latency_s / fit_sharing_efficiency(fit, 2) +
	       rested_s / (1 - fit_duplex_penalty(fit)) - 2 * rested_s;
}

/* A byte to a third node waited for so much of a large message; by rendezvous it did so with each
 * message that its sender sends for it. What comes from elsewhere to the same node shares links as
 * well, and stands in no queue. */
static double waited_B(const struct fit *fit, const char *name, int64_t size_B)
{
	int n = fit->threshold_B[fit->subject] >= 1 ? 1 : fit->is_acknowledged ? 3 : 2;
	bool has_away = fit->is_latency_shared && size_of(fit->samples, "beside_away") == size_B;
	double without_s = has_away ? median_of(fit->samples, "beside_away", size_B)
				    : median_of(fit->samples, "beside_nothing", 0),
	       waited_s = median_of(fit->samples, name, size_B) - without_s;

	return fmax(0, waited_s / n - (has_away ? 0 : beside_s(fit))) *
	       fit->bandwidth_Bps[fit->subject].value;
}

/* Packets wait in a queue without a limit for as much as their window lets out: that grows, until
 * it is all that is left. What real queues hold becomes less by some packets. */
static bool follows_window(const struct fit *fit, int64_t size_B)
{
	double later_B = waited_B(fit, "beside_half", size_B);

	return fit->payload_B > 0 && size_of(fit->samples, "beside_half") == size_B &&
	       (later_B < LEAST_SAME * fit->queue_B || later_B > MOST_SAME * fit->queue_B);
}

void fit_queue(struct fit *fit)
{
	int64_t size_B = size_of(fit->samples, "beside_bulk");

	fit->queue_B = -1;
	if (size_B < 0 || !isfinite(fit->bandwidth_Bps[fit->subject].value))
		return;
	fit->queue_B = waited_B(fit, "beside_bulk", size_B);
	if (fit->queue_B > (double)size_B) /* something else held it up */
		fit->queue_B = -1;
	fit->holds_all =
	    fit->queue_B > MOST_LEFT * left_of_bulk(fit, size_B) || follows_window(fit, size_B);
	if (fit->payload_B > 0 && fit->queue_B > 0)
		fit->queue_B = packets_of(fit, fit->queue_B);
}
