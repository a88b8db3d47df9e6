/* SPDX-License-Identifier: BSD-3-Clause */
/* From times of messages to times of transfers: what remains without overheads, the handshake of a
 * rendezvous and what passes at once after a rest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

/* Messages that are smaller than so many bursts do not find a whole one in a game of ping-pong. */
static const double BURSTS_APART = 2.2;
/* Of times of samples. */
static const double ROUNDING_S = 4e-12;
/* So little of a message's time is rounding. */
static const double NOTHING = 1e-6;
/* Less than that with a request is its header, or the measurement's error: half intervals, and
 * bytes, or fewer that take this part of an empty message's time. */
static const double CERTAIN = 3;
static const double LEAST_REQUEST_DATA_B = 64, ALWAYS_REQUEST_DATA_B = 4096;
static const double LEAST_REQUEST_DATA = 0.1;
static const double SAME = 0.02, ON_LINE = 0.005;
static const double ALIKE = 1.9; /* times of a byte, of which neither is next to none */

static double overheads(const struct fit *fit)
{
	return fit->send_overhead[fit->subject].value + fit->recv_overhead[fit->subject].value;
}

static double latency_of(const struct fit *fit, int where)
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

static double least_bursts(const struct fit *fit)
{
	return 2 * fit->empty[fit->subject].value < fit->burst_s ? BURSTS_APART : 1;
}

/* The time of a byte of the smallest messages that a burst does not let pass at once. Nothing tells
 * those of others. */
static double first_per_B_s(const struct fit *fit)
{
	int w = fit->subject;
	const struct curve *curve = &fit->curves[w];
	double plain_s = 1 / fit->bandwidth_Bps[w].value;

	for (int k = 0; k < curve->n_segments && fit->burst_s > 0; k++) {
		const struct segment *s = &curve->segments[k];
		double per_B_s = s->per_byte_s;

		if (s->to_B <= fit->threshold_B[w])
			per_B_s -= fit->send_per_B_s + fit->recv_per_B_s;
		if (s->n_points >= 3 && s->worst < ON_LINE && per_B_s * ALIKE > plain_s &&
		    per_B_s < ALIKE * plain_s &&
		    per_B_s * (double)s->to_B > least_bursts(fit) * fit->burst_s)
			return fabs(per_B_s - plain_s) < SAME * plain_s ? plain_s : per_B_s;
	}
	return plain_s;
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
	if (where == BETWEEN_NODES && !has_packets(fit, where))
		return fmin(credit_s, size_B * first_per_B_s(fit));
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
	return latency_of(fit, where) + work_s(fit, where, size_B, 0);
}

/* The line of the smallest messages that are not eager: a bulk begins like what is eager. */
static double small_bulk_time(const struct fit *fit, int where, double size_B)
{
	const struct curve *curve = &fit->curves[where];
	int64_t threshold_B = fit->threshold_B[fit->subject];

	for (int k = 0; k < curve->n_segments && burst_s(fit, where) == 0; k++)
		if (curve->segments[k].from_B > threshold_B && curve->segments[k].n_points >= 3)
			return latency_of(fit, where) +
			       fmax(curve->segments[k].per_byte_s, 0) * size_B;
	return plain_time(fit, where, size_B);
}

/* By the eager messages, of which there are few under some libraries. */
static double eager_time(const struct fit *fit, int where, double size_B)
{
	const struct curve *curve = &fit->eager[where];
	double whole_B = floor(size_B), time_s, next_s;

	if (has_packets(fit, where))
		return plain_time(fit, where, size_B);
	if (curve->n_points < 3)
		return small_bulk_time(fit, where, size_B);
	time_s = fit_curve_time(curve, (int64_t)whole_B);
	next_s = fit_curve_time(curve, (int64_t)whole_B + 1);
	return time_s + (size_B - whole_B) * (next_s - time_s);
}

/* --- the handshake --- */

/* A request, the control messages that follow it, and the credit that the bulk finds. */
struct handshake {
	double time_s, bulk_credit_s;
};

/* What the bulk finds behind a request of so many bytes: links regain what they are idle for. */
static double credit_behind(const struct fit *fit, int where, double request_B)
{
	double burst = burst_s(fit, where),
	       taken_s = has_packets(fit, where) ? fit_wire_s(fit, request_B)
						 : request_B / fit->bandwidth_Bps[where].value;

	return fmin(burst, fmax(burst - taken_s, 0) + 2 * latency_of(fit, where));
}

/* Control messages are empty. */
double fit_control_s(const struct fit *fit)
{
	int w = fit->subject;

	return with_credit(fit, w, eager_time(fit, w, 0), 0, burst_s(fit, w));
}

static struct handshake handshake(const struct fit *fit, int where, double request_s)
{
	double burst = burst_s(fit, where), request_B = fmax(fit->request_data_B, 0),
	       control_s = with_credit(fit, where, eager_time(fit, where, 0), 0, burst);

	return (struct handshake){with_credit(fit, where, request_s, request_B, burst) +
				      (fit_n_control(fit) - 1) * control_s,
				  credit_behind(fit, where, request_B)};
}

/* What a receive of so large a message is spared that comes late. */
struct request {
	double size_B, spared_s, half_s; /* half: of the 95 % interval; size 0: not measured */
};

static struct request measured_request(const struct fit *fit)
{
	const struct sample_key *key = samples_next(fit->samples, "late_bulk", -1);
	double spared_s;
	struct summary early, late;

	if (!key)
		return (struct request){0};
	early = samples_message(fit->samples, fit->subject, key->x);
	late = samples_summary(fit->samples, key);
	spared_s = early.median - late.median - fit->send_overhead[fit->subject].value;
	spared_s *= 1 + fit->copied_per_B_s * fit->bandwidth_Bps[fit->subject].value;
	return (struct request){(double)key->x, spared_s,
				hypot(early.high - early.low, late.high - late.low) / 2};
}

/* What travels with the request, what the sender spends on this, and that a bulk which is late
 * finds links that have rested. */
static double predicted_spared(const struct fit *fit, double of_B, double data_B)
{
	int w = fit->subject;
	double burst = burst_s(fit, w), bulk_B = fmax(of_B - data_B, 0);

	return with_credit(fit, w, eager_time(fit, w, data_B), data_B, burst) +
	       fit->send_per_B_s * data_B + spared_by(fit, w, bulk_B, burst) -
	       spared_by(fit, w, bulk_B, credit_behind(fit, w, data_B));
}

/* As much as a late receive is spared; where that is too little to be certain, none. */
static void find_request_data(struct fit *fit)
{
	struct request request = measured_request(fit);
	double rate = fit->bandwidth_Bps[fit->subject].value, low_B = 0,
	       high_B = fmax(request.size_B, 1),
	       least_B = fmin(fmax(LEAST_REQUEST_DATA * fit->empty[fit->subject].value * rate,
				   LEAST_REQUEST_DATA_B),
			      ALWAYS_REQUEST_DATA_B);

	if (request.size_B == 0 || !isfinite(rate) ||
	    request.spared_s - predicted_spared(fit, request.size_B, 0) <
		fmax(least_B / rate, CERTAIN * request.half_s))
		return;
	while (high_B - low_B > 1e-3) {
		double middle_B = (low_B + high_B) / 2;

		if (predicted_spared(fit, request.size_B, middle_B) < request.spared_s - ROUNDING_S)
			low_B = middle_B;
		else
			high_B = middle_B;
	}
	fit->request_data_B = low_B;
}

static struct handshake handshake_of(const struct fit *fit, int where)
{
	return handshake(fit, where, eager_time(fit, where, fmax(fit->request_data_B, 0)));
}

/* --- points --- */

bool fit_finds_burst(const struct fit *fit, int where, const struct point *message)
{
	double size_B = (double)message->size_B, burst = burst_s(fit, where),
	       bytes_s = size_B * first_per_B_s(fit),
	       apart = message->is_rested ? 1 : least_bursts(fit);

	if (burst == 0 || has_packets(fit, where))
		return size_B >= burst * fit->bandwidth_Bps[where].value * apart;
	if (fit->is_latency_shared)
		return burst < fit->empty[where].value ||
		       size_B >= apart * burst * fit->bandwidth_Bps[where].value;
	return bytes_s <= (message->is_rested ? burst : fmin(burst, 2 * fit->empty[where].value)) ||
	       bytes_s >= apart * burst;
}

/* The transfer of an eager message, or the bulk of another; false: it tells nothing. */
static bool make_point(const struct fit *fit, int where, const struct point *message,
		       struct point *transfer)
{
	double size_B = (double)message->size_B, shift_s = -overheads(fit),
	       data_B = fmax(fit->request_data_B, 0);
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
		if (!fit_finds_burst(fit, where, message))
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
	find_request_data(fit);
	for (int w = BETWEEN_NODES; w <= WITHIN_NODE; w++)
		if (convert(fit, w, false, &fit->transfers[w]) < 0)
			return -1;
	return 0;
}

void fit_free_transfers(struct fit *fit)
{
	for (int w = BETWEEN_NODES; w <= WITHIN_NODE; w++) {
		free(fit->eager[w].points);
		free(fit->transfers[w].points);
		fit->eager[w] = fit->transfers[w] = (struct curve){0};
	}
}

/* --- what the plain values give --- */

double fit_plain_time(const struct fit *fit, int where, int64_t size_B)
{
	double burst = burst_s(fit, where), data_B = fmax(fit->request_data_B, 0);
	struct handshake h;

	if (size_B <= fit->threshold_B[fit->subject])
		return overheads(fit) + early_overhead(fit, (double)size_B) +
		       with_credit(fit, where, plain_time(fit, where, (double)size_B),
				   (double)size_B, burst);
	h = handshake(fit, where, plain_time(fit, where, data_B));
	return overheads(fit) + early_overhead(fit, data_B) + h.time_s +
	       with_credit(fit, where, plain_time(fit, where, (double)size_B - data_B),
			   (double)size_B - data_B, h.bulk_credit_s);
}
