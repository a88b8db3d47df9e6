/* SPDX-License-Identifier: BSD-3-Clause */
/* What samples say without a simulator: the plain model's closed forms, and what probes have found by
 * bisection. */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_errno.h>

#include "fit.h"

struct value fit_value(const struct samples *samples, const char *name, int where, int64_t x,
		       int64_t y)
{
	struct sample_key key = sample_key(name, where, x, y);
	struct summary s = samples_summary(samples, &key);

	return (struct value){s.n > 0, s.median, s.low, s.high, s.n, s.n_outliers};
}

static double fact_number(const struct samples *samples, const char *name, double otherwise)
{
	const char *text = samples_get_fact(samples, name, 0);

	return text ? strtod(text, NULL) : otherwise;
}

/* --- cores, and what communication takes of them: linear --- */

/* Computing ranks share the cores: the most that they do together, in units of one alone. */
static void find_cores(struct fit *fit)
{
	struct value alone = fit_value(fit->samples, "cores", WITHIN_NODE, 1, 0), all;
	double most = 1;

	for (int n = 2; (all = fit_value(fit->samples, "cores", WITHIN_NODE, n, 0)).is_known; n++) {
		most = fmax(most, n * alone.value / all.value);
		fit->cores_are_certain = all.value > 1.2 * alone.value;
	}
	fit->cores = (int)floor(most + 0.5);
	if (samples_get_fact(fit->samples, "cpus", 0)) {
		fit->cores = (int)fact_number(fit->samples, "cpus", 1);
		fit->cores_are_certain = true;
	}
}

static struct value speed(const struct fit *fit, int out, int in)
{
	return fit_value(fit->samples, "compute_speed", BETWEEN_NODES, out, in);
}

/* As many transfers each way as were measured in all numbers up to it. */
static int table_size(const struct fit *fit)
{
	for (int n = 0;; n++)
		for (int k = 0; k <= n; k++)
			if (!speed(fit, n, k).is_known || !speed(fit, k, n).is_known)
				return n - 1;
}

static double half_of(const struct value *v)
{
	return (v->high - v->low) / 2;
}

/* Cost: computing lost, in units of what one undisturbed core computes. */
static int find_table(struct fit *fit)
{
	struct value alone = fit_value(fit->samples, "cores", WITHIN_NODE, 1, 0),
		     idle = speed(fit, 0, 0);
	double core = fact_number(fit->samples, "window_s", 0) / alone.value;
	int n = table_size(fit);

	fit->table_n = -1;
	if (n < 0 || !alone.is_known)
		return 0;
	fit->table = calloc((size_t)(n + 1) * (size_t)(n + 1), sizeof(*fit->table));
	if (!fit->table)
		return -1;
	fit->table_n = n;
	fit->table_is_partial = fact_number(fit->samples, "computing_ranks", 1) < fit->cores;
	for (int k = 1; k < (n + 1) * (n + 1); k++) {
		struct value here = speed(fit, k / (n + 1), k % (n + 1));
		double half = hypot(half_of(&here), half_of(&idle)) / core,
		       cost = (idle.value - here.value) / core;

		fit->table[k] =
		    (struct value){true, cost, cost - half, cost + half, here.n, here.n_outliers};
	}
	return 0;
}

/* --- the plain model --- */

const struct sample_key *fit_next_message(const struct fit *fit, int where, int64_t size_B)
{
	const struct sample_key *key = NULL;

	do {
		key = samples_next(fit->samples, "one_way", key ? key->x : size_B);
	} while (key && !fit_value(fit->samples, "one_way", where, key->x, 0).is_known);
	return key;
}

/* The bytes that a send need not wait for, to the byte. */
static double threshold_B(const struct samples *samples, int where)
{
	double found = fact_number(
	    samples, where == WITHIN_NODE ? "eager_threshold_within_B" : "eager_threshold_B", -2);

	return found == -2 ? INFINITY : fmax(found, 0);
}

/* As if each were as far off by itself. */
static struct value difference_of(struct value a, struct value b)
{
	double value = a.value - b.value;

	return (struct value){.is_known = a.is_known && b.is_known,
			      .value = value,
			      .low = value - hypot(a.value - a.low, b.high - b.value),
			      .high = value + hypot(a.high - a.value, b.value - b.low),
			      .n = a.n + b.n};
}

static struct value part_of(struct value v, double whole)
{
	v.value /= whole;
	v.low /= whole;
	v.high /= whole;
	return v;
}

/* Of the receiver, for bytes that travelled before the match; 0: none that shows. */
static struct value copied_per_byte(const struct fit *fit)
{
	const struct sample_key *key = samples_next(fit->samples, "recv_overhead", 0);
	struct value time = {0};

	if (key)
		time = fit_value(fit->samples, "recv_overhead", fit->subject, key->x, 0);
	if (!key || time.low <= fit->recv_overhead.high)
		return (struct value){0};
	return part_of(difference_of(time, fit->recv_overhead), (double)key->x);
}

/* Of the largest message, and of one of about an eighth of it: time of a byte on the link. */
static struct value large_per_byte(const struct fit *fit, int where)
{
	const struct sample_key *key = NULL;
	int64_t large_B = 0, small_B = 0;
	struct value copied = copied_per_byte(fit), per_byte;

	while ((key = fit_next_message(fit, where, key ? key->x : -1)))
		large_B = key->x;
	while ((key = fit_next_message(fit, where, key ? key->x : -1)) && key->x <= large_B / 8)
		small_B = key->x;
	if (large_B == 0)
		return (struct value){0};
	per_byte = part_of(difference_of(fit_value(fit->samples, "one_way", where, large_B, 0),
					 fit_value(fit->samples, "one_way", where, small_B, 0)),
			   (double)(large_B - small_B));
	if (copied.is_known && (double)large_B <= threshold_B(fit->samples, fit->subject) &&
	    (copied.value < per_byte.value || where == WITHIN_NODE))
		per_byte = difference_of(per_byte, copied);
	return per_byte;
}

/* With its interval, which a search finds anew. */
static void set_measured(struct machine *machine, enum parameter_id id, const struct value *v)
{
	machine_set(machine, id, v->value);
	if (v->n < SAMPLES_FEW)
		return;
	machine->low[id] = fmax(fmin(v->low, machine->value[id]), PARAMETER[id].low);
	machine->high[id] = fmin(fmax(v->high, machine->value[id]), PARAMETER[id].high);
}

static void set_positive(struct machine *machine, enum parameter_id id, struct value value)
{
	if (value.value > PARAMETER[id].low)
		set_measured(machine, id, &value);
}

void fit_set_outer(struct fit *fit)
{
	struct machine *machine = &fit->machine;

	for (int k = 0; k < 2 && fit->subject == WITHIN_NODE; k++) {
		machine_set(machine, LATENCY + k, machine->value[INNER_LATENCY + k]);
		machine->low[LATENCY + k] = machine->low[INNER_LATENCY + k];
		machine->high[LATENCY + k] = machine->high[INNER_LATENCY + k];
	}
	for (int k = 0; k < 3 * MACHINE_SEGMENTS && fit->subject == WITHIN_NODE; k++) {
		machine->has[SEGMENT + k] = machine->has[INNER_SEGMENT + k];
		machine->value[SEGMENT + k] = machine->value[INNER_SEGMENT + k];
	}
}

static const double LEAST = 1e-3;	      /* of an empty message: what a latency shows by */
static const double LEAST_PER_BYTE_S = 1e-15; /* clocks tell nothing of faster links */

static double rate_of(double per_byte_s)
{
	return per_byte_s > 0 ? 1 / per_byte_s : INFINITY;
}

static void begin_links(struct fit *fit, int where)
{
	struct machine *machine = &fit->machine;
	const struct value *empty = &fit->empty[where];
	struct value per_byte = large_per_byte(fit, where), rate = per_byte,
		     latency = difference_of(difference_of(*empty, fit->send_overhead),
					     fit->recv_overhead);
	enum parameter_id id = where == WITHIN_NODE ? INNER_LATENCY : LATENCY;

	if (!empty->is_known)
		return;
	latency.n = empty->n;
	rate.value = rate_of(per_byte.value);
	rate.low = rate_of(per_byte.high);
	rate.high = rate_of(per_byte.low);
	if (latency.value <= LEAST * empty->value && where == BETWEEN_NODES)
		latency.value = LEAST * empty->value;
	if (where == BETWEEN_NODES || latency.value > LEAST * empty->value)
		set_measured(machine, id, &latency);
	if (where == BETWEEN_NODES || per_byte.value > LEAST_PER_BYTE_S)
		set_measured(machine, id + 1, &rate);
}

static enum library library_of(const struct samples *samples)
{
	const char *name = samples_get_fact(samples, "library", 0);

	if (library_is_called(LIBRARY_OPENMPI, name))
		return LIBRARY_OPENMPI;
	return library_is_called(LIBRARY_MPICH, name) ? LIBRARY_MPICH : LIBRARY_PLAIN;
}

/* The distance of the sizes behind which times jump, bisected to the byte; 0: none do. */
static double payload_B(const struct samples *samples)
{
	const char *text;
	double first_B = 0, last_B = 0;
	int n = 0;

	for (; (text = samples_get_fact(samples, "packet_jump_B", n)); n++) {
		last_B = strtod(text, NULL);
		first_B = n ? first_B : last_B;
	}
	return n < 2 ? 0 : round((last_B - first_B) / (n - 1));
}

static void begin_machine(struct fit *fit)
{
	fit->machine.library = library_of(fit->samples);
	set_positive(&fit->machine, SEND_OVERHEAD, fit->send_overhead);
	set_positive(&fit->machine, RECV_OVERHEAD, fit->recv_overhead);
	set_positive(&fit->machine, PER_BYTE, copied_per_byte(fit));
	for (int w = BETWEEN_NODES; w <= WITHIN_NODE; w++)
		begin_links(fit, w);
	fit_set_outer(fit);
	machine_set(&fit->machine, THRESHOLD, threshold_B(fit->samples, fit->subject));
	if (fit->subject == BETWEEN_NODES && payload_B(fit->samples) > 0) {
		machine_set(&fit->machine, PAYLOAD, payload_B(fit->samples));
		machine_set(&fit->machine, HEADER, TCP_HEADER_B);
	}
}

int fit_make(struct fit *fit, const struct samples *samples, char error[256])
{
	gsl_set_error_handler_off();
	*fit = (struct fit){.samples = samples, .table_n = -1};
	fit->n_nodes = (int)fact_number(samples, "nodes", 1);
	fit->n_ranks = (int)fact_number(samples, "ranks", 2);
	fit->subject = fit->n_nodes > 1 ? BETWEEN_NODES : WITHIN_NODE;
	for (int w = BETWEEN_NODES; w <= WITHIN_NODE; w++)
		fit->empty[w] = fit_value(samples, "one_way", w, 0, 0);
	fit->send_overhead = fit_value(samples, "send_overhead", fit->subject, 0, 0);
	fit->recv_overhead = fit_value(samples, "recv_overhead", fit->subject, 0, 0);
	if (!fit->empty[fit->subject].is_known || large_per_byte(fit, fit->subject).value == 0) {
		snprintf(error, 256, "the samples lack times by size (probe one_way)");
		return -1;
	}
	begin_machine(fit);
	find_cores(fit);
	if (find_table(fit) == 0 && fit_write_known(fit) == 0)
		return 0;
	snprintf(error, 256, "out of memory");
	fit_finish(fit);
	return -1;
}

void fit_finish(struct fit *fit)
{
	free(fit->table);
	free(fit->known);
	free(fit->intervals);
	*fit = (struct fit){.table_n = -1};
}

enum { MANY_OUTLIERS = 10 };
static const double WIDE = 0.2;

bool fit_is_noisy(const struct fit *fit)
{
	const struct value *empty = &fit->empty[fit->subject];
	struct summary all = samples_probes(fit->samples, "one_way", fit->subject);

	return all.n_outliers > all.n / MANY_OUTLIERS || empty->n < SAMPLES_FEW ||
	       empty->high - empty->low > WIDE * empty->value;
}
