/* SPDX-License-Identifier: BSD-3-Clause */
/* From times of messages to times of transfers: what remains without overheads, the handshake of a
 * rendezvous and what passes at once after a rest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

/* Messages that are smaller than so many bursts do not find a whole one in a game of ping-pong. */
static const double BURSTS_APART = 2.2;
/* Less than that with a request is its header, or the measurement's error. */
static const double LEAST_REQUEST_DATA_B = 4096;
/* So little of a message's time is rounding. */
static const double NOTHING = 1e-6;
enum { ROUNDS = 8 }; /* of two sizes that depend on each other */

static double overheads(const struct fit *fit)
{
	return fit->send_overhead[fit->subject].value + fit->recv_overhead[fit->subject].value;
}

double fit_latency(const struct fit *fit, int where)
{
	return where == WITHIN_NODE ? fit_intra_latency(fit) : fit->latency[where].value;
}

/* Both overheads of so many bytes that travel before the match. */
static double early_overhead(const struct fit *fit, double size_B)
{
	return (fit->send_per_B_s + fit->recv_per_B_s) * size_B;
}

static bool has_packets(const struct fit *fit, int where)
{
	return where == BETWEEN_NODES && fit->payload_B > 0;
}

static double burst_s(const struct fit *fit, int where)
{
	return where == WITHIN_NODE ? 0 : fit->burst_s;
}

/* How long a transfer has its links, when they have saved up so much. */
static double work_s(const struct fit *fit, int where, double size_B, double credit_s)
{
	if (has_packets(fit, where))
		return fit_packets_s(fit, size_B, credit_s);
	return fmax(size_B / fit->bandwidth_Bps[where].value - credit_s, 0);
}

/* What credit spares a transfer. */
static double spared_by(const struct fit *fit, int where, double size_B, double credit_s)
{
	if (where == BETWEEN_NODES && fit->is_latency_shared)
		return fmin(credit_s,
			    fit->latency[where].value + size_B / fit->bandwidth_Bps[where].value);
	return work_s(fit, where, size_B, 0) - work_s(fit, where, size_B, credit_s);
}

/* What a transfer takes that finds so much credit. */
static double with_credit(const struct fit *fit, int where, double time_s, double size_B,
			  double credit_s)
{
	return time_s - spared_by(fit, where, size_B, credit_s);
}

static double plain_time(const struct fit *fit, int where, double size_B)
{
	return fit_latency(fit, where) + work_s(fit, where, size_B, 0);
}

/* By the eager messages, of which there are few under some libraries. */
static double eager_time(const struct fit *fit, int where, double size_B)
{
	const struct curve *curve = &fit->eager[where];

	if (curve->n_points < 3 || has_packets(fit, where))
		return plain_time(fit, where, size_B);
	return fit_curve_time(curve, (int64_t)size_B);
}

/* The size of an eager transfer that takes so long, with so much more for each byte. */
static double size_of_time(const struct fit *fit, int where, double time_s, double per_B_s)
{
	double low_B = 0, high_B = 1 << 30,
	       high_s = eager_time(fit, where, high_B) + per_B_s * high_B;

	if (time_s <= eager_time(fit, where, 0))
		return 0;
	if (high_s < time_s)
		return fmin(fmax(time_s - fit_latency(fit, where), 0) *
				fit->bandwidth_Bps[where].value,
			    high_B);
	while (high_B - low_B > 0.01) {
		double middle_B = (low_B + high_B) / 2, floor_B = floor(middle_B),
		       at_s = eager_time(fit, where, floor_B);

		at_s += (middle_B - floor_B) * (eager_time(fit, where, floor_B + 1) - at_s);
		if (at_s + per_B_s * middle_B < time_s)
			low_B = middle_B;
		else
			high_B = middle_B;
	}
	return low_B;
}

/* --- the handshake --- */

/* A request, the control messages that follow it, and the credit that the bulk finds. */
struct handshake {
	double time_s, bulk_credit_s;
};

static struct handshake handshake(const struct fit *fit, int where, double control_B,
				  double request_s)
{
	double burst = burst_s(fit, where), request_B = control_B + fmax(fit->request_data_B, 0),
	       control_s, taken_s = request_B / fit->bandwidth_Bps[where].value;
	struct handshake h;

	if (has_packets(fit, where))
		taken_s = fit_wire_s(fit, request_B);
	control_s = with_credit(fit, where, eager_time(fit, where, control_B), control_B, burst);
	h.time_s = with_credit(fit, where, request_s, request_B, burst) +
		   (fit_n_control(fit) - 1) * control_s;
	h.bulk_credit_s = fmin(burst, fmax(burst - taken_s, 0) + 2 * fit_latency(fit, where));
	return h;
}

static struct summary time_of(const struct fit *fit, const char *name, int64_t size_B)
{
	struct sample_key key = sample_key(name, fit->subject, size_B, 0);

	return samples_summary(fit->samples, &key);
}

/* How long the request takes, its data with it: a receive that comes late is spared that. 0: it was
 * not measured. */
static double measured_request_s(const struct fit *fit)
{
	int64_t size_B = -1;
	double spared_s, regained_s, latency_s = fit->latency[fit->subject].value;

	for (size_t i = 0; i < fit->samples->n && size_B < 0; i++)
		if (!strcmp(fit->samples->list[i].key.name, "late_bulk"))
			size_B = fit->samples->list[i].key.x;
	if (size_B < 0)
		return 0;
	spared_s = time_of(fit, "one_way", size_B).median -
		   time_of(fit, "late_bulk", size_B).median -
		   fit->send_overhead[fit->subject].value;
	spared_s *= 1 + fit->copied_per_B_s * fit->bandwidth_Bps[fit->subject].value;
	/* a bulk that is late finds links that have rested, another one what they regain meanwhile
	 */
	regained_s = spared_by(fit, fit->subject, (double)size_B,
			       fmin(burst_s(fit, fit->subject), 2 * latency_s));
	return spared_s > latency_s * (1 + NOTHING) ? spared_s + regained_s : spared_s;
}

/* The step at the threshold E is what a rendezvous takes more than an eager message: its request, n
 * - 1 more control messages, and the rest as bulk. */
static double control_size(const struct fit *fit, double step_s, double request_s)
{
	int w = fit->subject, n = fit_n_control(fit);
	double at_B = (double)fit->threshold_B[w], data_B = fmax(fit->request_data_B, 0),
	       bulk_B = fmax(at_B + 1 - data_B, 0), burst = burst_s(fit, w);
	struct handshake h = handshake(fit, w, 0, request_s);
	double rest_s = step_s + early_overhead(fit, at_B - data_B) +
			with_credit(fit, w, eager_time(fit, w, at_B), at_B, burst) -
			with_credit(fit, w, eager_time(fit, w, bulk_B), bulk_B, h.bulk_credit_s);

	if (data_B == 0)
		rest_s /= n;
	else
		rest_s = (rest_s - with_credit(fit, w, request_s, data_B, burst)) / (n - 1);
	return burst > 0
		   ? fmin(fmax(rest_s - fit->latency[w].value, 0) * fit->bandwidth_Bps[w].value,
			  FIT_MOST_B)
		   : fmin(size_of_time(fit, w, rest_s, 0), FIT_MOST_B);
}

/* Control messages, and what travels with the first of them. Its data cost the sender time, too: of
 * request_s, which is measured, the transfer is what that leaves. */
static double find_sizes(struct fit *fit, double step_s, double request_s)
{
	double per_B_s = fit->send_per_B_s, control_B;
	int w = fit->subject;

	fit->request_data_B = size_of_time(fit, w, request_s, per_B_s);
	if (fit->request_data_B < LEAST_REQUEST_DATA_B) {
		fit->request_data_B = -1;
		return control_size(fit, step_s, 0);
	}
	control_B = control_size(fit, step_s, request_s - per_B_s * fit->request_data_B);
	for (int k = 0; k < ROUNDS; k++) {
		fit->request_data_B =
		    size_of_time(fit, w, request_s + per_B_s * control_B, per_B_s) - control_B;
		fit->request_data_B = fmax(fit->request_data_B, LEAST_REQUEST_DATA_B);
		control_B = control_size(fit, step_s, request_s - per_B_s * fit->request_data_B);
	}
	return control_B;
}

static void find_handshake(struct fit *fit)
{
	int w = fit->subject, n = fit_n_control(fit);
	int64_t eager_B = fit->threshold_B[w], next_B = eager_B < INT64_MAX ? eager_B + 1 : eager_B;
	struct summary at = time_of(fit, "one_way", eager_B),
		       above = time_of(fit, "one_way", next_B);
	double rate = fit->bandwidth_Bps[w].value, control_B, half;

	fit->request_data_B = -1;
	if (!at.n || !above.n || !isfinite(rate))
		return;
	control_B = find_sizes(fit, above.median - at.median, measured_request_s(fit));
	half = hypot(at.high - at.low, above.high - above.low) / 2 * rate / n;
	fit->control_B = (struct value){
	    true, control_B, control_B - half, control_B + half, above.n, above.n_outliers};
}

static struct handshake handshake_of(const struct fit *fit, int where)
{
	double request_B = fit->control_B.value + fmax(fit->request_data_B, 0);

	return handshake(fit, where, fit->control_B.value, eager_time(fit, where, request_B));
}

/* --- points --- */

/* Messages that are smaller tell nothing of the bytes' time: they pass at once, or find links that
 * have rested for a part of a burst only. */
static double least_B(const struct fit *fit, int where)
{
	double burst = burst_s(fit, where), rate = fit->bandwidth_Bps[where].value;

	if (burst == 0 || (fit->is_latency_shared && burst < fit->empty[where].value))
		return 0;
	return (2 * fit->empty[where].value < burst ? BURSTS_APART : 1) * burst * rate;
}

/* The transfer of an eager message, or the bulk of another; false: it tells nothing. */
static bool make_point(const struct fit *fit, int where, const struct point *message,
		       struct point *transfer)
{
	double size_B = (double)message->size_B,
	       shift_s = -overheads(fit), data_B = fmax(fit->request_data_B, 0);
	double burst = burst_s(fit, where), early_B = size_B;
	struct handshake h;

	*transfer = *message;
	if (message->size_B > fit->threshold_B[fit->subject]) {
		if (size_B - data_B <= fmax((double)fit->threshold_B[fit->subject], 0))
			return false;
		h = handshake_of(fit, where);
		shift_s += spared_by(fit, where, size_B - data_B, h.bulk_credit_s) - h.time_s;
		transfer->size_B -= llround(data_B);
		early_B = data_B;
	} else if (size_B > 0 || fit->is_latency_shared) {
		if (size_B < least_B(fit, where))
			return false;
		shift_s += spared_by(fit, where, size_B, burst);
	}
	shift_s -= early_overhead(fit, early_B);
	transfer->time.median += shift_s;
	transfer->time.low += shift_s;
	transfer->time.high += shift_s;
	if (fabs(transfer->time.median) < NOTHING * message->time.median)
		transfer->time.median = transfer->time.low = transfer->time.high = 0;
	return transfer->time.median >= 0 || message->size_B == 0;
}

static int convert(const struct fit *fit, int where, bool only_eager, struct curve *curve)
{
	const struct curve *messages = &fit->curves[where];
	int64_t threshold_B = fit->threshold_B[fit->subject];

	*curve = (struct curve){0};
	curve->points = calloc((size_t)messages->n_points + 1, sizeof(*curve->points));
	if (!curve->points)
		return -1;
	for (int k = 0; k < messages->n_points; k++) {
		if (only_eager && messages->points[k].size_B > threshold_B)
			break;
		if (!make_point(fit, where, &messages->points[k], &curve->points[curve->n_points]))
			continue;
		curve->n_samples += curve->points[curve->n_points].time.n;
		curve->n_outliers += curve->points[curve->n_points++].time.n_outliers;
	}
	return curve_fit(curve, INT64_MAX); /* a bulk may be as fast as what is eager */
}

int fit_transfers(struct fit *fit)
{
	fit->request_data_B = -1;
	for (int w = BETWEEN_NODES; w <= WITHIN_NODE; w++)
		if (convert(fit, w, true, &fit->eager[w]) < 0)
			return -1;
	find_handshake(fit);
	for (int w = BETWEEN_NODES; w <= WITHIN_NODE; w++)
		if (convert(fit, w, false, &fit->transfers[w]) < 0)
			return -1;
	return 0;
}

/* --- what the plain values give --- */

static double plain_message_time(const struct fit *fit, int where, int64_t size_B)
{
	double burst = burst_s(fit, where), data_B = fmax(fit->request_data_B, 0),
	       control_B = fit->control_B.value;
	struct handshake h;

	if (size_B <= fit->threshold_B[fit->subject])
		return overheads(fit) + early_overhead(fit, (double)size_B) +
		       with_credit(fit, where, plain_time(fit, where, (double)size_B),
				   (double)size_B, burst);
	h = handshake(fit, where, control_B, plain_time(fit, where, control_B + data_B));
	return overheads(fit) + early_overhead(fit, data_B) + h.time_s +
	       with_credit(fit, where, plain_time(fit, where, (double)size_B - data_B),
			   (double)size_B - data_B, h.bulk_credit_s);
}

double fit_plain_error(const struct fit *fit, int where)
{
	const struct curve *curve = &fit->curves[where];
	double worst = 0;

	if (has_packets(fit, where)) /* which are as good as segments, and exclude them */
		return 0;
	for (int k = 0; k < curve->n_points; k++) {
		double time_s = curve->points[k].time.median;
		int64_t size_B = curve->points[k].size_B;

		if (time_s > 0 && (size_B == 0 || (double)size_B >= least_B(fit, where)))
			worst =
			    fmax(worst, fabs(plain_message_time(fit, where, size_B) / time_s - 1));
	}
	return worst;
}
