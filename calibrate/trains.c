/* SPDX-License-Identifier: BSD-3-Clause */
/* Bursts, and latencies that share, from the trains of probe_trains.c. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include <gsl/gsl_fit.h>

#include "fit.h"

enum { LEAST_EMPTY = 4, MOST_TRAINS = 8, MOST_SIZES = 256, LEAST_SIZES = 3, ROUNDS = 4 };
static const double LEAST_BURST_B = 64;
static const double BOUND = 1.15;  /* a message has its links longer than the CPU */
static const double SEVERAL = 1.5; /* messages that a burst holds, of two sizes that agree */
static const double MANY = 3;	   /* of a single size */
static const double AGREE = 0.15;
static const double PLAIN = 0.03; /* of the time of its bytes, what a message takes more or less */
static const double SURE = 3; /* half intervals */
/* Of a burst: what trains may say too little; what a line may say less than trains, whose messages
 * share links at a loss, and more. */
static const double TOO_LITTLE = 1.15, LEAST_OF_TRAINS = 0.5, MOST_OF_TRAINS = 1.1;
/* Of a time: how well it is known at best, and how far off a line. */
static const double KNOWN_TO = 0.001, ON_LINE = 0.005;
static const double WELL_KNOWN = 0.1; /* of a burst, its interval */
static const double SAME = 0.02;      /* of the time of one more message */

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
		       alone = samples_message(fit->samples, fit->subject, key->x);
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

/* Eager messages that find a whole burst in a game of ping-pong: while one comes back, links regain
 * what they are idle for. */
struct sizes {
	int n;
	double size_B[MOST_SIZES], time_s[MOST_SIZES], weight[MOST_SIZES];
};

static void gather(const struct fit *fit, double burst_s, struct sizes *sizes)
{
	int w = fit->subject;
	const struct curve *curve = &fit->curves[w];
	double more_s = TOO_LITTLE * burst_s,
	       least_s = fmax(more_s, 2 * more_s - 2 * fit->empty[w].value);

	sizes->n = 0;
	for (int k = 0; k < curve->n_points && sizes->n < MOST_SIZES; k++) {
		const struct point *point = &curve->points[k];
		double size_B = (double)point->size_B, time_s = point->time.median,
		       sigma_s = fmax((point->time.high - point->time.low) / 4, KNOWN_TO * time_s);

		if (point->size_B > fit->threshold_B[w] ||
		    size_B / fit->bandwidth_Bps[w].value < least_s || time_s <= 0)
			continue;
		sizes->size_B[sizes->n] = size_B;
		sizes->time_s[sizes->n] = time_s;
		sizes->weight[sizes->n++] = 1 / (sigma_s * sigma_s);
	}
}

/* What the line through them is short of an empty message; 0: they make none, or none for certain.
 */
static double below_line_s(const struct fit *fit, const struct sizes *sizes)
{
	double c0, c1, cov00, cov01, cov11, chi2, burst_s;

	if (sizes->n < 2)
		return 0;
	gsl_fit_wlinear(sizes->size_B, 1, sizes->weight, 1, sizes->time_s, 1, (size_t)sizes->n, &c0,
			&c1, &cov00, &cov01, &cov11, &chi2);
	burst_s = fit->empty[fit->subject].value - c0;
	for (int k = 0; k < sizes->n; k++)
		if (fabs(c0 + c1 * sizes->size_B[k] - sizes->time_s[k]) >
		    ON_LINE * sizes->time_s[k])
			return 0;
	return 2 * sqrt(cov00) < WELL_KNOWN * burst_s ? burst_s : 0;
}

/* A train says that there is a burst, and about how long. Its messages share the links, perhaps at
 * a loss, and these rest while the next one is made: messages one at a time say how long. */
static double refined(const struct fit *fit, double train_s)
{
	double burst_s = train_s;
	struct sizes sizes;

	for (int k = 0; k < ROUNDS; k++) {
		gather(fit, burst_s, &sizes);
		burst_s = below_line_s(fit, &sizes);
		if (burst_s < LEAST_OF_TRAINS * train_s || burst_s > MOST_OF_TRAINS * train_s)
			return train_s;
	}
	return sizes.n < LEAST_SIZES ? train_s : burst_s;
}

/* Of so many messages that share a link: what they take of the time that they seem to take. Those
 * that begin before the others lose less. */
static void take_off_losses(const struct fit *fit, int64_t n, struct train *train)
{
	struct fit shared = *fit;
	double efficiency, apart_s = (double)n * fit->send_overhead[fit->subject].value;

	fit_sharing(&shared);
	efficiency = fit_sharing_efficiency(&shared, (int)n);
	train->each_s *= efficiency;
	train->credit_s = train->credit_s * efficiency - apart_s * (1 - efficiency);
}

/* Trains of n empty messages and of twice as many; false: there are none. */
static bool make_empty(const struct fit *fit, int64_t n, struct train *train)
{
	struct sample_key key = sample_key("train", fit->subject, 0, n);

	if (!make_train(fit, &key, train))
		return false;
	take_off_losses(fit, n, train);
	return true;
}

/* The shortest of them of which each more has its links for as long as in the longest: it has used
 * up what links had saved. */
static bool find_empty(const struct fit *fit, struct train *train)
{
	struct train longest = {0};
	int64_t n;

	for (n = LEAST_EMPTY; time_of(fit, "train", 0, 2 * n).n > 0; n *= 2)
		if (make_empty(fit, n, train))
			longest = *train;
	for (n = LEAST_EMPTY; longest.each_s > 0 && time_of(fit, "train", 0, 2 * n).n > 0; n *= 2)
		if (make_empty(fit, n, train) &&
		    fabs(train->each_s - longest.each_s) < SAME * longest.each_s)
			return true;
	return false;
}

/* What several flows get of a link. */
static double least_efficiency(const struct fit *fit)
{
	struct fit as_if = *fit;

	as_if.n_sharing = 0;
	fit_sharing(&as_if);
	return fit_sharing_efficiency(&as_if, INT_MAX);
}

/* An empty message that takes less after a rest than in a game of ping-pong has a latency that
 * takes links, which save it up. Two at once do not show it. */
static bool latency_passes(const struct fit *fit)
{
	return samples_is_rested(fit->samples, fit->subject, 0);
}

/* An empty message has its links for the latency, less what they have saved up. */
static void share_latency(struct fit *fit)
{
	struct value *latency = &fit->latency[fit->subject];
	struct train empty;
	struct sample_key few = sample_key("train", fit->subject, 0, LEAST_EMPTY);
	double more_s;

	if (!find_empty(fit, &empty) || (!latency_passes(fit) && fit_losses_explain(fit, &few)))
		return;
	if (empty.credit_s <
	    fmax(LEAST_BURST_B / fit->bandwidth_Bps[fit->subject].value, SURE * empty.error_s))
		return;
	more_s = empty.each_s - latency->value;
	latency->value += more_s;
	latency->low += more_s;
	latency->high += more_s;
	fit->burst_s = empty.credit_s;
	fit->burst_probes = "train";
	fit->is_latency_shared = true;
}

bool fit_trains_are_plain(const struct fit *fit, double rate_Bps)
{
	struct train trains[MOST_TRAINS];
	double efficiency = least_efficiency(fit);
	int n = make_trains(fit, trains);

	for (int k = 0; k < n; k++) {
		double bytes_s = (double)trains[k].size_B / rate_Bps +
				 (fit->is_latency_shared ? fit->latency[fit->subject].value : 0);

		if (trains[k].each_s < (1 - PLAIN) * bytes_s ||
		    trains[k].each_s > (1 + PLAIN) * bytes_s / efficiency)
			return false;
	}
	return true;
}

void fit_trains(struct fit *fit)
{
	struct train trains[MOST_TRAINS];
	double burst_s, rate = fit->bandwidth_Bps[fit->subject].value;
	int n;

	fit->train_s = -1;
	fit->burst_probes = "after_rest one_way";
	/* packets.c has other times for them, and trains wait for windows */
	if (!isfinite(rate) || samples_get_fact(fit->samples, "packet_jump_B", 0))
		return;
	if (fit->is_latency_shared || latency_passes(fit)) {
		share_latency(fit);
		return;
	}
	n = make_trains(fit, trains);
	if (n > 0)
		fit->train_s = trains[n - 1].credit_s;
	burst_s = burst_of(fit, trains, n);
	if (burst_s * rate < LEAST_BURST_B)
		return;
	if (fit_trains_are_plain(fit, fit_plain_rate(fit)))
		burst_s = refined(fit, burst_s);
	fit->burst_s = fmin(burst_s, FIT_MOST_B / rate);
	fit->burst_probes = "train one_way";
}
