/* SPDX-License-Identifier: BSD-3-Clause */
/* How the library moves messages: overheads, eager threshold, progress while computing, send
 * buffers. */
#include <math.h>

#include "calibrate.h"

enum {
	BURST = 16,	 /* empty messages */
	BURST_LARGE = 4, /* eager ones that are not: few, so that systems take them all */
	LARGE_B = 8192
};

/* Of a large message's time: what a sender that looked once still waits for, at least, if the rest
 * had stalled, and what has left since, at most. */
static const double LEAST_STALLED = 0.05, MOST_STALLED = 0.7;

/* --- overhead per message --- */

/* Rank 0 sends eager messages, one after the other; and takes some that arrived while it paused. */
static double measure_overheads(struct cal *cal, int where, struct pattern *probe, double *recv_s)
{
	double send_s =
	    pattern_repeat(cal, probe, "send_overhead", where, "M1 b (S1) e", "M1 (R0)");

	*recv_s = pattern_repeat(cal, probe, "recv_overhead", where, "M1 p b (R1) e", "M1 (S0)");
	return send_s;
}

void probe_overhead(struct cal *cal, int where, double until)
{
	struct pattern probe = {.ranks = {0, cal_partner(cal, where)},
				.n = BURST,
				.n_timed = BURST,
				.pause_s = 2 * BURST * cal->empty_s[where] + 1e-3};

	cal_group(cal, "overhead per message", until, 2);
	cal->send_overhead_s = measure_overheads(cal, where, &probe, &cal->recv_overhead_s);
}

void probe_overhead_by_size(struct cal *cal, int where, double until)
{
	struct pattern probe = {
	    .ranks = {0, cal_partner(cal, where)}, .n = BURST_LARGE, .n_timed = BURST_LARGE};
	double send_s, recv_s;

	probe.size_B = cal->largest_B[where] < LARGE_B ? cal->largest_B[where] : LARGE_B;
	if (cal->threshold_B < probe.size_B)
		probe.size_B = cal->threshold_B;
	if (probe.size_B < 1)
		return;
	probe.pause_s = 2 * BURST_LARGE *
			    (cal->empty_s[where] + (double)probe.size_B * cal->per_byte_s[where]) +
			1e-3;
	cal_group(cal, "overhead per byte", until, 2);
	send_s = measure_overheads(cal, where, &probe, &recv_s);
	cal->send_per_B_s = fmax(send_s - cal->send_overhead_s, 0) / (double)probe.size_B;
	cal->recv_per_B_s = fmax(recv_s - cal->recv_overhead_s, 0) / (double)probe.size_B;
}

/* --- eager threshold --- */

/*
 * Whether a message of that size leaves without its receiver. The pause begins after rank 0 has
 * asked to meet, so that from there no rendezvous is shorter, however late rank 0 goes on. A
 * delayed eager send looks like a rendezvous: the shortest of several tells, of which all but the
 * first pause for longer than others keep a processor, and what was late already tells nothing.
 * Others' messages may hold up the meeting by 3 S.
 */
enum { WAITS, LEAVES, LATE };
enum { TRIES = 3, MOST_TRIES = 12 };
static const double OTHERS_S = 50e-3; /* what runs on the same processor */

static bool is_eager(struct cal *cal, int where, int64_t size_B)
{
	double expected_s = cal->empty_s[where] + (double)size_B * cal->per_byte_s[where];
	/* it has met its receiver once its pause before is over */
	struct pattern probe = {.ranks = {0, cal_partner(cal, where)},
				.steps = {"M1 b M1 e b S1 e", "M1 M1 p R0"},
				.size_B = size_B};
	struct sample_key key = sample_key("late_receiver", where, size_B, 0);
	int verdict = WAITS, n_waited = 0;

	for (int k = 0; k < MOST_TRIES && n_waited < TRIES && verdict != LEAVES; k++) {
		double met_s, all_s;

		probe.pause_s = 4 * (expected_s + cal->empty_s[where]) + 2e-3 +
				(k > 0 ? OTHERS_S : 0);
		pattern_run(cal, &probe);
		met_s = probe.times_s[0];
		all_s = met_s + probe.times_s[1];
		if (cal->rank == 0)
			samples_add(&cal->samples, &key, all_s);
		verdict = all_s < 0.9 * probe.pause_s	      ? LEAVES
			  : met_s > 5 * cal->empty_s[where] + 0.25e-3 ? LATE
								      : WAITS;
		verdict = (int)cal_share(verdict);
		n_waited += verdict == WAITS;
	}
	return verdict == LEAVES;
}

/* Doubles up to the first size that waits, then halves the interval, to the byte. */
void probe_eager(struct cal *cal, int where, double until)
{
	int64_t low = -1, high = 0; /* low is eager, high is not */

	cal_group(cal, "eager threshold", until, 2);
	while (high <= cal->largest_B[where] && is_eager(cal, where, high)) {
		low = high;
		high = high ? 2 * high : 1;
	}
	if (high > cal->largest_B[where]) {
		low = INT64_MAX;
	} else {
		while (high - low > 1) {
			int64_t middle = low + (high - low) / 2;

			if (is_eager(cal, where, middle))
				low = middle;
			else
				high = middle;
		}
		if (low > 0)
			probe_one_way(cal, where, low);
		if (high > 0)
			probe_one_way(cal, where, high);
	}
	cal->threshold_B = low;
	if (cal->rank == 0)
		samples_fact(&cal->samples,
			     where == WITHIN_NODE ? "eager_threshold_within_B"
						  : "eager_threshold_B",
			     "%lld", low == INT64_MAX ? -2LL : (long long)low);
}

/* --- progress and buffers, with a message that goes by rendezvous if any does --- */

/* What was still waited for without a look, and after one; the same as of samples in fit.c. */
static double unattended_s(const struct cal *cal, double expected_s, int where, double wait_s,
			   double look_s)
{
	double leaves_s = wait_s - look_s,
	       latency_s = cal->empty_s[where] - cal->send_overhead_s - cal->recv_overhead_s;

	if (look_s < LEAST_STALLED * expected_s ||
	    leaves_s > MOST_STALLED * expected_s)
		return INFINITY;
	return fmax(leaves_s - latency_s, 0);
}

/* How long rank 0 still waits after computing as long as the message takes, and half as long again;
 * with a look half-way, or questions for what is complete. And when a send returns whose receiver
 * waits for it. */
void probe_protocol(struct cal *cal, int where, double until)
{
	double wait_s, look_s, expected_s;
	struct pattern probe = {.ranks = {0, cal_partner(cal, where)}, .size_B = 4 << 20};
	const char *receives = "J0 M1 w";

	if (cal->threshold_B != INT64_MAX && probe.size_B < 4 * cal->threshold_B)
		probe.size_B = 4 * cal->threshold_B;
	if (probe.size_B > cal->largest_B[where])
		probe.size_B = cal->largest_B[where];
	cal_group(cal, "progress and buffers", until, 6);
	expected_s = probe_one_way(cal, where, probe.size_B);
	probe.compute_s = 0.75 * expected_s;
	wait_s = pattern_repeat(cal, &probe, "send_progress", where, "M1 I1 c c b w e", receives);
	look_s = pattern_repeat(cal, &probe, "send_look", where, "M1 I1 c l c b w e", receives);
	cal->unattended_s = unattended_s(cal, expected_s, where, wait_s, look_s);
	pattern_repeat(cal, &probe, "send_complete_look", where, "M1 I1 c L c b w e", receives);
	pattern_repeat(cal, &probe, "recv_progress", where, "J1 M1 c c b w e", "M1 S0");
	pattern_repeat(cal, &probe, "send_return", where, "M1 M1 b S1 e", "M1 M1 R0");
}
