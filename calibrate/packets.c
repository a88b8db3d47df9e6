/* SPDX-License-Identifier: BSD-3-Clause */
/* Payload and headers of packets, from the jumps of probe_packets.c, and what follows from them for
 * latency and burst: a packet waits on both links of its way, unless they have saved up enough. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "saw.h"

enum { MOST_JUMPS = 8, ENOUGH_JUMPS = 2, LEAST_POINTS = 4 };
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

struct teeth {
	int n_jumps;
	struct saw saw; /* first_B: the largest size below the first jump */
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
	teeth->saw.first_B = jumps_B[0];
	teeth->saw.distance_B = round((jumps_B[n - 1] - jumps_B[0]) / (n - 1));
	for (int k = 1; k < n; k++)
		if (fabs(jumps_B[k] - jumps_B[0] - k * teeth->saw.distance_B) >
		    fmax(SAME_DISTANCE * teeth->saw.distance_B, 1))
			return false;
	return teeth->saw.distance_B > LEAST_OVERHEAD_B;
}

/* The line with equal jumps through all points behind the first one. They count by their samples:
 * what few of these scatter by is not known well enough. */
static void fit_teeth(const struct fit *fit, struct teeth *teeth)
{
	struct saw_points points = {0};
	const struct sample_key *key = NULL;

	while (points.n < SAW_POINTS &&
	       (key = samples_next(fit->samples, STREAM, key ? key->x : -1))) {
		struct summary time = samples_summary(fit->samples, key);

		points.size_B[points.n] = (double)key->x;
		points.weight[points.n] = time.n;
		points.time_s[points.n++] = time.median;
	}
	saw_fit(&points, LEAST_POINTS, &teeth->saw);
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
		    fabs(jump_s - teeth->saw.jump_s) > SAME_HEIGHT * teeth->saw.jump_s + scatter_s)
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

/* A rank that answers a message has acknowledged its packet before, or not, and that takes the link
 * of an answer, unless it has saved up so much: the fastest of those after a rest did not wait. */
static void find_nothing(struct fit *fit)
{
	struct summary trip = time_of(fit, AFTER_REST, 0);
	struct value *empty = &fit->empty[fit->subject], *latency = &fit->latency[fit->subject];
	double less_s = fmin(empty->value - trip.low / 2, latency->value);

	if (trip.n == 0 || less_s <= 0 || fit->burst_s >= fit_wire_s(fit, 0))
		return;
	empty->value -= less_s;
	empty->low -= less_s;
	latency->value -= less_s;
	latency->low -= less_s;
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

/* Empty messages are packets, too. The library's own header travels with each. */
static void find_credit(struct fit *fit, const struct teeth *teeth)
{
	double wait_s, packets = ceil(teeth->saw.first_B / teeth->saw.distance_B), header_B = 0;
	int64_t size_B = eager_size(fit);
	int w = fit->subject;
	struct value *latency = &fit->latency[w];

	if (teeth->saw.first_B <= (double)fit->threshold_B[w]) /* that size fills its packets */
		header_B = packets * teeth->saw.distance_B - teeth->saw.first_B;
	if (size_B > 0)
		several_say(fit, size_B, header_B);
	fit->burst_s = fmin(fit->burst_s, FIT_MOST_B / fit->bandwidth_Bps[w].value);
	if (fit->burst_s * fit->bandwidth_Bps[w].value < LEAST_BURST_B)
		fit->burst_s = 0;
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
	part = teeth.saw.jump_s * rate / teeth.saw.distance_B;
	if (fit->choice.overhead_B > 0)
		part = fit->choice.overhead_B / (teeth.saw.distance_B + fit->choice.overhead_B);
	if (part * teeth.saw.distance_B < LEAST_OVERHEAD_B || part > MOST_PART)
		return;
	if (!fit->choice.has_packets &&
	    (teeth.saw.jump_s <= SURE * teeth.saw.jump_error_s || !are_clear(fit, &teeth)))
		return;
	fit->has_doubtful_packets = false;
	fit->payload_B = teeth.saw.distance_B;
	fit->overhead_B = round(part * teeth.saw.distance_B / (1 - part));
	fit->overhead_error_B = 2 * teeth.saw.jump_error_s * rate / (1 - part);
	fit->is_latency_shared = false;
	fit->bandwidth_Bps[fit->subject].value = rate;
	find_credit(fit, &teeth);
}
