/* SPDX-License-Identifier: BSD-3-Clause */
/* How a rendezvous begins and ends, and what a node's queue holds, from the probes of probe_ends.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

static const double SAME_USE = 0.05;

/* The size at which the probe was made; -1: it was not. */
static int64_t size_of(const struct samples *samples, const char *name)
{
	for (size_t i = 0; i < samples->n; i++)
		if (!strcmp(samples->list[i].key.name, name))
			return samples->list[i].key.x;
	return -1;
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
	fit->is_acknowledged = size_B >= 0 && median_of(fit->samples, "receiver_away", size_B) >
						  1.75 * median_of(fit->samples, "one_way", size_B);
}

void fit_request_data(struct fit *fit)
{
	int64_t size_B = size_of(fit->samples, "late_bulk");
	int w = fit->subject;
	double b = fit->bandwidth_Bps[w].value, spared_s;

	fit->request_data_B = -1;
	if (size_B < 0 || !isfinite(b))
		return;
	/* What was over when the receive came: the sender's overhead, a latency, control message
	 * and data. */
	spared_s = median_of(fit->samples, "one_way", size_B) -
		   median_of(fit->samples, "late_bulk", size_B) - fit->send_overhead[w].value -
		   fit->latency[w].value;
	fit->request_data_B = fmin(fmax(spared_s * b - fit->control_B.value, 0), (double)size_B);
}

void fit_synchronous(struct fit *fit)
{
	struct sample_key key = sample_key("synchronous", BETWEEN_NODES, 0, 0);
	struct summary time = samples_summary(fit->samples, &key);
	int w = fit->subject;

	/* one latency as it is matched, two when that is acknowledged */
	fit->is_synchronous_acknowledged =
	    time.n > 0 && time.median > fit->send_overhead[w].value + 1.5 * fit->latency[w].value &&
	    fit->latency[w].value > 0;
}

/* The bulk began after the sender's first computing, and ended after its second one and what had
 * not left by then. */
static double left_B(const struct fit *fit, const struct sample_key *key)
{
	const char *fact = samples_get_fact(fit->samples, "used_compute_s", 0);
	int w = fit->subject;
	double latency_s = fit->latency[w].value, b = fit->bandwidth_Bps[w].value, rest_s;

	rest_s = samples_summary(fit->samples, key).median - 2 * strtod(fact ? fact : "0", NULL) -
		 latency_s - 2 * fit->recv_overhead[w].value;
	if (fit->is_acknowledged)
		rest_s -= 2 * (latency_s + fit->control_B.value / b);
	return (double)key->y - fmax(fit->request_data_B, 0) - rest_s * b;
}

/* An entry of its own where more than a measurement's error lies between it and the one before. */
static void add_used(struct fit *fit, int64_t carried_B, double leaves_B)
{
	const struct used *last = fit->n_used ? &fit->used[fit->n_used - 1] : NULL;

	if (!last || fabs(leaves_B - last->leaves_B) > SAME_USE * last->leaves_B)
		fit->used[fit->n_used++] = (struct used){carried_B, leaves_B};
}

void fit_used(struct fit *fit)
{
	const struct samples *samples = fit->samples;
	int64_t last_B = -1;

	for (;;) { /* the next larger amount that was carried */
		const struct sample_key *next = NULL;

		for (size_t i = 0; i < samples->n; i++) {
			const struct sample_key *key = &samples->list[i].key;

			if (!strcmp(key->name, "used") && key->x > last_B &&
			    (!next || key->x < next->x))
				next = key;
		}
		if (!next || fit->n_used == FIT_USED ||
		    !isfinite(fit->bandwidth_Bps[fit->subject].value))
			return;
		last_B = next->x;
		add_used(fit, next->x ? next->x + (int64_t)fmax(fit->request_data_B, 0) : 0,
			 left_B(fit, next));
	}
}

void fit_queue(struct fit *fit)
{
	int64_t size_B = size_of(fit->samples, "beside_bulk");

	fit->queue_B = -1;
	if (size_B >= 0 && isfinite(fit->bandwidth_Bps[fit->subject].value))
		fit->queue_B = fmax(0, median_of(fit->samples, "beside_bulk", size_B) -
					   median_of(fit->samples, "beside_nothing", 0)) *
			       fit->bandwidth_Bps[fit->subject].value;
}
