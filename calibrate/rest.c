/* SPDX-License-Identifier: BSD-3-Clause */
/* Overheads per byte, bursts, order and latencies that share, from the probes of probe_rest.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

/* Copying a byte takes longer than that, if it takes anything. */
static const double LEAST_PER_BYTE = 0.01; /* of the time that the byte travels */
/* Of the time that a message's bytes take. */
static const double SLACK = 0.02;
static const double LEAST_BURST_B = 512;
/* Messages of so many bursts find a whole one in a game of ping-pong, even if it is half as long
 * again. */
static const double WHOLE_BURSTS = 2.6;
enum { MOST_PASSES = 8 };
/* Of an overhead per byte, what times by size have to have of it. */
static const double VISIBLE = 0.75;
/* A latency than an overhead, if one of them is to be told from the other. */
static const double CLEARLY_LONGER = 1.2;
static const double MOST_OF_IT = 0.9;
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

/* Both are parts of a message's time; what is measured apart, and disturbed, may add up to more. */
static void limit_per_byte(struct fit *fit)
{
	const struct value *empty = &fit->empty[fit->subject];
	double sum_s = fit->send_per_B_s + fit->recv_per_B_s, most_s;
	struct sample_key key;
	struct summary time;
	int64_t size_B;

	largest_summary(fit, fit->send_per_B_s > 0 ? "send_overhead" : "recv_overhead", &size_B);
	key = sample_key("one_way", fit->subject, size_B, 0);
	time = samples_summary(fit->samples, &key);
	if (sum_s <= 0 || time.n == 0 ||
	    sum_s * (double)size_B <= (1 + SLACK) * (time.high - empty->low))
		return;
	most_s = fmax(time.median - empty->value, 0) / (double)size_B;
	fit->send_per_B_s *= most_s / sum_s;
	fit->recv_per_B_s *= most_s / sum_s;
	fit->is_per_byte_limited = true;
}

/* What a message after a rest takes less than the same right behind it, and what idle links regain
 * between the two while an empty message goes to and fro. On real machines a rest changes more:
 * this tells whether there is a burst, and how long it lasts to a factor of two. */
static double after_rest_s(const struct fit *fit)
{
	int64_t size_B;
	struct summary gain = largest_summary(fit, "after_rest", &size_B);
	double rate = fit->bandwidth_Bps[fit->subject].value;

	if (size_B <= 0 || gain.low <= 0 || !isfinite(rate) || gain.median * rate < LEAST_BURST_B)
		return 0;
	return fmin(gain.median + 2 * fit->empty[fit->subject].value, FIT_MOST_B / rate);
}

/* The bandwidth so far is that of eager messages. */
static bool is_all_eager(const struct fit *fit)
{
	return fit->threshold_B[fit->subject] == INT64_MAX;
}

/* Eager messages that find all of a burst, each after a rest as long as the other way takes. */
struct whole_bursts {
	int n;		/* sizes */
	double mean_s;	/* an empty message and the time of their bytes, less what they take */
	double slope_s; /* how much that grows with each byte */
};

static struct whole_bursts whole_bursts(const struct fit *fit, double least_s)
{
	const struct curve *curve = &fit->curves[fit->subject];
	double per_B_s = 1 / fit->bandwidth_Bps[fit->subject].value, sum_B = 0, sum_s = 0,
	       sum_BB = 0, sum_Bs = 0;
	struct whole_bursts w = {0};

	for (int k = 0;
	     k < curve->n_points && curve->points[k].size_B <= fit->threshold_B[fit->subject];
	     k++) {
		double size_B = (double)curve->points[k].size_B, spared_s;

		if (size_B * per_B_s < WHOLE_BURSTS * least_s)
			continue;
		spared_s = fit->empty[fit->subject].value + size_B * per_B_s -
			   curve->points[k].time.median;
		w.n++;
		sum_B += size_B;
		sum_s += spared_s;
		sum_BB += size_B * size_B;
		sum_Bs += size_B * spared_s;
	}
	if (w.n < 3)
		return (struct whole_bursts){0};
	w.mean_s = sum_s / w.n;
	if (!is_all_eager(fit)) /* else they are in the time of a byte */
		w.mean_s += (fit->send_per_B_s + fit->recv_per_B_s) * sum_B / w.n;
	w.slope_s = (sum_Bs - sum_B * sum_s / w.n) / (sum_BB - sum_B * sum_B / w.n);
	return w;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* The middle one of what eager messages are spared whose bytes take so long. */
static double spared_from_s(const struct fit *fit, double least_s)
{
	const struct curve *curve = &fit->curves[fit->subject];
	double *spared = calloc((size_t)curve->n_points + 1, sizeof(*spared)), middle_s = 0;
	int n = 0;

	for (int k = 0; k < curve->n_points && spared; k++) {
		double bytes_s =
		    (double)curve->points[k].size_B / fit->bandwidth_Bps[fit->subject].value;

		if (bytes_s >= least_s && curve->points[k].size_B <= fit->threshold_B[fit->subject])
			spared[n++] =
			    fit->empty[fit->subject].value + bytes_s - curve->points[k].time.median;
	}
	if (n > 0) {
		qsort(spared, (size_t)n, sizeof(*spared), compare);
		middle_s = spared[n / 2];
	}
	free(spared);
	return middle_s;
}

double fit_spared_s(const struct fit *fit)
{
	double spared_s = 0, next_s = spared_from_s(fit, 2 * fit->empty[fit->subject].value);

	for (int k = 0; k < MOST_PASSES && next_s > spared_s; k++) {
		spared_s = next_s;
		next_s = spared_from_s(fit, WHOLE_BURSTS * spared_s);
	}
	return spared_s;
}

/* A receiver may copy while more of the message arrives: then a byte takes no time of its own. */
static void find_burst(struct fit *fit)
{
	double least_s = after_rest_s(fit), per_B_s = fit->send_per_B_s + fit->recv_per_B_s;
	struct whole_bursts w = {0};
	int64_t size_B;

	if (fit->choice.burst_s > 0) {
		fit->burst_s = fit->choice.burst_s;
		fit->burst_probes = "one_way";
		return;
	}
	if (least_s > 0)
		w = whole_bursts(fit, least_s);
	if (w.n > 0 && !is_all_eager(fit) && -w.slope_s < VISIBLE * per_B_s) {
		fit->copied_per_B_s = fit->recv_per_B_s;
		fit->send_per_B_s = fit->recv_per_B_s = 0;
		w = whole_bursts(fit, least_s);
	}
	largest_summary(fit, "after_rest", &size_B);
	if (w.mean_s > least_s / 2)
		fit->burst_s = fmin(w.mean_s, FIT_MOST_B / fit->bandwidth_Bps[fit->subject].value);
	else if (least_s > 0)
		fit->burst_s = least_s + per_B_s * (double)size_B;
}

/* Two empty messages at once and their answers: the second follows the first by an overhead, or by
 * the latency, which the first has had its links for. */
static bool shares_latency(const struct fit *fit, double time_s)
{
	int w = fit->subject;
	double latency_s = fit->latency[w].value,
	       overhead_s = fmax(fit->send_overhead[w].value, fit->recv_overhead[w].value);

	return latency_s > CLEARLY_LONGER * overhead_s &&
	       time_s >
		   2 * fit->empty[w].value + overhead_s + MOST_OF_IT * (latency_s - overhead_s);
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
	limit_per_byte(fit);
	find_burst(fit);
	fit->is_ordered = is_ordered(fit);
	fit->is_latency_shared = two.n > 0 && shares_latency(fit, two.low);
}
