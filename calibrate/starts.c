/* SPDX-License-Identifier: BSD-3-Clause */
/* What a search may begin with, of samples: values to try, and sizes where lines may break. */
#include <math.h>
#include <string.h>

#include "fit.h"

/* That queues and sockets hold. */
static const double BYTES[] = {15e3, 30e3, 60e3, 120e3, 240e3, 480e3, 0};

static bool has_probe(const struct fit *fit, const char *name)
{
	return samples_next(fit->samples, name, -1) != NULL;
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
		view_may_all(view, DUPLEX, (const double[]){0.03, 0.12, 0.48, 0});
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
	view_may(view, QUEUE, queued_B(fit));
	if (fit->machine.has[PAYLOAD])
		view_may(view, QUEUE,
			 queued_B(fit) * (1 + TCP_HEADER_B / fit->machine.value[PAYLOAD]));
	if (has_probe(fit, "beside_bulk"))
		view_may_all(view, QUEUE, BYTES);
	view_may_all(view, HEADER, (const double[]){38, 54, 66, 78, TCP_HEADER_B, 104, 0});
	if (fit->machine.has[PAYLOAD]) {
		machine_set(&view->facts, PAYLOAD, fit->machine.value[PAYLOAD]);
		if (view->names_library) /* over TCP */
			machine_set(&view->facts, HEADER, TCP_HEADER_B);
		return;
	}
	view_may_all(view, PAYLOAD, (const double[]){1448, 8948, 0});
}

static const double MOST_LEFT = 0.9; /* of a message: more is all of it, and tells nothing */

/* What travels with a request, and what sends leave to the system. */
static void may_leave(const struct fit *fit, struct view *view)
{
	const struct sample_key *key = NULL;
	double rate_Bps = fit->machine.value[BANDWIDTH], limit_B = fit->machine.value[THRESHOLD];

	view_may(view, REQUEST_DATA, bytes_between(fit, "one_way", "late_bulk"));
	for (int part = 2; part <= 32; part *= 2)
		view_may(view, REQUEST_DATA, limit_B / part);
	view_may(view, UNATTENDED, bytes_between(fit, "send_progress", "send_look"));
	view_may_all(view, UNATTENDED, BYTES);
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

/* Between sizes that are close, as bisection leaves them, times of a line grow by no more than sizes
 * do. A limit steps, too. */
static bool is_step(const struct fit *fit, double before_B, double before_s, double size_B,
		    double time_s)
{
	static const double CLOSE = 1.05, LEAST = 0.01;
	double grows = time_s / before_s;

	return before_B > 4 && before_B != fit->machine.value[THRESHOLD] &&
	       size_B <= fmax(CLOSE * before_B, before_B + 1) &&
	       (grows > size_B / before_B + LEAST || grows < 1 - LEAST);
}

static void add_times(const struct fit *fit, struct view *view, int where)
{
	const struct sample_key *key = NULL;
	double before_B = 0, before_s = 0;

	while ((key = fit_next_message(fit, where, key ? key->x : -1))) {
		double size_B = (double)key->x,
		       time_s = fit_value(fit->samples, "one_way", where, key->x, 0).value;

		view_add_time(view, where == WITHIN_NODE, size_B, time_s,
			      is_step(fit, before_B, before_s, size_B, time_s));
		before_B = size_B;
		before_s = time_s;
	}
}

void fit_view(const struct fit *fit, struct view *view)
{
	double limit_B = fit->machine.value[THRESHOLD];

	machine_set(&view->facts, THRESHOLD, limit_B);
	add_times(fit, view, WITHIN_NODE);
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
	add_times(fit, view, BETWEEN_NODES);
	may_be_words(fit, view);
	may_be_packets(fit, view);
	may_lose(fit, view);
	view_may(view, PER_BYTE, fit->machine.value[PER_BYTE]);
	for (double burst_B = 512; burst_B <= 131072; burst_B *= 2)
		view_may(view, BURST, burst_B);
	if (limit_B < PARAMETER[THRESHOLD].high)
		may_leave(fit, view);
}
