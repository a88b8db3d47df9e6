/* SPDX-License-Identifier: BSD-3-Clause */
/* What a search may begin with, of samples: values to try, and sizes where lines may break. */
#include <math.h>
#include <string.h>

#include "fit.h"

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

/* What a byte waits for behind a large message, as bytes on a link. */
static double queued_B(const struct fit *fit)
{
	const struct sample_key *key = samples_next(fit->samples, "beside_bulk", -1);
	struct value behind, alone;

	if (!key)
		return 0;
	behind = fit_value(fit->samples, "beside_bulk", fit->subject, key->x, 0);
	alone = fit_value(fit->samples, "beside_nothing", fit->subject, 0, 0);
	return (behind.value - alone.value) * fit->machine.value[BANDWIDTH];
}

/* Those whose jumps are too small to be seen: of Ethernet. */
static void may_be_packets(const struct fit *fit, struct view *view)
{
	static const double headers[] = {38, 54, 66, 78, TCP_HEADER_B, 104};

	view_may(view, QUEUE, queued_B(fit));
	if (fit->machine.has[PAYLOAD])
		view_may(view, QUEUE,
			 queued_B(fit) * (1 + TCP_HEADER_B / fit->machine.value[PAYLOAD]));
	if (has_probe(fit, "beside_bulk"))
		may_all(view, QUEUE, 15000, 2, 6);
	for (int k = 0; k < 6; k++)
		view_may(view, HEADER, headers[k]);
	if (fit->machine.has[PAYLOAD]) {
		machine_set(&view->facts, PAYLOAD, fit->machine.value[PAYLOAD]);
		if (view->names_library) /* over TCP */
			machine_set(&view->facts, HEADER, TCP_HEADER_B);
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
	const struct sample_key *near = fit_next_message(
	    fit, where, is_eager ? size_B / 2 : (int64_t)fmax((double)size_B / 2, limit_B));

	if (!near || near->x >= size_B)
		return 0;
	per_byte_s = (fit_value(fit->samples, "one_way", where, size_B, 0).value -
		      fit_value(fit->samples, "one_way", where, near->x, 0).value) /
		     (double)(size_B - near->x);
	return 1 / fmax(per_byte_s - (is_eager ? fit_copied_per_byte_s(fit) : 0),
			1 / PARAMETER[BANDWIDTH].high);
}

static const double LEAST_STEP = 0.01; /* of a time: other sizes are where bisection has been */

static const double FLAT = 100; /* of the bandwidth: hardly longer with each byte */

/* A larger message by the same protocol; NULL: none. */
static const struct sample_key *far_of(const struct fit *fit, int where, int64_t size_B)
{
	double limit_B = fit->machine.value[THRESHOLD];
	const struct sample_key *far = fit_next_message(fit, where, size_B + size_B / 4),
				*last = NULL;

	if (!far || (double)size_B > limit_B || (double)far->x <= limit_B)
		return far;
	for (far = fit_next_message(fit, where, size_B + 1); far && (double)far->x <= limit_B;
	     far = fit_next_message(fit, where, far->x))
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
		slope_s -= fit_copied_per_byte_s(fit);
	slope_s = fmax(
	    slope_s,
	    1 / (FLAT * fit->machine.value[where == WITHIN_NODE ? INNER_BANDWIDTH : BANDWIDTH]));
	if (below_s <= 0 || fabs(above_s / below_s - 1) < LEAST_STEP)
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

	for (; (next = fit_next_message(fit, where, key ? key->x : -1)); key = next)
		if (key && next->x == key->x + 1 && key->x > 4 && (double)key->x != limit_B &&
		    is_highest_step(fit, where, key->x)) {
			may_begin_line(view, where, (double)key->x);
			read_line(fit, view, where, key->x);
		}
	for (key = NULL; (key = fit_next_message(fit, where, key ? key->x : -1));)
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
	view_may(view, PER_BYTE, fit_copied_per_byte_s(fit));
	may_all(view, BURST, 512, 2, 9);
	if (!has_rendezvous)
		return;
	view_may(view, REQUEST_DATA, bytes_between(fit, "one_way", "late_bulk"));
	may_all(view, REQUEST_DATA, fit->machine.value[THRESHOLD] / 2, 0.5, 5);
	may_leave(fit, view);
}
