/* SPDX-License-Identifier: BSD-3-Clause */
/* What samples say without a simulator: the plain model's closed forms, what probes have found by
 * bisection, and the values that a search may begin with. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Messages by size at one place; NULL: no larger one. */
static const struct sample_key *next_message(const struct fit *fit, int where, int64_t size_B)
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

/* Of the receiver, for bytes that travelled before the match; 0: none that shows. */
static double copied_per_byte_s(const struct fit *fit)
{
	const struct sample_key *key = samples_next(fit->samples, "recv_overhead", 0);
	struct value time;

	if (!key)
		return 0;
	time = fit_value(fit->samples, "recv_overhead", fit->subject, key->x, 0);
	return time.low > fit->recv_overhead.high
		   ? (time.value - fit->recv_overhead.value) / (double)key->x
		   : 0;
}

/* Of the largest message, and of one of about an eighth of it: time of a byte on the link; 0: there
 * are none. */
static double large_per_byte_s(const struct fit *fit, int where)
{
	const struct sample_key *key = NULL;
	double largest_B = 0, smaller_B = 0, per_byte_s, copied_s = copied_per_byte_s(fit);

	while ((key = next_message(fit, where, key ? key->x : -1)))
		largest_B = (double)key->x;
	for (key = NULL; (key = next_message(fit, where, key ? key->x : -1));)
		if ((double)key->x <= largest_B / 8)
			smaller_B = (double)key->x;
	if (largest_B == 0)
		return 0;
	per_byte_s = (fit_value(fit->samples, "one_way", where, (int64_t)largest_B, 0).value -
		      fit_value(fit->samples, "one_way", where, (int64_t)smaller_B, 0).value) /
		     (largest_B - smaller_B);
	if (largest_B <= threshold_B(fit->samples, fit->subject))
		per_byte_s -= fmin(copied_s, per_byte_s);
	return per_byte_s;
}

static void set_positive(struct machine *machine, enum parameter_id id, double value)
{
	if (value > PARAMETER[id].low)
		machine_set(machine, id, value);
}

static const double LEAST = 1e-3;	      /* of an empty message: what a latency shows by */
static const double LEAST_PER_BYTE_S = 1e-15; /* clocks tell nothing of faster links */

static void begin_links(struct fit *fit, int where, double overheads_s)
{
	struct machine *machine = &fit->machine;
	double per_byte_s = large_per_byte_s(fit, where), empty_s = fit->empty[where].value;
	enum parameter_id latency = where == WITHIN_NODE ? INNER_LATENCY : LATENCY;

	if (!fit->empty[where].is_known)
		return;
	if (where == BETWEEN_NODES || empty_s - overheads_s > LEAST * empty_s)
		machine_set(machine, latency, fmax(empty_s - overheads_s, LEAST * empty_s));
	if (where == BETWEEN_NODES || per_byte_s > LEAST_PER_BYTE_S)
		machine_set(machine, latency + 1, per_byte_s > 0 ? 1 / per_byte_s : INFINITY);
}

static enum library library_of(const struct samples *samples)
{
	const char *library = samples_get_fact(samples, "library", 0);

	if (library && strstr(library, "Open MPI"))
		return LIBRARY_OPENMPI;
	return library && strstr(library, "MPICH") ? LIBRARY_MPICH : LIBRARY_PLAIN;
}

static const double FIRST_HEADER_B = 90; /* of Ethernet, IP and TCP */

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
	double send_s = fit->send_overhead.value, recv_s = fit->recv_overhead.value;

	fit->machine.library = library_of(fit->samples);
	set_positive(&fit->machine, SEND_OVERHEAD, send_s);
	set_positive(&fit->machine, RECV_OVERHEAD, recv_s);
	set_positive(&fit->machine, PER_BYTE, copied_per_byte_s(fit));
	for (int w = BETWEEN_NODES; w <= WITHIN_NODE; w++)
		begin_links(fit, w, send_s + recv_s);
	if (fit->subject == WITHIN_NODE) { /* what the file asks for, and no time depends on */
		machine_set(&fit->machine, LATENCY, fit->machine.value[INNER_LATENCY]);
		machine_set(&fit->machine, BANDWIDTH, fit->machine.value[INNER_BANDWIDTH]);
	}
	machine_set(&fit->machine, THRESHOLD, threshold_B(fit->samples, fit->subject));
	if (fit->subject == BETWEEN_NODES && payload_B(fit->samples) > 0) {
		machine_set(&fit->machine, PAYLOAD, payload_B(fit->samples));
		machine_set(&fit->machine, HEADER, FIRST_HEADER_B);
		machine_set(&fit->machine, LATENCY,
			    fit->machine.value[LATENCY] -
				2 * FIRST_HEADER_B / fit->machine.value[BANDWIDTH]);
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
	if (!fit->empty[fit->subject].is_known || large_per_byte_s(fit, fit->subject) == 0) {
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

/* --- what a search may begin with --- */

static bool has_probe(const struct fit *fit, const char *name)
{
	return samples_next(fit->samples, name, -1) != NULL;
}

/* Values that grow by that factor. */
static void may_all(struct view *view, enum parameter_id id, double first, double factor, int n)
{
	for (int k = 0; k < n; k++)
		view_may(view, id, first * pow(factor, k));
}

/* The difference of two probes' times of the same size, as bytes on a link. */
static double bytes_between(const struct fit *fit, const char *longer, const char *shorter)
{
	const struct sample_key *key = samples_next(fit->samples, shorter, -1);
	int w = fit->subject;

	if (!key)
		return 0;
	return (fit_value(fit->samples, longer, w, key->x, 0).value -
		fit_value(fit->samples, shorter, w, key->x, 0).value) *
	       fit->machine.value[w == WITHIN_NODE ? INNER_BANDWIDTH : BANDWIDTH];
}

/* How long the bytes take by which two measurements of so many flows differ, and one flow's: as if
 * nothing were lost, over that. */
static double efficiency(const struct fit *fit, const char *name, int n_flows, int n_shared)
{
	for (size_t i = 0; i < fit->samples->n; i++) {
		const struct sample_key *key = &fit->samples->list[i].key;
		int64_t half_B = key->y / 2;
		struct value whole, half, one, one_half;

		if (strcmp(key->name, name) || key->x != n_flows)
			continue;
		whole = fit_value(fit->samples, name, key->where, n_flows, key->y);
		half = fit_value(fit->samples, name, key->where, n_flows, half_B);
		one = fit_value(fit->samples, "many_to_one", key->where, 1, key->y);
		one_half = fit_value(fit->samples, "many_to_one", key->where, 1, half_B);
		if (half.is_known && one.is_known && one_half.is_known &&
		    whole.value > half.value && one.value > one_half.value)
			return n_shared * (one.value - one_half.value) / (whole.value - half.value);
	}
	return 0;
}

static void may_lose(const struct fit *fit, struct view *view)
{
	static const char *const parallel[] = {"both_ways", "sendrecv", "ring"};
	double best = 0;

	for (int k = 0; k < 3; k++)
		best = fmax(best, efficiency(fit, parallel[k], k < 2 ? 2 : 3, 1));
	if (best > 0) {
		view_may(view, DUPLEX, fmax(1 - best, PARAMETER[DUPLEX].low));
		may_all(view, DUPLEX, 0.03, 4, 3);
	}
	for (int n = 2; n < MACHINE_FLOWS + 2; n++) {
		double in = efficiency(fit, "many_to_one", n, n),
		       out = efficiency(fit, "one_to_many", n, n);

		if (in > 0 && out > 0)
			view_may(view, SHARING + n - 2,
				 fmax(1 - (in + out) / 2, PARAMETER[SHARING].low));
	}
}

/* Those whose jumps are too small to be seen: of Ethernet. */
static void may_be_packets(const struct fit *fit, struct view *view)
{
	static const double headers[] = {38, 54, 66, 78, 90, 104};

	if (has_probe(fit, "beside_bulk"))
		may_all(view, QUEUE, 15000, 2, 6);
	for (int k = 0; k < 6; k++)
		view_may(view, HEADER, headers[k]);
	if (fit->machine.has[PAYLOAD]) {
		machine_set(&view->facts, PAYLOAD, fit->machine.value[PAYLOAD]);
		return;
	}
	view_may(view, PAYLOAD, 1448);
	view_may(view, PAYLOAD, 8948);
}

static void may_begin_line(struct view *view, int where, double size_B)
{
	for (int k = 0; k < view->n_places[where]; k++)
		if (view->places[where][k] == size_B)
			return;
	if (view->n_places[where] < BREAKS)
		view->places[where][view->n_places[where]++] = size_B;
}

/* Of sizes from the half of it on that go by the same protocol; 0: there are none. */
static double rate_below(const struct fit *fit, int where, int64_t size_B)
{
	double limit_B = fit->machine.value[THRESHOLD], per_byte_s;
	bool is_eager = (double)size_B <= limit_B;
	const struct sample_key *near = next_message(
	    fit, where, is_eager ? size_B / 2 : (int64_t)fmax((double)size_B / 2, limit_B));

	if (!near || near->x >= size_B)
		return 0;
	per_byte_s = (fit_value(fit->samples, "one_way", where, size_B, 0).value -
		      fit_value(fit->samples, "one_way", where, near->x, 0).value) /
		     (double)(size_B - near->x);
	return 1 / fmax(per_byte_s - (is_eager ? copied_per_byte_s(fit) : 0), LEAST_PER_BYTE_S);
}

static const double LEAST_STEP = 0.01; /* of a time: other sizes are where bisection has been */

/* A larger message by the same protocol; NULL: none. */
static const struct sample_key *far_of(const struct fit *fit, int where, int64_t size_B)
{
	double limit_B = fit->machine.value[THRESHOLD];
	const struct sample_key *far = next_message(fit, where, size_B + size_B / 4), *last = NULL;

	if (!far || (double)size_B > limit_B || (double)far->x <= limit_B)
		return far;
	for (far = next_message(fit, where, size_B + 1); far && (double)far->x <= limit_B;
	     far = next_message(fit, where, far->x))
		last = far;
	return last;
}

/* Times on both sides of a break are what the lines that meet there have, and the next one but one
 * says the slope. */
static void read_line(const struct fit *fit, struct view *view, int where, int64_t size_B)
{
	int place = view->n_places[where] - 1;
	double overheads_s = fit->send_overhead.value + fit->recv_overhead.value,
	       below_s = fit_value(fit->samples, "one_way", where, size_B, 0).value - overheads_s,
	       above_s =
		   fit_value(fit->samples, "one_way", where, size_B + 1, 0).value - overheads_s,
	       slope_s;
	const struct sample_key *far = far_of(fit, where, size_B);

	if (!far)
		return;
	slope_s =
	    (fit_value(fit->samples, "one_way", where, far->x, 0).value - overheads_s - above_s) /
	    (double)(far->x - size_B - 1);
	if ((double)far->x <= fit->machine.value[THRESHOLD])
		slope_s -= copied_per_byte_s(fit);
	if (below_s <= 0 || slope_s <= 0 || fabs(above_s / below_s - 1) < LEAST_STEP)
		return;
	if (view->first_rates[where] == 0)
		view->first_rates[where] = rate_below(fit, where, size_B);
	view->jumps_s[where][place] = above_s - below_s;
	view->rates[where][place] = 1 / slope_s;
}

/* To the next byte. */
static double step_at(const struct fit *fit, int where, int64_t size_B)
{
	struct value below = fit_value(fit->samples, "one_way", where, size_B, 0),
		     above = fit_value(fit->samples, "one_way", where, size_B + 1, 0);

	return below.is_known && above.is_known ? fabs(above.value / below.value - 1) : 0;
}

/* Bisection measures both sides of the byte, too. */
static bool is_highest_step(const struct fit *fit, int where, int64_t size_B)
{
	double here = step_at(fit, where, size_B);

	return here >= step_at(fit, where, size_B - 1) && here >= step_at(fit, where, size_B + 1);
}

/* Where bisection has found a break, then all sizes that were measured. */
static void may_begin_lines(const struct fit *fit, struct view *view, int where)
{
	double limit_B = fit->machine.value[THRESHOLD];
	const struct sample_key *key = NULL, *next;

	for (; (next = next_message(fit, where, key ? key->x : -1)); key = next)
		if (key && next->x == key->x + 1 && key->x > 4 && (double)key->x != limit_B &&
		    is_highest_step(fit, where, key->x)) {
			may_begin_line(view, where, (double)key->x);
			read_line(fit, view, where, key->x);
		}
	for (key = NULL; (key = next_message(fit, where, key ? key->x : -1));)
		if (key->x >= 128 && (key->x & (key->x - 1)) == 0 && key->x <= 1 << 20)
			may_begin_line(view, where, (double)key->x);
}

static const double MOST_LEFT = 0.9; /* of a message: more is all of it, and tells nothing */

static void may_leave(const struct fit *fit, struct view *view)
{
	const struct sample_key *key = NULL;
	double rate_Bps = fit->machine.value[BANDWIDTH];

	view_may(view, UNATTENDED, bytes_between(fit, "send_progress", "send_look"));
	may_all(view, UNATTENDED, 15000, 2, 6);
	view_may(view, BUFFER, bytes_between(fit, "one_way", "send_return"));
	while ((key = samples_next(fit->samples, "send_buffer", key ? key->x : -1))) {
		double left_B =
		    (fit_value(fit->samples, "send_buffer", fit->subject, key->x, 0).value -
		     fit->empty[fit->subject].value) *
		    rate_Bps;

		view_may(view, BUFFER, left_B);
		view_may(view, BUFFER_FROM, (double)key->x);
		if (left_B > 0 && left_B < MOST_LEFT * (double)key->x && view->n_left < STARTS) {
			view->left[view->n_left] = left_B;
			view->left_from[view->n_left++] = (double)key->x;
		}
	}
	view_may(view, BUFFER_WORD, 1);
}

static void may_be_words(const struct fit *fit, struct view *view)
{
	static const enum parameter_id words[] = {PROGRESS,    ORDER,	     END,
						  SYNCHRONOUS, LATE_ANSWERS, MODEL};

	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++) {
		char name[SAMPLES_NAME_B];
		const char *probes = PARAMETER[words[k]].probes;

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(probes, " "), probes);
		if (has_probe(fit, name))
			view_may(view, words[k], 1);
	}
}

void fit_view(const struct fit *fit, struct view *view)
{
	bool has_rendezvous = fit->machine.value[THRESHOLD] < PARAMETER[THRESHOLD].high;

	machine_set(&view->facts, THRESHOLD, fit->machine.value[THRESHOLD]);
	may_begin_lines(fit, view, WITHIN_NODE);
	view->libraries = 1U << LIBRARY_PLAIN | 1U << LIBRARY_OPENMPI | 1U << LIBRARY_MPICH;
	if (fit->subject == WITHIN_NODE) {
		machine_set(&view->facts, LATENCY, fit->machine.value[LATENCY]);
		machine_set(&view->facts, BANDWIDTH, fit->machine.value[BANDWIDTH]);
		return;
	}
	view->names_library = fit->machine.library != LIBRARY_PLAIN;
	if (view->names_library)
		view->libraries |= 1U
				   << (fit->machine.library == LIBRARY_OPENMPI ? LIBRARY_OPENMPI_TCP
									       : LIBRARY_MPICH_TCP);
	may_begin_lines(fit, view, BETWEEN_NODES);
	may_be_words(fit, view);
	may_be_packets(fit, view);
	may_lose(fit, view);
	view_may(view, PER_BYTE, copied_per_byte_s(fit));
	may_all(view, BURST, 512, 2, 9);
	if (!has_rendezvous)
		return;
	view_may(view, REQUEST_DATA, bytes_between(fit, "one_way", "late_bulk"));
	may_all(view, REQUEST_DATA, fit->machine.value[THRESHOLD] / 2, 0.5, 5);
	may_leave(fit, view);
}

enum { FEW = 3, MANY_OUTLIERS = 10 };
static const double WIDE = 0.2;

bool fit_is_noisy(const struct fit *fit)
{
	const struct value *empty = &fit->empty[fit->subject];
	const struct sample_key *key = NULL;
	int n = 0, n_outliers = 0;

	while ((key = next_message(fit, fit->subject, key ? key->x : -1))) {
		struct value time = fit_value(fit->samples, "one_way", fit->subject, key->x, 0);

		n += time.n;
		n_outliers += time.n_outliers;
	}
	return n_outliers > n / MANY_OUTLIERS || empty->n < FEW ||
	       empty->high - empty->low > WIDE * empty->value;
}
