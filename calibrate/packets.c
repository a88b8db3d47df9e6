/* SPDX-License-Identifier: BSD-3-Clause */
/* Payload and headers of packets, from the jumps of probe_packets.c, and what follows from them for
 * latency and burst: a packet waits on both links of its way, unless they have saved up enough. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_multifit.h>

#include "fit.h"

enum { MOST_JUMPS = 8, ENOUGH_JUMPS = 2, N_COEFFICIENTS = 3 };
static const char STREAM[] = "packet_stream", AFTER_REST[] = "packets";
static const double LEAST_OVERHEAD_B = 8;
static const double MOST_PART = 0.5; /* of a link, for overhead */
static const double LEAST_BURST_B = 512;
static const double SURE = 4;		  /* all jumps are so many times their standard error, */
static const double SURE_EACH = 2;	  /* and two of them by themselves */
static const double SAME_DISTANCE = 0.01; /* of jumps, or one byte */
static const double SAME_HEIGHT = 0.5;
/* Of a sample's interval; at least, of its value: what a simulated clock rounds. */
static const double LEAST_SIGMA = 1e-9;

/* A line, and jumps of one height at equal distances. */
struct teeth {
	int n_jumps;
	double first_B, distance_B; /* the largest size below the first jump */
	double jump_s, jump_error_s;
};

static struct summary time_of(const struct fit *fit, const char *name, int64_t size_B)
{
	struct sample_key key = sample_key(name, BETWEEN_NODES, size_B, 0);

	return samples_summary(fit->samples, &key);
}

static double sigma_of(const struct summary *time)
{
	return fmax((time->high - time->low) / 4, LEAST_SIGMA * fabs(time->median));
}

/* Jumps at equal distances; false: there are none. */
static bool find_jumps(const struct samples *samples, struct teeth *teeth)
{
	double jumps_B[MOST_JUMPS];
	const char *text;
	int n = 0;

	while (n < MOST_JUMPS && (text = samples_get_fact(samples, "packet_jump_B", n)))
		jumps_B[n++] = strtod(text, NULL);
	if (n < 2)
		return false;
	teeth->n_jumps = n;
	teeth->first_B = jumps_B[0];
	teeth->distance_B = round((jumps_B[n - 1] - jumps_B[0]) / (n - 1));
	for (int k = 1; k < n; k++)
		if (fabs(jumps_B[k] - jumps_B[0] - k * teeth->distance_B) >
		    fmax(SAME_DISTANCE * teeth->distance_B, 1))
			return false;
	return teeth->distance_B > LEAST_OVERHEAD_B;
}

static int count_points(const struct fit *fit, const struct teeth *teeth)
{
	const struct sample_key *key = NULL;
	int n = 0;

	while ((key = samples_next(fit->samples, STREAM, key ? key->x : -1)))
		n += (double)key->x > teeth->first_B;
	return n;
}

static void solve(struct teeth *teeth, const gsl_matrix *rows, const gsl_vector *weights,
		  const gsl_vector *times)
{
	gsl_multifit_linear_workspace *space =
	    gsl_multifit_linear_alloc(times->size, N_COEFFICIENTS);
	gsl_vector *found = gsl_vector_alloc(N_COEFFICIENTS);
	gsl_matrix *covariance = gsl_matrix_alloc(N_COEFFICIENTS, N_COEFFICIENTS);
	double chi_square;

	teeth->jump_s = 0;
	if (space && found && covariance &&
	    !gsl_multifit_wlinear(rows, weights, times, found, covariance, &chi_square, space)) {
		double variance = chi_square / (double)(times->size - N_COEFFICIENTS);

		teeth->jump_s = gsl_vector_get(found, 2);
		teeth->jump_error_s = sqrt(variance * gsl_matrix_get(covariance, 2, 2));
	}
	gsl_multifit_linear_free(space);
	gsl_vector_free(found);
	gsl_matrix_free(covariance);
}

/* The line with equal jumps through all points behind the first one. They count by their samples:
 * what few of these scatter by is not known well enough. */
static void fit_teeth(const struct fit *fit, struct teeth *teeth)
{
	int n = count_points(fit, teeth), i = 0;
	const struct sample_key *key = NULL;
	gsl_matrix *rows;
	gsl_vector *weights, *times;

	teeth->jump_s = 0;
	if (n <= N_COEFFICIENTS)
		return;
	rows = gsl_matrix_alloc((size_t)n, N_COEFFICIENTS);
	weights = gsl_vector_alloc((size_t)n);
	times = gsl_vector_alloc((size_t)n);
	while (rows && weights && times &&
	       (key = samples_next(fit->samples, STREAM, key ? key->x : -1))) {
		double behind_B = (double)key->x - teeth->first_B;
		struct summary time = samples_summary(fit->samples, key);

		if (behind_B <= 0)
			continue;
		gsl_matrix_set(rows, (size_t)i, 0, 1);
		gsl_matrix_set(rows, (size_t)i, 1, (double)key->x);
		gsl_matrix_set(rows, (size_t)i, 2, ceil(behind_B / teeth->distance_B));
		gsl_vector_set(weights, (size_t)i, time.n);
		gsl_vector_set(times, (size_t)i++, time.median);
	}
	if (i == n)
		solve(teeth, rows, weights, times);
	gsl_matrix_free(rows);
	gsl_vector_free(weights);
	gsl_vector_free(times);
}

/* Two jumps or more, each by itself, stand out of what their two times scatter by, and all are
 * about as high as all of them together say. */
static bool are_clear(const struct fit *fit, const struct teeth *teeth)
{
	int n_clear = 0;

	for (int k = 0; k < teeth->n_jumps; k++) {
		int64_t size_B =
		    strtoll(samples_get_fact(fit->samples, "packet_jump_B", k), NULL, 10);
		struct summary below = time_of(fit, STREAM, size_B),
			       above = time_of(fit, STREAM, size_B + 1);
		double jump_s = above.median - below.median,
		       scatter_s = SURE_EACH * hypot(sigma_of(&below), sigma_of(&above));

		if (!below.n || !above.n ||
		    fabs(jump_s - teeth->jump_s) > SAME_HEIGHT * teeth->jump_s + scatter_s)
			return false;
		n_clear += jump_s >= scatter_s;
	}
	return n_clear >= ENOUGH_JUMPS;
}

double fit_wire_s(const struct fit *fit, double size_B)
{
	double packets = fmax(ceil(size_B / fit->payload_B), 1);

	return (size_B + packets * fit->overhead_B) /
	       (fit->bandwidth_Bps[fit->subject].value * (1 + fit->overhead_B / fit->payload_B));
}

double fit_packets_s(const struct fit *fit, double size_B, double credit_s)
{
	double wire_s = fit_wire_s(fit, size_B), one_s = fit_wire_s(fit, fit->payload_B);

	/* links that save up a packet hold none up: those of the first link come as they leave */
	if (fit->burst_s >= one_s)
		return fmax(wire_s - credit_s, 0);
	if (size_B <= fit->payload_B)
		return 2 * fmax(wire_s - credit_s, 0);
	return wire_s + one_s - 2 * credit_s;
}

double fit_rested_s(const struct fit *fit)
{
	double one_s;

	if (fit->payload_B == 0)
		return fit->burst_s;
	one_s = fit_wire_s(fit, fit->payload_B);
	return fit->burst_s >= one_s ? fit->burst_s : 2 * fit->burst_s - one_s;
}

double fit_nothing_s(const struct fit *fit)
{
	double latency_s = fit->latency[fit->subject].value;

	if (fit->payload_B > 0)
		return latency_s + fit_packets_s(fit, 0, fit->burst_s);
	return fit->is_latency_shared ? fmax(latency_s - fit->burst_s, 0) : latency_s;
}

/* A rank that answers a message has acknowledged its packet before, or not: not each one is. The
 * acknowledgement is a packet, too. Where it has its link until the answer is to have it, after
 * what processors need and the latency, that waits, unless the link has saved up so much. */
static bool answers_wait(const struct fit *fit)
{
	double packet_s = fit_wire_s(fit, 0);

	return fit->burst_s < packet_s && fit->empty[fit->subject].value < 3 * packet_s;
}

/* A round trip of nothing, after a rest, of which no half waited. */
static struct summary round_trip(const struct fit *fit)
{
	const struct samples *samples = fit->samples;
	struct summary trip = time_of(fit, AFTER_REST, 0);
	double middle_s = (trip.minimum + trip.maximum) / 2,
	       *values = calloc(samples->n + 1, sizeof(*values));
	int n = 0;

	if (!values)
		return trip;
	for (size_t i = 0; i < samples->n; i++) {
		const struct sample *sample = &samples->list[i];

		if (!strcmp(sample->key.name, AFTER_REST) && sample->key.x == 0 &&
		    sample->value <= middle_s)
			values[n++] = sample->value;
	}
	trip = summary_of(values, n);
	free(values);
	return trip;
}

static double half_of(const struct value *v)
{
	return (v->high - v->low) / 2;
}

static void find_nothing(struct fit *fit)
{
	int w = fit->subject;
	struct summary trip = round_trip(fit);
	struct value *empty = &fit->empty[w], *latency = &fit->latency[w];
	double less_s = empty->value - trip.median / 2, half_s;

	if (trip.n == 0 || less_s <= 0)
		return;
	*empty = (struct value){true,	       trip.median / 2, trip.low / 2,
				trip.high / 2, trip.n,		trip.n_outliers};
	half_s = hypot(half_of(empty),
		       hypot(half_of(&fit->send_overhead[w]), half_of(&fit->recv_overhead[w])));
	latency->value -= fmin(less_s, latency->value);
	latency->low = latency->value - half_s;
	latency->high = latency->value + half_s;
	latency->n = trip.n;
	latency->n_outliers = trip.n_outliers;
}

/* An eager message of several packets that was sent after a rest; -1: there was none. */
static int64_t eager_size(const struct fit *fit)
{
	int64_t threshold_B = fit->threshold_B[fit->subject];
	const struct sample_key *key = NULL;

	/* smaller ones passed at once */
	for (key = samples_next(fit->samples, AFTER_REST, 0); key;) {
		const struct sample_key *next = samples_next(fit->samples, AFTER_REST, key->x);

		if (!next || next->x > threshold_B)
			break;
		key = next;
	}
	return key && key->x <= threshold_B && (double)key->x > fit->payload_B ? key->x : -1;
}

/* What a message takes longer than an empty one, after a rest, without overheads of its bytes. */
static double behind_empty_s(const struct fit *fit, int64_t size_B)
{
	return time_of(fit, AFTER_REST, size_B).median - time_of(fit, AFTER_REST, 0).median -
	       (fit->send_per_B_s + fit->recv_per_B_s) * (double)size_B;
}

/* What it takes longer than its bytes do on one link: a packet's wait on the other link, less what
 * a rest spares both. */
static void several_say(struct fit *fit, int64_t size_B, double header_B)
{
	double one_s = fit_wire_s(fit, fit->payload_B),
	       wait_s = behind_empty_s(fit, size_B) - fit_wire_s(fit, (double)size_B + header_B);

	fit->burst_s = wait_s > -one_s ? fmax(one_s - wait_s, 0) / 2 : -wait_s;
}

/* A packet that does not pass at once waits on both links for all of it that they have not saved
 * up. */
static void one_says(struct fit *fit)
{
	const struct sample_key *key = samples_next(fit->samples, AFTER_REST, 0);
	double behind_s;

	if (!key || key->x > fit->threshold_B[fit->subject])
		return;
	behind_s = behind_empty_s(fit, key->x);
	if (behind_s * fit->bandwidth_Bps[fit->subject].value > 2 * LEAST_BURST_B)
		fit->burst_s = fmax(fit_wire_s(fit, (double)key->x) - behind_s / 2, 0);
}

/* Empty messages are packets, too. The library's own header travels with each. */
static void find_credit(struct fit *fit, const struct teeth *teeth)
{
	double wait_s, packets = ceil(teeth->first_B / teeth->distance_B), header_B = 0;
	int64_t size_B = eager_size(fit);
	int w = fit->subject;
	struct value *latency = &fit->latency[w];

	if (teeth->first_B <= (double)fit->threshold_B[w]) /* that size fills its packets */
		header_B = packets * teeth->distance_B - teeth->first_B;
	if (time_of(fit, AFTER_REST, 0).n) {
		if (size_B > 0)
			several_say(fit, size_B, header_B);
		else
			one_says(fit);
	}
	fit->burst_s = fmin(fit->burst_s, FIT_MOST_B / fit->bandwidth_Bps[w].value);
	if (fit->burst_s * fit->bandwidth_Bps[w].value < LEAST_BURST_B)
		fit->burst_s = 0;
	if (answers_wait(fit))
		find_nothing(fit);
	wait_s = fmin(fit_packets_s(fit, 0, fit->burst_s), latency->value);
	latency->value -= wait_s;
	latency->low -= wait_s;
	latency->high -= wait_s;
}

void fit_packets(struct fit *fit)
{
	double rate = fit_plain_rate(fit), part;
	struct teeth teeth = {0};

	if (fit->subject == WITHIN_NODE || !isfinite(rate) ||
	    !samples_get_fact(fit->samples, "packet_jump_B", 0))
		return;
	fit->has_doubtful_packets = true;
	if (!find_jumps(fit->samples, &teeth))
		return;
	fit_teeth(fit, &teeth);
	/* a jump is the overhead of a packet, on links that carry more than the bandwidth by it */
	part = teeth.jump_s * rate / teeth.distance_B;
	if (fit->choice.overhead_B > 0)
		part = fit->choice.overhead_B / (teeth.distance_B + fit->choice.overhead_B);
	if (part * teeth.distance_B < LEAST_OVERHEAD_B || part > MOST_PART)
		return;
	if (!fit->choice.has_packets &&
	    (teeth.jump_s <= SURE * teeth.jump_error_s || !are_clear(fit, &teeth)))
		return;
	fit->has_doubtful_packets = false;
	fit->payload_B = teeth.distance_B;
	fit->overhead_B = round(part * teeth.distance_B / (1 - part));
	fit->overhead_error_B = 2 * teeth.jump_error_s * rate / (1 - part);
	fit->is_latency_shared = false;
	fit->bandwidth_Bps[fit->subject].value = rate;
	find_credit(fit, &teeth);
}
