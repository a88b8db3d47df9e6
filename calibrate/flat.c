/* SPDX-License-Identifier: BSD-3-Clause */
/* How long a burst is, from times by size: messages take as long as an empty one until it is used
 * up, and are behind by it from then on. One number that explains all sizes, where several lines
 * would, of which the first has no bandwidth that a link can have. */
#include <math.h>
#include <stdlib.h>

#include "fit.h"

enum { CLASSES = 2 }; /* eager messages, and the others */
/* One of so many sizes may be off, by what the library does there. */
enum { MOST_SIZES = 512, LEAST_SIZES = 8, PARTS_OFF = 16 };
static const double LEAST_BURST_B = 64;
static const double LEAST_KNEE_B = 512; /* small messages may be flat as a library pads them */
/* Larger messages say more of the bandwidth's error than of a burst. */
static const int64_t MOST_B = 256 << 10;
/* Of times: what is worth a burst that nothing else has shown; how much better it explains them. */
static const double LEAST_ERROR = 0.0002, MUCH_BETTER = 10, GOOD = 0.03;
/* Half intervals of a time, or this part of it, that a burst is more than. */
static const double SURE = 3, KNOWN_TO = 0.00002;
/* Messages of so many bursts find a whole one in a game of ping-pong. */
static const double BURSTS_APART = 2.2;
/* Of a byte's time of large messages, what times are flat by, and another line has at least. */
static const double FLAT = 0.02, ALIKE = 1.9, NEARLY = 0.01;
/* Of what sizes say, what a train says at least that had the links busy. */
static const double LEAST_OF_TRAINS = 0.5;

/* In a game of ping-pong links regain what they are idle for: a size tells of a burst if it finds
 * all that it needs. */
static bool tells(const struct fit *fit, const struct point *point, double burst_s)
{
	double empty_s = fit->empty[fit->subject].value,
	       bytes_s = (double)point->size_B / fit->bandwidth_Bps[fit->subject].value;

	return point->is_rested || burst_s <= 2 * empty_s || bytes_s <= 2 * empty_s ||
	       bytes_s >= BURSTS_APART * burst_s;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* The largest part of a measured time that it is off, but for a few sizes. */
static double error_of(const struct fit *fit, double burst_s)
{
	int w = fit->subject, n = 0;
	const struct curve *curve = &fit->curves[w];
	double errors[MOST_SIZES];

	for (int k = 0; k < curve->n_points && n < MOST_SIZES; k++) {
		const struct point *point = &curve->points[k];
		double time_s = point->time.median;

		if (time_s > 0 && tells(fit, point, burst_s))
			errors[n++] = fabs(fit_plain_time(fit, w, point->size_B) / time_s - 1);
	}
	qsort(errors, (size_t)n, sizeof(*errors), compare);
	return n < LEAST_SIZES ? INFINITY : errors[n - 1 - n / PARTS_OFF];
}

/* What sizes of a class that are larger than a burst take less than without one; 0: there are none.
 */
static double behind_s(const struct fit *fit, bool is_eager)
{
	int w = fit->subject;
	const struct curve *curve = &fit->curves[w];
	double sum_s = 0, weights = 0, most_s = 0, rate = fit->bandwidth_Bps[w].value,
	       shared_s = fit->is_latency_shared ? fit->latency[w].value : 0;
	int64_t most_B = MOST_B;

	if (!is_eager && fit->threshold_B[w] > MOST_B / 4)
		most_B = 4 * fit->threshold_B[w];

	for (int pass = 0; pass < 2; pass++)
		for (int k = 0; k < curve->n_points; k++) {
			const struct point *point = &curve->points[k];
			double time_s = point->time.median,
			       bytes_s = shared_s + (double)point->size_B / rate,
			       spared_s = fit_plain_time(fit, w, point->size_B) - time_s,
			       error_s = fmax((point->time.high - point->time.low) / 2,
					      KNOWN_TO * time_s);

			if ((point->size_B <= fit->threshold_B[w]) != is_eager ||
			    point->size_B > most_B)
				continue;
			if (pass == 0 && spared_s > SURE * error_s)
				most_s = fmax(most_s, fmin(spared_s, bytes_s));
			if (pass == 1 && spared_s > 0.5 * most_s && bytes_s > most_s &&
			    tells(fit, point, most_s)) {
				sum_s += spared_s / (time_s * time_s);
				weights += 1 / (time_s * time_s);
			}
		}
	return weights > 0 ? sum_s / weights : most_s;
}

/* What follows from the samples with such a burst; its curves are freed by fit_free_transfers.
 * False: no memory. */
static bool explain(const struct fit *fit, double burst_s, struct fit *as_if)
{
	*as_if = *fit;
	as_if->burst_s = burst_s;
	if (fit_transfers(as_if) < 0) {
		fit_free_transfers(as_if);
		return false;
	}
	fit_bandwidth(as_if, as_if->subject);
	return true;
}

static double error_with(const struct fit *fit, double burst_s)
{
	double error = INFINITY;
	struct fit as_if;

	if (explain(fit, burst_s, &as_if)) {
		error = error_of(&as_if, burst_s);
		fit_free_transfers(&as_if);
	}
	return error;
}

/* Trains whose messages keep links busy would show it, and they take no more than their bytes do.
 */
static bool trains_allow(const struct fit *fit, double rate_Bps, double burst_s)
{
	return fit_trains_are_plain(fit, rate_Bps) &&
	       (fit->train_s < 0 || fit->train_s > LEAST_OF_TRAINS * burst_s);
}

/* --- where flat times meet one of several lines --- */

static double error_at(const struct point *point)
{
	return fmax((point->time.high - point->time.low) / 2, KNOWN_TO * point->time.median);
}

/* The next eager size from k on, up or down, that is so far off that its bytes are more than
 * errors; -1: there is none. */
static int far_from(const struct fit *fit, int k, int step)
{
	int w = fit->subject, j = k + step;
	const struct point *points = fit->curves[w].points;

	for (; j >= 0 && j < fit->curves[w].n_points; j += step) {
		double bytes_s = fabs((double)(points[j].size_B - points[k].size_B)) /
				 fit->bandwidth_Bps[w].value;

		if (points[j].size_B > fit->threshold_B[w])
			return -1;
		if (bytes_s > SURE * (error_at(&points[j]) + error_at(&points[k])))
			return j;
	}
	return -1;
}

/* What a byte takes more from the one size to the other, without overheads. */
static double slope(const struct fit *fit, int from, int to)
{
	const struct point *points = fit->curves[fit->subject].points;

	return (points[to].time.median - points[from].time.median) /
		   (double)(points[to].size_B - points[from].size_B) -
	       fit->send_per_B_s - fit->recv_per_B_s;
}

/* Flat up to size k, and on a line from the next one on: where the two meet, in seconds; 0: not
 * between them. */
static double meeting_s(const struct fit *fit, int k)
{
	const struct point *points = fit->curves[fit->subject].points;
	double plain_s = 1 / fit->bandwidth_Bps[fit->subject].value, line_s, meet_B;
	int below = far_from(fit, k, -1), above = far_from(fit, k + 1, 1);

	if (below < 0 || above < 0 || fabs(slope(fit, below, k)) > FLAT * plain_s ||
	    slope(fit, k, k + 1) < FLAT * plain_s)
		return 0;
	line_s = slope(fit, k + 1, above);
	if (line_s < plain_s / ALIKE || line_s > ALIKE * plain_s)
		return 0;
	meet_B = (double)points[k + 1].size_B -
		 slope(fit, k, k + 1) * (double)(points[k + 1].size_B - points[k].size_B) / line_s;
	return meet_B > (1 - NEARLY) * (double)points[k].size_B &&
		       meet_B < (1 + NEARLY) * (double)points[k + 1].size_B
		   ? meet_B * line_s
		   : 0;
}

/* As long as links regain it in a game of ping-pong: behind a longer one they regain a half, and
 * messages take half of their bytes. */
static double knee_s(const struct fit *fit)
{
	const struct curve *curve = &fit->curves[fit->subject];

	for (int k = 0; k + 1 < curve->n_points; k++) {
		double knee = curve->points[k + 1].size_B <= fit->threshold_B[fit->subject]
				  ? meeting_s(fit, k)
				  : 0;

		if (knee * fit->bandwidth_Bps[fit->subject].value > LEAST_KNEE_B &&
		    knee < 2 * fit->empty[fit->subject].value)
			return knee;
	}
	return 0;
}

/* Takes a burst that explains sizes so many times better than what is known. The bandwidth by which
 * it is computed is that of times with a burst of `given_s`. */
static bool improve(struct fit *fit, double given_s, double times, double *known_error)
{
	double burst_s[CLASSES], rate, error;
	bool is_better = false;
	struct fit without;

	if (!explain(fit, given_s, &without))
		return false;
	without.burst_s = 0;
	rate = without.bandwidth_Bps[fit->subject].value;
	for (int k = 0; k < CLASSES; k++)
		burst_s[k] = behind_s(&without, k == 0);
	fit_free_transfers(&without);
	for (int k = 0; k < CLASSES && isfinite(rate); k++) {
		if (burst_s[k] * rate < LEAST_BURST_B || burst_s[k] * rate > FIT_MOST_B ||
		    !trains_allow(fit, rate, burst_s[k]))
			continue;
		error = error_with(fit, burst_s[k]);
		if (error * times > *known_error || error > GOOD)
			continue;
		*known_error = error;
		fit->burst_s = burst_s[k];
		fit->burst_probes = "one_way";
		is_better = true;
	}
	return is_better;
}

/* What trains allow of it. */
static void take_knee(struct fit *fit)
{
	double knee = knee_s(fit);

	if (knee == 0 || (fit->train_s >= 0 && fit->train_s < LEAST_OF_TRAINS * knee))
		return;
	fit->burst_s = knee;
	fit->burst_probes = "one_way";
}

void fit_flat(struct fit *fit)
{
	double known_error;

	if (fit->subject == WITHIN_NODE || fit->payload_B > 0 ||
	    (fit->is_latency_shared && fit->burst_s == 0))
		return;
	known_error = error_with(fit, fit->burst_s);
	if (fit->burst_s == 0 && known_error < LEAST_ERROR)
		return;
	if (improve(fit, 0, MUCH_BETTER, &known_error))
		improve(fit, fit->burst_s, 1, &known_error);
	if (fit->burst_s == 0)
		take_knee(fit);
}
