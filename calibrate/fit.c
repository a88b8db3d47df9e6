/* SPDX-License-Identifier: BSD-3-Clause */
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>

/* A send that looked waits at least for so much of a message, if its rest had stalled. */
static const double LEAST_STALLED = 0.05;
static const double MOST_STALLED = 0.7;
/* Of a byte: ten exabytes a second cost nothing. */
static const double NOTHING_S = 1e-19;

static const double NOISY = 0.1; /* mean distance of times from their lines by size */

static struct value known(double value, double half, int n, int n_outliers)
{
	return (struct value){true, value, value - half, value + half, n, n_outliers};
}

static double half_of(const struct value *v)
{
	return (v->high - v->low) / 2;
}

static struct value value_of(struct summary s)
{
	return (struct value){s.n > 0, s.median, s.low, s.high, s.n, s.n_outliers};
}

static struct value measured(const struct samples *samples, const char *name, int where, int64_t x,
			     int64_t y)
{
	struct sample_key key = sample_key(name, where, x, y);

	return value_of(samples_summary(samples, &key));
}

static double fact_number(const struct samples *samples, const char *name, double otherwise)
{
	const char *text = samples_get_fact(samples, name, 0);

	return text ? strtod(text, NULL) : otherwise;
}

static int64_t threshold(const struct samples *samples, int where)
{
	const char *text = samples_get_fact(
	    samples, where == WITHIN_NODE ? "eager_threshold_within_B" : "eager_threshold_B", 0);
	long long value = text ? strtoll(text, NULL, 10) : -2;

	return value == -2 ? INT64_MAX : value;
}

/* Half the round trip of an empty message is l + o of the sender + o of the receiver. */
static void find_latency(struct fit *fit, int where)
{
	const struct value *empty = &fit->empty[where], *send = &fit->send_overhead[where],
			   *recv = &fit->recv_overhead[where];
	double half = sqrt(half_of(empty) * half_of(empty) + half_of(send) * half_of(send) +
			   half_of(recv) * half_of(recv));

	if (empty->is_known)
		fit->latency[where] = known(fmax(empty->value - send->value - recv->value, 0), half,
					    empty->n, empty->n_outliers);
}

/* Half the 95 % interval of a segment's slope. */
static double slope_reach(const struct segment *s)
{
	if (s->n_points < 3)
		return INFINITY;
	return s->per_byte_error_s * gsl_cdf_tdist_Pinv(0.975, s->n_points - 2);
}

/* Of the segments that reach into the last sixteenth of the sizes, the one whose slope is known
 * best. */
static const struct segment *large_segment(const struct curve *curve)
{
	const struct segment *best = NULL, *last = &curve->segments[curve->n_segments - 1];

	for (const struct segment *s = curve->segments; s <= last; s++) {
		if (s->n_points < 3 || s->to_B < last->to_B / 16)
			continue;
		if (!best || (best->per_byte_s <= 0 && s->per_byte_s > 0) ||
		    slope_reach(s) * best->per_byte_s < slope_reach(best) * s->per_byte_s)
			best = s;
	}
	return best;
}

void fit_bandwidth(struct fit *fit, int where)
{
	const struct curve *curve =
	    fit->transfers[where].n_points ? &fit->transfers[where] : &fit->curves[where];
	const struct segment *large = curve->n_segments ? large_segment(curve) : NULL;
	const struct point *last;
	double reach;

	if (!large)
		return;
	reach = slope_reach(large);
	fit->bandwidth_Bps[where] = known(INFINITY, 0, curve->n_samples, curve->n_outliers);
	if (fmax(large->per_byte_s, 0) + reach > NOTHING_S)
		fit->bandwidth_Bps[where].low = 1 / (fmax(large->per_byte_s, 0) + reach);
	if (large->per_byte_s < NOTHING_S) {
		last = &curve->points[curve->n_points - 1];
		if (fit->bandwidth_Bps[where].low < FIT_MOST_BPS) /* times that fall: disturbed */
			fit->bandwidth_Bps[where].value = (double)last->size_B / last->time.median;
		return;
	}
	fit->bandwidth_Bps[where].value = 1 / large->per_byte_s;
	fit->bandwidth_Bps[where].high =
	    large->per_byte_s > reach ? 1 / (large->per_byte_s - reach) : INFINITY;
}

double fit_plain_rate(const struct fit *fit)
{
	double rate = fit->bandwidth_Bps[fit->subject].value;

	if (fit->threshold_B[fit->subject] < INT64_MAX)
		return rate;
	return 1 / (1 / rate - fit->send_per_B_s - fit->recv_per_B_s);
}

/* Computing ranks share the cores: the most that they do together, in units of one alone. */
static void find_cores(struct fit *fit)
{
	struct value alone = measured(fit->samples, "cores", WITHIN_NODE, 1, 0), all;
	double most = 1;

	for (int n = 2; (all = measured(fit->samples, "cores", WITHIN_NODE, n, 0)).is_known; n++) {
		most = fmax(most, n * alone.value / all.value);
		fit->cores_are_certain = all.value > 1.2 * alone.value;
	}
	fit->cores = (int)floor(most + 0.5);
	if (samples_get_fact(fit->samples, "cpus", 0)) {
		fit->cores = (int)fact_number(fit->samples, "cpus", 1);
		fit->cores_are_certain = true;
	}
}

static bool has_all_speeds(const struct samples *samples, int n)
{
	for (int k = 0; k <= n; k++)
		if (!measured(samples, "compute_speed", BETWEEN_NODES, n, k).is_known ||
		    !measured(samples, "compute_speed", BETWEEN_NODES, k, n).is_known)
			return false;
	return true;
}

/* As many transfers each way as were measured in all numbers up to it. */
static int table_size(const struct samples *samples)
{
	int n = 0;

	while (has_all_speeds(samples, n))
		n++;
	return n - 1;
}

/* Cost: computing lost, in units of what one undisturbed core computes. */
static int find_table(struct fit *fit)
{
	struct value alone = measured(fit->samples, "cores", WITHIN_NODE, 1, 0);
	struct value idle = measured(fit->samples, "compute_speed", BETWEEN_NODES, 0, 0);
	double core = fact_number(fit->samples, "window_s", 0) / alone.value;
	int n = table_size(fit->samples);

	fit->table_n = -1;
	if (n < 0 || !idle.is_known || !alone.is_known)
		return 0;
	fit->table = calloc((size_t)(n + 1) * (size_t)(n + 1), sizeof(*fit->table));
	if (!fit->table)
		return -1;
	fit->table_n = n;
	fit->table_is_partial = fact_number(fit->samples, "computing_ranks", 1) < fit->cores;
	for (int k = 1; k < (n + 1) * (n + 1); k++) {
		struct value speed = measured(fit->samples, "compute_speed", BETWEEN_NODES,
					      k / (n + 1), k % (n + 1));
		double half = hypot(half_of(&speed), half_of(&idle)) / core;

		if (speed.is_known)
			fit->table[k] = known((idle.value - speed.value) / core, half, speed.n,
					      speed.n_outliers);
	}
	return 0;
}

/* A look starts the bulk: what did not leave then is waited for, all but the latency that a fresh
 * one has. */
static void find_unattended(struct fit *fit, int64_t size_B, double one_way_s, double send_wait_s)
{
	int w = fit->subject;
	struct value look = measured(fit->samples, "send_look", w, size_B, 0);
	struct value complete = measured(fit->samples, "send_complete_look", w, size_B, 0);

	if (!look.is_known || !complete.is_known)
		return;
	fit->looks_if_complete = complete.value < (look.value + send_wait_s) / 2;
	/* Half as long again is less than the bulk takes: without a limit three quarters of it
	 * leave. */
	if (look.value > LEAST_STALLED * one_way_s && isfinite(fit->bandwidth_Bps[w].value) &&
	    send_wait_s - look.value < MOST_STALLED * one_way_s)
		fit->unattended_B =
		    fmax(0, fit_unattended_s(fit, send_wait_s - look.value -
						      fit_delay_at(fit, (double)size_B) +
						      fit_rested_s(fit))) *
		    fit_rate_at(fit, (double)size_B);
}

/* Of the large message that the protocol probes used. */
static void find_protocol(struct fit *fit)
{
	const struct samples *samples = fit->samples;
	int w = fit->subject;
	int64_t size_B = -1;
	struct value one_way, send, recv, leaves;

	fit->send_wait = fit->recv_wait = fit->buffered_B = fit->unattended_B = -1;
	fit->looks_if_complete = true;
	for (size_t i = 0; i < samples->n; i++)
		if (!strcmp(samples->list[i].key.name, "send_return"))
			size_B = samples->list[i].key.x;
	one_way = measured(samples, "one_way", w, size_B, 0);
	send = measured(samples, "send_progress", w, size_B, 0);
	recv = measured(samples, "recv_progress", w, size_B, 0);
	leaves = measured(samples, "send_return", w, size_B, 0);
	if (!one_way.is_known || !leaves.is_known || one_way.value <= 0)
		return;
	fit->send_wait = send.value / one_way.value;
	fit->recv_wait = recv.value / one_way.value;
	find_unattended(fit, size_B, one_way.value, send.value);
	/* new connections waited for their windows, and tell nothing of who computed */
	if (fit->n_used > 0 && fit->used[fit->n_used - 1].size_B < fit->unattended_B / 2)
		fit->n_used = 0;
	if (isfinite(fit->bandwidth_Bps[w].value))
		fit->buffered_B =
		    fmin((double)size_B, fit_in_buffer_s(fit, fit_after_return_s(fit)) *
					     fit->bandwidth_Bps[w].value);
}

static void scale(struct value *v, double factor)
{
	v->value *= factor;
	v->low *= factor;
	v->high *= factor;
}

/* What both sides take, measured apart, cannot be more than an empty message's time. */
static void limit_overheads(struct fit *fit, int where)
{
	double sum = fit->send_overhead[where].value + fit->recv_overhead[where].value;

	if (sum <= fit->empty[where].value)
		return;
	scale(&fit->send_overhead[where], fit->empty[where].value / sum);
	scale(&fit->recv_overhead[where], fit->empty[where].value / sum);
}

int fit_make(struct fit *fit, const struct samples *samples, char error[256])
{
	return fit_make_with(fit, samples, (struct fit_choice){0}, error);
}

int fit_make_with(struct fit *fit, const struct samples *samples, struct fit_choice choice,
		  char error[256])
{
	gsl_set_error_handler_off();
	*fit = (struct fit){.samples = samples, .table_n = -1, .choice = choice,
			    .profile = fit_profile_by_name(samples)};
	fit->n_nodes = (int)fact_number(samples, "nodes", 1);
	fit->n_ranks = (int)fact_number(samples, "ranks", 2);
	fit->subject = fit->n_nodes > 1 ? BETWEEN_NODES : WITHIN_NODE;
	for (int w = BETWEEN_NODES; w <= WITHIN_NODE; w++) {
		fit->empty[w] = value_of(samples_message(samples, w, 0));
		fit->send_overhead[w] = measured(samples, "send_overhead", w, 0, 0);
		fit->recv_overhead[w] = measured(samples, "recv_overhead", w, 0, 0);
		fit->threshold_B[w] = threshold(samples, w);
		if (curve_make(&fit->curves[w], samples, w, fit->threshold_B[w]) < 0) {
			snprintf(error, 256, "times by size cannot be fitted");
			fit_finish(fit);
			return -1;
		}
		limit_overheads(fit, w);
		find_latency(fit, w);
		fit_bandwidth(fit, w);
	}
	if (!fit->latency[fit->subject].is_known || !fit->bandwidth_Bps[fit->subject].is_known) {
		snprintf(error, 256, "the samples lack times by size (probe one_way)");
		fit_finish(fit);
		return -1;
	}
	fit_rest(fit);
	fit_packets(fit);
	fit_end(fit);
	if (fit_transfers(fit) < 0) {
		snprintf(error, 256, "times by size cannot be fitted");
		fit_finish(fit);
		return -1;
	}
	for (int w = BETWEEN_NODES; w <= WITHIN_NODE; w++)
		fit_bandwidth(fit, w);
	fit_sharing(fit);
	fit_queue(fit);
	fit_synchronous(fit);
	fit_late(fit);
	fit_used(fit);
	fit_send_buffer(fit);
	find_cores(fit);
	find_protocol(fit);
	if (find_table(fit) == 0)
		return 0;
	snprintf(error, 256, "out of memory");
	fit_finish(fit);
	return -1;
}

bool fit_is_noisy(const struct fit *fit)
{
	const struct curve *curve = &fit->curves[fit->subject];
	const struct value *empty = &fit->empty[fit->subject];

	return curve->n_outliers > curve->n_samples / 10 || empty->n < 3 ||
	       empty->high - empty->low > 0.2 * empty->value ||
	       fit_scatter(fit, fit->subject) > NOISY;
}

void fit_finish(struct fit *fit)
{
	for (int w = BETWEEN_NODES; w <= WITHIN_NODE; w++)
		free(fit->curves[w].points);
	fit_free_transfers(fit);
	free(fit->table);
	*fit = (struct fit){.table_n = -1};
}
