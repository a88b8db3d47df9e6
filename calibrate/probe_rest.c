/* SPDX-License-Identifier: BSD-3-Clause */
/* What links and connections do that a single time by size does not show: what passes at once after
 * a rest, whether latencies share the links, whether a short message passes a long one. */
#include <math.h>

#include "calibrate.h"

enum { TAG_TWO = 41, TAG_LONG, TAG_SHORT };

static const int64_t LARGEST_ROUND_B = 65536;
static const double LATENCIES = 20; /* of a message that others stay behind */
/* Of the time of a large message's bytes, how long before its end an empty one behind it arrives at
 * most that cannot pass it. */
static const double IN_ORDER = 0.1;

struct probe {
	int partner, third;
	int64_t size_B;
	double expected_s, look_s;
};

/* How much longer a message and its answer take right after the same than after a rest. */
static double measure_after_rest(struct cal *cal, void *context)
{
	const struct probe *probe = context;
	double begin, middle;

	cal_meet(cal, probe->partner);
	if (cal->rank == 0)
		load_pause(3 * probe->expected_s + 2e-3);
	begin = MPI_Wtime();
	cal_round_trip(cal, probe->partner, probe->size_B);
	middle = MPI_Wtime();
	cal_round_trip(cal, probe->partner, probe->size_B);
	return (MPI_Wtime() - middle) - (middle - begin);
}

/* Empty messages to two nodes at once, and their answers. */
static double measure_two(struct cal *cal, void *context)
{
	const struct probe *probe = context;
	MPI_Request requests[4];
	double begin, time_s = 0;

	cal_meet(cal, probe->partner);
	cal_meet(cal, probe->third);
	if (cal->rank == 0) {
		MPI_Irecv(NULL, 0, MPI_BYTE, probe->partner, TAG_TWO, MPI_COMM_WORLD, &requests[0]);
		MPI_Irecv(NULL, 0, MPI_BYTE, probe->third, TAG_TWO, MPI_COMM_WORLD, &requests[1]);
		begin = MPI_Wtime();
		MPI_Isend(NULL, 0, MPI_BYTE, probe->partner, TAG_TWO, MPI_COMM_WORLD, &requests[2]);
		MPI_Isend(NULL, 0, MPI_BYTE, probe->third, TAG_TWO, MPI_COMM_WORLD, &requests[3]);
		MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
		time_s = MPI_Wtime() - begin;
	} else if (cal->rank == probe->partner || cal->rank == probe->third) {
		MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_TWO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_TWO, MPI_COMM_WORLD);
	}
	return time_s;
}

/* Of the time of a large message, when an empty one arrives that was sent behind it; at the
 * receiver, on all ranks. */
static double measure_behind_large(struct cal *cal, void *context)
{
	const struct probe *probe = context;
	MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	double begin, short_s, copy_s, fraction = 0;

	if (cal->rank == probe->partner) {
		MPI_Irecv(cal->recv_buf, (int)probe->size_B, MPI_BYTE, 0, TAG_LONG, MPI_COMM_WORLD,
			  &requests[0]);
		MPI_Irecv(NULL, 0, MPI_BYTE, 0, TAG_SHORT, MPI_COMM_WORLD, &requests[1]);
	}
	cal_meet(cal, probe->partner);
	begin = MPI_Wtime();
	if (cal->rank == 0) {
		MPI_Isend(cal->send_buf, (int)probe->size_B, MPI_BYTE, probe->partner, TAG_LONG,
			  MPI_COMM_WORLD, &requests[0]);
		cal_look_for(&requests[0], probe->look_s);
		MPI_Isend(NULL, 0, MPI_BYTE, probe->partner, TAG_SHORT, MPI_COMM_WORLD,
			  &requests[1]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	} else if (cal->rank == probe->partner) {
		MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
		short_s = MPI_Wtime() - begin;
		MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
		/* what has arrived may be copied only then */
		copy_s = probe->size_B <= cal->threshold_B
			     ? (double)probe->size_B * cal->recv_per_B_s
			     : 0;
		fraction = short_s / (MPI_Wtime() - begin - copy_s);
	}
	MPI_Bcast(&fraction, 1, MPI_DOUBLE, probe->partner, MPI_COMM_WORLD);
	return fraction;
}

/* The bulk is on its way when the empty message leaves, and takes longer than that. */
static void probe_order(struct cal *cal, struct probe *probe)
{
	int64_t largest_B = cal->largest_B[BETWEEN_NODES];
	double empty_s = cal->empty_s[BETWEEN_NODES], per_byte_s = cal->per_byte_s[BETWEEN_NODES],
	       wanted_B = per_byte_s > 0 ? LATENCIES * empty_s / per_byte_s : 0, fraction;

	probe->size_B = 4 << 20;
	if ((double)probe->size_B < wanted_B)
		probe->size_B = (int64_t)fmin(wanted_B, (double)largest_B);
	if (cal->threshold_B < INT64_MAX && 2 * cal->threshold_B > probe->size_B)
		probe->size_B = 2 * cal->threshold_B;
	if (probe->size_B > largest_B)
		probe->size_B = largest_B;
	probe->expected_s = probe_one_way(cal, BETWEEN_NODES, probe->size_B);
	probe->look_s =
	    fmax(probe->expected_s - empty_s - 0.75 * (double)probe->size_B * per_byte_s, 0);
	fraction = cal_repeat(cal, "behind_large", BETWEEN_NODES, probe->size_B, 0,
			      measure_behind_large, probe);
	cal->is_ordered = (1 - fraction) * (empty_s + probe->expected_s) <
			  IN_ORDER * (double)probe->size_B * per_byte_s;
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
	int64_t largest_B = cal->largest_B[BETWEEN_NODES];
	struct probe probe = {.partner = cal->far, .size_B = LARGEST_ROUND_B};
	double per_byte_s = cal->per_byte_s[BETWEEN_NODES], empty_s = cal->empty_s[BETWEEN_NODES];

	probe.size_B = probe.size_B < largest_B ? probe.size_B : largest_B;
	if (cal->threshold_B < probe.size_B)
		probe.size_B = cal->threshold_B;
	probe.expected_s = empty_s + (double)probe.size_B * per_byte_s;
	cal_group(cal, "bursts and order", until, 4);
	if (probe.size_B > 0)
		cal->after_rest_s = cal_repeat(cal, "after_rest", BETWEEN_NODES, probe.size_B, 0,
					       measure_after_rest, &probe);
	probe_order(cal, &probe);
	if (cal->n_nodes < 3)
		return;
	probe.third = cal->leader[2];
	cal->is_latency_shared = shares_latency(
	    cal, cal_repeat(cal, "two_at_once", BETWEEN_NODES, 0, 0, measure_two, &probe));
}
