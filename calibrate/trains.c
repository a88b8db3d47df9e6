/* SPDX-License-Identifier: BSD-3-Clause */
/* Bursts, and latencies that share, from the trains of probe_trains.c. */
#include <math.h>
#include <string.h>

#include "fit.h"

enum { MOST_TRAINS = 8 };
static const double LEAST_BURST_B = 64;
static const double BOUND = 1.15;  /* a message has its links longer than the CPU */
static const double SEVERAL = 1.5; /* messages that a burst holds, of two sizes that agree */
static const double MANY = 3;	   /* of a single size */
static const double AGREE = 0.15;
static const double SURE = 3; /* half intervals */

struct train {
	int64_t size_B;
	double each_s;	 /* has its links */
	double credit_s; /* what the rest before spared */
	double error_s;
};

static struct summary time_of(const struct fit *fit, const char *name, int64_t x, int64_t y)
{
	struct sample_key key = sample_key(name, fit->subject, x, y);

	return samples_summary(fit->samples, &key);
}

/* Of n and of 2 n messages: whatever comes once is in both. A message alone that passes at once
 * takes what comes once but the answer, and so do, where latencies share, both overheads. False:
 * the CPU is what takes so long. */
static bool make_train(const struct fit *fit, const struct sample_key *key, struct train *train)
{
	struct summary once = time_of(fit, "train", key->x, key->y),
		       twice = time_of(fit, "train", key->x, 2 * key->y),
		       alone = time_of(fit, "one_way", key->x, 0);
	int w = fit->subject;
	double send_s = fit->send_overhead[w].value, size_B = (double)key->x,
	       base_s = key->x ? alone.median : send_s + fit->recv_overhead[w].value;

	if (!once.n || !twice.n || !alone.n)
		return false;
	train->size_B = key->x;
	train->each_s = (twice.median - once.median) / (double)key->y;
	train->credit_s = base_s + fit->empty[w].value + twice.median - 2 * once.median;
	train->error_s = hypot(twice.high - twice.low, 2 * (once.high - once.low)) / 2;
	return train->each_s > BOUND * (send_s + fit->send_per_B_s * size_B);
}

/* Those of messages with bytes, largest first. */
static int make_trains(const struct fit *fit, struct train *trains)
{
	int n = 0;

	for (size_t i = 0; i < fit->samples->n && n < MOST_TRAINS; i++) {
		const struct sample_key *key = &fit->samples->list[i].key;

		if (strcmp(key->name, "train") || key->x == 0 ||
		    (n > 0 && trains[n - 1].size_B == key->x))
			continue;
		n += make_train(fit, key, &trains[n]);
	}
	return n;
}

/* What eager messages take less than an empty one and their bytes do, at most. */
static double most_spared_s(const struct fit *fit)
{
	int w = fit->subject;
	const struct curve *curve = &fit->curves[w];
	double most_s = 0;

	for (int k = 0; k < curve->n_points; k++)
		if (curve->points[k].size_B <= fit->threshold_B[w])
			most_s = fmax(most_s, fit->empty[w].value +
						  (double)curve->points[k].size_B /
						      fit->bandwidth_Bps[w].value -
						  curve->points[k].time.median);
	return most_s;
}

/* Seconds; 0: trains tell of none. Of two sizes, what none at all would say. */
static double burst_of(const struct fit *fit, const struct train *trains, int n)
{
	const struct train *last = n > 0 ? &trains[n - 1] : NULL, *before = n > 1 ? last - 1 : NULL;

	if (!last || last->credit_s < SEVERAL * last->each_s ||
	    last->credit_s < SURE * last->error_s)
		return 0;
	if (before && before->credit_s > SEVERAL * before->each_s &&
	    fabs(before->credit_s - last->credit_s) < AGREE * last->credit_s)
		return last->credit_s + (last->credit_s - before->credit_s) * last->each_s /
					    (before->each_s - last->each_s);
	if (last->credit_s > MANY * last->each_s ||
	    fabs(most_spared_s(fit) - last->credit_s) < AGREE * last->credit_s)
		return last->credit_s;
	return 0;
}

/* An empty message has its links for the latency, less what they have saved up. */
static void share_latency(struct fit *fit)
{
	struct value *latency = &fit->latency[fit->subject];
	struct train empty;
	double more_s;

	for (size_t i = 0; i < fit->samples->n; i++) {
		const struct sample_key *key = &fit->samples->list[i].key;

		if (strcmp(key->name, "train") || key->x != 0)
			continue;
		if (!make_train(fit, key, &empty) ||
		    empty.credit_s < fmax(LEAST_BURST_B / fit->bandwidth_Bps[fit->subject].value,
					  SURE * empty.error_s))
			return;
		more_s = empty.each_s - latency->value;
		latency->value += more_s;
		latency->low += more_s;
		latency->high += more_s;
		fit->burst_s = empty.credit_s;
		fit->burst_probes = "train";
		return;
	}
}

void fit_trains(struct fit *fit)
{
	struct train trains[MOST_TRAINS];
	double burst_s, rate = fit->bandwidth_Bps[fit->subject].value;

	fit->burst_probes = "after_rest one_way";
	/* packets.c has other times for them, and trains wait for windows */
	if (!isfinite(rate) || samples_get_fact(fit->samples, "packet_jump_B", 0))
		return;
	if (fit->is_latency_shared) {
		share_latency(fit);
		return;
	}
	burst_s = burst_of(fit, trains, make_trains(fit, trains));
	if (burst_s * rate < LEAST_BURST_B)
		return;
	fit->burst_s = fmin(burst_s, FIT_MOST_B / rate);
	fit->burst_probes = "train one_way";
}
