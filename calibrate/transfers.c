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
static const double LEAST_HIDDEN_B = 16; /* of a control message, what is said */
static const double NEARLY = 1e-3, SAME = 0.02, ON_LINE = 0.005;
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

static struct handshake handshake(const struct fit *fit, int where, double control_B,
				  double request_s)
{
	double burst = burst_s(fit, where), request_B = control_B + fmax(fit->request_data_B, 0),
	       control_s =
		   with_credit(fit, where, eager_time(fit, where, control_B), control_B, burst);

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

/* The request and what travels with it, what the sender spends on this, and that a bulk which is
 * late finds links that have rested. */
static double predicted_spared(const struct fit *fit, double of_B, double request_B, double data_B)
{
	int w = fit->subject;
	double burst = burst_s(fit, w), bulk_B = fmax(of_B - data_B, 0);

	return with_credit(fit, w, eager_time(fit, w, request_B), request_B, burst) +
	       fit->send_per_B_s * data_B + spared_by(fit, w, bulk_B, burst) -
	       spared_by(fit, w, bulk_B, credit_behind(fit, w, request_B));
}

/* What travels with a request of such control messages that a late receive is spared so much. */
static double data_of(const struct fit *fit, const struct request *request, double control_B)
{
	double low_B = 0, high_B = fmax(request->size_B, 1);

	while (high_B - low_B > 1e-3) {
		double middle_B = (low_B + high_B) / 2;

		if (predicted_spared(fit, request->size_B, control_B + middle_B, middle_B) <
		    request->spared_s - ROUNDING_S)
			low_B = middle_B;
		else
			high_B = middle_B;
	}
	return low_B;
}

/* What a message of a byte more than the threshold takes more than one at it: its request, n - 1
 * more control messages, and the rest as bulk. */
static double predicted_step(const struct fit *fit, double control_B)
{
	int w = fit->subject;
	double at_B = (double)fit->threshold_B[w], data_B = fmax(fit->request_data_B, 0),
	       bulk_B = fmax(at_B + 1 - data_B, 0);
	struct handshake h = handshake(fit, w, control_B, eager_time(fit, w, control_B + data_B));

	return h.time_s - early_overhead(fit, at_B - data_B) +
	       with_credit(fit, w, eager_time(fit, w, bulk_B), bulk_B, h.bulk_credit_s) -
	       with_credit(fit, w, eager_time(fit, w, at_B), at_B, burst_s(fit, w));
}

/* The size of control messages that makes up the step; with a request: with as much data as that
 * has time for. */
static double control_size(struct fit *fit, double step_s, const struct request *request)
{
	double low_B = 0, high_B = FIT_MOST_B, rate = fit->bandwidth_Bps[fit->subject].value;
	/* of what takes as long within a burst, the smallest */
	double same_s = 3 * ROUNDING_S + (fit->burst_s > 0 ? NEARLY * fabs(step_s) : 0);

	/* eager messages tell nothing of their bytes, and of so few larger ones would be made */
	if (predicted_step(fit, FIT_MOST_B) < step_s - same_s)
		return fmax(step_s - predicted_step(fit, 0), 0) * rate / fit_n_control(fit);
	while (high_B - low_B > 1e-3) {
		double middle_B = (low_B + high_B) / 2;

		if (request)
			fit->request_data_B = data_of(fit, request, middle_B);
		if (predicted_step(fit, middle_B) < step_s - same_s)
			low_B = middle_B;
		else
			high_B = middle_B;
	}
	/* as long as they pass at once, a disturbance would seem to be a burst */
	if (!request && low_B < 1.5 * fit->burst_s * rate)
		low_B = fmax(step_s - predicted_step(fit, 0), 0) * rate / fit_n_control(fit);
	return low_B;
}

/* Control messages, and what travels with the first of them. */
static void solve_handshake(struct fit *fit, double step_s, const struct request *request)
{
	double rate = fit->bandwidth_Bps[fit->subject].value, control_B,
	       least_B = fmin(fmax(LEAST_REQUEST_DATA * fit->empty[fit->subject].value * rate,
				   LEAST_REQUEST_DATA_B),
			      ALWAYS_REQUEST_DATA_B);

	fit->request_data_B = -1;
	control_B = fit->control_B.value = control_size(fit, step_s, NULL);
	if (request->size_B == 0 ||
	    request->spared_s - predicted_spared(fit, request->size_B, control_B, 0) <
		fmax(least_B / rate, CERTAIN * request->half_s))
		return;
	fit->control_B.value = control_size(fit, step_s, request);
	fit->request_data_B = data_of(fit, request, fit->control_B.value);
}

double fit_control_s(const struct fit *fit)
{
	int w = fit->subject;
	double size_B = fit->control_B.value;

	return with_credit(fit, w, eager_time(fit, w, size_B), size_B, burst_s(fit, w));
}

enum end { ARRIVED, ACKNOWLEDGED, DOUBTFUL };

/* `as_if` is the fit as if ends were acknowledged. Where ranks need not attend, only times show it:
 * of the handshake, and from the return of a send to the end of its message. */
static enum end end_of(const struct fit *as_if, double step_s, const struct request *request)
{
	double control_s = fit_control_s(as_if), after_s = fit_after_return_s(as_if);

	if (predicted_step(as_if, as_if->control_B.value) > (1 + SAME) * step_s || control_s <= 0)
		return ARRIVED; /* not even four empty messages */
	if (fit_is_lazy(as_if)) /* it waits for two of them, or for nothing */
		return fit_back_s(as_if) > control_s ? ACKNOWLEDGED : ARRIVED;
	if (after_s < (1 - SAME) * control_s)
		return ARRIVED;
	/* a request that is shorter than half of the handshake, or a send that waits for a control
	 * message */
	if ((request->size_B > 0 && request->spared_s < (2 - SAME) * control_s) ||
	    after_s < (1 + SAME) * control_s)
		return ACKNOWLEDGED;
	return request->size_B > 0 && request->spared_s > (2 + SAME) * control_s ? DOUBTFUL
										 : ARRIVED;
}

/* Do messages by rendezvous take the same times with other control messages? */
static bool takes_same_times(const struct fit *fit, const struct fit *other)
{
	const struct curve *curve = &fit->curves[fit->subject];

	for (int k = 0; k < curve->n_points; k++) {
		int64_t size_B = curve->points[k].size_B;
		double time_s = fit_plain_time(fit, fit->subject, size_B);

		if (size_B > fit->threshold_B[fit->subject] &&
		    fabs(fit_plain_time(other, fit->subject, size_B) - time_s) > ON_LINE * time_s)
			return false;
	}
	return true;
}

/* The largest control message of nearly the same times, as it passes with the burst; what the
 * request is longer by its data is shorter. */
static double hidden_control_B(const struct fit *fit)
{
	double found_B = fit->control_B.value, low_B = found_B,
	       high_B = fmax(fit->burst_s * fit->bandwidth_Bps[fit->subject].value, found_B);
	struct fit as_if = *fit;

	while (high_B - low_B > 1e-3) {
		double middle_B = as_if.control_B.value = (low_B + high_B) / 2;

		as_if.request_data_B = fmax(fit->request_data_B - (middle_B - found_B), 0);
		*(takes_same_times(fit, &as_if) ? &low_B : &high_B) = middle_B;
	}
	return low_B;
}

static void find_handshake(struct fit *fit)
{
	int w = fit->subject;
	int64_t eager_B = fit->threshold_B[w], next_B = eager_B < INT64_MAX ? eager_B + 1 : eager_B;
	struct summary at = samples_message(fit->samples, w, eager_B),
		       above = samples_message(fit->samples, w, next_B);
	double rate = fit->bandwidth_Bps[w].value, half_B, step_s = above.median - at.median,
	       hidden_B;
	struct request request = measured_request(fit);
	struct fit as_if;
	enum end end;

	fit->request_data_B = fit->doubtful_control_B = -1;
	if (!at.n || !above.n || !isfinite(rate))
		return;
	as_if = *fit;
	solve_handshake(fit, step_s, &request);
	as_if.is_acknowledged = true;
	if (!fit->is_acknowledged && w == BETWEEN_NODES) {
		solve_handshake(&as_if, step_s, &request);
		end = end_of(&as_if, step_s, &request);
		if (end == DOUBTFUL && fit_is_plainer(&as_if, fit, w, next_B))
			end = ACKNOWLEDGED;
		as_if.is_end_in_times = !fit_is_lazy(fit);
		if (end == ACKNOWLEDGED)
			*fit = as_if;
		else if (end == DOUBTFUL)
			fit->doubtful_control_B = as_if.control_B.value;
	}
	if (!fit_judge_control(fit))
		return;
	half_B = hypot(at.high - at.low, above.high - above.low) / 2 * rate / fit_n_control(fit);
	fit->control_B = (struct value){true,
					fit->control_B.value,
					fit->control_B.value - half_B,
					fit->control_B.value + half_B,
					above.n,
					above.n_outliers};
	hidden_B = hidden_control_B(fit);
	fit->hidden_control_B = hidden_B > fit->control_B.high + LEAST_HIDDEN_B ? hidden_B : 0;
}

static struct handshake handshake_of(const struct fit *fit, int where)
{
	double request_B = fit->control_B.value + fmax(fit->request_data_B, 0);

	return handshake(fit, where, fit->control_B.value, eager_time(fit, where, request_B));
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
	find_handshake(fit);
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
