/* SPDX-License-Identifier: BSD-3-Clause */
/* Send buffers by size and windows by use, from the probes of probe_used.c and probe_window.c. */
#include <math.h>
#include <string.h>

#include "fit.h"

static const double SAME = 0.05;
/* Windows that differ by less in all are a queue's length. */
static const double LEAST_GROWTH = 0.1;
static const double ALL_OF_IT = 0.98;
static const double LEAST_SPREAD = 0.05;

void fit_add_since(struct since *list, int *n, int64_t from_B, double size_B)
{
	const struct since *last = *n ? &list[*n - 1] : NULL;

	if (*n < FIT_SINCE &&
	    (!last || (from_B > last->from_B && fabs(size_B - last->size_B) > SAME * last->size_B)))
		list[(*n)++] = (struct since){from_B, size_B};
}

/* Of transfers of that size. */
static double rate_at(const struct fit *fit, double size_B)
{
	const struct curve *curve = &fit->transfers[fit->subject];
	int k = 0;

	if (fit_plain_error(fit, fit->subject) <= FIT_PLAIN_ENOUGH || !curve->n_segments)
		return fit->bandwidth_Bps[fit->subject].value;
	while (k + 1 < curve->n_segments && size_B >= (double)curve->segments[k + 1].from_B)
		k++;
	return 1 / fmax(curve->segments[k].per_byte_s, 1e-19);
}

/* From the return of a send until the receiver's answer: what had not arrived, and an empty
 * message. */
void fit_send_buffer(struct fit *fit)
{
	int w = fit->subject;
	double most_B = 0;
	const struct sample_key *key = NULL;

	while (isfinite(fit->bandwidth_Bps[w].value) &&
	       (key = samples_next(fit->samples, "send_buffer", key ? key->x : -1))) {
		double bulk_B = (double)key->x - fmax(fit->request_data_B, 0), left_s, left_B;

		left_s = samples_summary(fit->samples, key).median - fit->empty[w].value -
			 fit->recv_overhead[w].value;
		left_B = fmax(left_s, 0) * rate_at(fit, bulk_B);
		most_B = fmax(most_B, fmin(left_B, bulk_B));
		/* what held all of a message may hold more */
		if (left_B < ALL_OF_IT * bulk_B &&
		    left_s < ALL_OF_IT * (fit_curve_time(&fit->transfers[w], (int64_t)bulk_B) -
					  fit->burst_s))
			fit_add_since(fit->send_buffers, &fit->n_send_buffers,
				      fit->n_send_buffers ? key->x : 0, left_B);
	}
	if (fit->n_send_buffers == 0 && most_B > 0)
		fit_add_since(fit->send_buffers, &fit->n_send_buffers, 0, most_B);
}

/* What a byte waited behind a connection's bulk. */
static double waited_B(const struct fit *fit, double time_s)
{
	struct sample_key alone = sample_key("beside_nothing", BETWEEN_NODES, 0, 0);

	return fmax(0, time_s - samples_summary(fit->samples, &alone).median) *
	       fit->bandwidth_Bps[fit->subject].value;
}

static double waited_of(const struct fit *fit, const struct sample_key *key)
{
	return waited_B(fit, samples_summary(fit->samples, key).median);
}

/* Of two connections that begin so soon after each other that both have the same: until when? */
static void find_meeting(struct fit *fit, double first_B)
{
	const struct sample_key *key = NULL;
	double met_B = -1, low_s = 0, high_s = 0, sent_s = fit->send_overhead[fit->subject].value;

	while ((key = samples_next(fit->samples, "window_meeting", key ? key->x : -1))) {
		double size_B = waited_of(fit, key), delay_s = (double)key->x * 1e-9 - sent_s;

		if (met_B < 0)
			met_B = size_B;
		if (fabs(size_B - first_B) <= LEAST_GROWTH * first_B ||
		    fabs(size_B - first_B) < fabs(size_B - met_B)) {
			high_s = high_s > 0 ? high_s : delay_s;
		} else if (high_s == 0) {
			low_s = delay_s;
		}
	}
	if (low_s <= 0)
		return;
	fit->window_meeting_s = high_s > 0 ? (low_s + high_s) / 2 : low_s;
	fit->window_against_B = met_B;
}

/* How far those that found the other node sending differ: a uniform distribution around what those
 * that met have, judged by its lower half, since a queue hides what is longer than itself. */
static void find_against(struct fit *fit, double first_B)
{
	struct sample_key key = sample_key("window_against", BETWEEN_NODES, 0, 0);
	const struct sample_key *any = samples_next(fit->samples, "window_against", -1);
	double squares = 0, middle_B;
	int n = 0;

	if (!any)
		return;
	key.y = any->y;
	middle_B = waited_of(fit, &key);
	if (fit->window_against_B == 0 && middle_B > (1 + LEAST_GROWTH) * first_B)
		fit->window_against_B = middle_B;
	if (fit->window_against_B == 0)
		return;
	for (size_t i = 0; i < fit->samples->n; i++) {
		const struct sample *sample = &fit->samples->list[i];
		double below = 1 - waited_B(fit, sample->value) / fit->window_against_B;

		if (strcmp(sample->key.name, "window_against") || below <= 0)
			continue;
		squares += below * below;
		n++;
	}
	if (n > 0 && sqrt(3 * squares / n) > LEAST_SPREAD)
		fit->window_spread = fmin(sqrt(3 * squares / n), 0.99);
}

void fit_windows(struct fit *fit)
{
	const struct sample_key *key = NULL;
	double longest_B = 0, first_B = -1;

	if (!isfinite(fit->bandwidth_Bps[fit->subject].value))
		return;
	while ((key = samples_next(fit->samples, "window", key ? key->x : -1))) {
		double size_B = waited_of(fit, key);

		/* a byte that waits longer than for all of the message has been held up by
		 * something else; windows do not shrink by use */
		if (size_B > (double)key->y || size_B < longest_B)
			continue;
		if (first_B < 0)
			first_B = size_B;
		longest_B = size_B;
		fit_add_since(fit->windows, &fit->n_windows, key->x, size_B);
	}
	if (first_B <= 0 || longest_B < (1 + LEAST_GROWTH) * first_B) {
		fit->n_windows = 0;
		return;
	}
	fit->queue_B = fmax(fit->queue_B, longest_B);
	find_meeting(fit, first_B);
	find_against(fit, first_B);
	fit->window_against_B = fmin(fit->window_against_B, FIT_MOST_B);
}
