/* SPDX-License-Identifier: BSD-3-Clause */
/* What links and connections do that a single time by size does not show: whether latencies share the
 * links, whether a short message passes a long one. */
#include <math.h>

#include "calibrate.h"

static const double LATENCIES = 20; /* of a message that others stay behind */
/* Of the time of a large message's bytes, how long before its end an empty one behind it arrives at
 * most that cannot pass it. */
static const double IN_ORDER = 0.1;

/* Of the time of a large message, when an empty one arrives that was sent behind it; at the
 * receiver, on all ranks. */
static double measure_behind_large(struct cal *cal, void *context)
{
	struct pattern *probe = context;
	double copy_s = 0, fraction;

	pattern_run(cal, probe);
	/* what has arrived may be copied only then */
	if (probe->size_B <= cal->threshold_B)
		copy_s = (double)probe->size_B * cal->recv_per_B_s;
	fraction = probe->times_s[0] / (probe->times_s[1] - copy_s);
	MPI_Bcast(&fraction, 1, MPI_DOUBLE, cal->far, MPI_COMM_WORLD);
	return fraction;
}

/* The bulk is on its way when the empty message leaves, and takes longer than that. */
static void probe_order(struct cal *cal)
{
	struct pattern probe = {.ranks = {0, cal->far},
				.steps = {"M1 I1 f i1 W", "J0 j0 M1 b w e w e"},
				.size_B = 4 << 20};
	int64_t largest_B = cal->largest_B[BETWEEN_NODES];
	double empty_s = cal->empty_s[BETWEEN_NODES], per_byte_s = cal->per_byte_s[BETWEEN_NODES],
	       wanted_B = per_byte_s > 0 ? LATENCIES * empty_s / per_byte_s : 0, fraction,
	       expected_s;

	if ((double)probe.size_B < wanted_B)
		probe.size_B = (int64_t)fmin(wanted_B, (double)largest_B);
	if (cal->threshold_B < INT64_MAX && 2 * cal->threshold_B > probe.size_B)
		probe.size_B = 2 * cal->threshold_B;
	if (probe.size_B > largest_B)
		probe.size_B = largest_B;
	expected_s = probe_one_way(cal, BETWEEN_NODES, probe.size_B);
	probe.look_s =
	    fmax(expected_s - empty_s - 0.75 * (double)probe.size_B * per_byte_s, 0);
	fraction = cal_repeat(cal, "behind_large", BETWEEN_NODES, probe.size_B, 0,
			      measure_behind_large, &probe);
	cal->is_ordered = (1 - fraction) * (empty_s + expected_s) <
			  IN_ORDER * (double)probe.size_B * per_byte_s;
}

/* About: the second of two messages follows the first by the latency, and not by an overhead. */
static bool shares_latency(const struct cal *cal, double time_s)
{
	double empty_s = cal->empty_s[BETWEEN_NODES],
	       overhead_s = fmax(cal->send_overhead_s, cal->recv_overhead_s),
	       latency_s = empty_s - cal->send_overhead_s - cal->recv_overhead_s;

	return latency_s > overhead_s && time_s > 2 * empty_s + (latency_s + overhead_s) / 2;
}

void probe_rest(struct cal *cal, double until)
{
	struct pattern probe = {.ranks = {0, cal->far}, .steps = {NULL, NULL, "M2 r0 s0"}};

	cal_group(cal, "order, and two at once", until, 3);
	probe_order(cal);
	if (cal->n_nodes < 3)
		return;
	probe.ranks[2] = cal->leader[2];
	/* empty messages to two nodes, and their answers */
	cal->is_latency_shared = shares_latency(
	    cal, pattern_repeat(cal, &probe, "two_at_once", BETWEEN_NODES,
				"M1 M2 j1 j2 b i1 i2 W e", "M1 r0 s0"));
}
