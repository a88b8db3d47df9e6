/* SPDX-License-Identifier: BSD-3-Clause */
/* How a message by rendezvous begins and ends, and what waits behind a large one. */
#include <math.h>

#include "calibrate.h"

enum { TAG = 20 };

static const double LARGE_B = 4 << 20, LATENCIES = 20;
/* Who looks for a quarter of a message's time looks for a microsecond: that long may a call that
 * looks take, as it does in the simulator. */
static const double SHORT_S = 4e-6, LONG_S = 8e-6;
static const double MORE_BURSTS = 2.5;

/* What shares links with a large message, but stands in no queue with it: from the third node. */
static double measure_from_third(struct cal *cal, void *context)
{
	struct pattern *probe = context;
	double time_s;

	pattern_run(cal, probe);
	time_s = probe->times_s[0];
	MPI_Bcast(&time_s, 1, MPI_DOUBLE, probe->ranks[2], MPI_COMM_WORLD);
	return time_s;
}

/* A message comes while nobody looks: does a first question say no? */
static double measure_late(struct cal *cal, void *context)
{
	bool asks_by_tests = *(const bool *)context;
	MPI_Request request;
	int is_there = 0, index, n_done = 0;
	bool is_late = false;

	cal_meet(cal, cal->far);
	if (cal->rank == cal->far) {
		/* not with the answer that rank 0 is still waiting for */
		load_pause(5 * cal->empty_s[BETWEEN_NODES] + 1e-3);
		MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
		return 0;
	}
	if (cal->rank != 0)
		return 0;
	if (asks_by_tests)
		MPI_Irecv(NULL, 0, MPI_BYTE, cal->far, TAG, MPI_COMM_WORLD, &request);
	load_pause(20 * cal->empty_s[BETWEEN_NODES] + 5e-3);
	if (asks_by_tests) {
		MPI_Testsome(1, &request, &n_done, &index, MPI_STATUSES_IGNORE);
		is_late = n_done != 1;
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else {
		MPI_Iprobe(cal->far, TAG, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
		is_late = !is_there;
		MPI_Recv(NULL, 0, MPI_BYTE, cal->far, TAG, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	}
	return is_late;
}

static void probe_late(struct cal *cal)
{
	bool asks_by_tests = false;

	cal_repeat(cal, "late_probe", BETWEEN_NODES, 0, 0, measure_late, &asks_by_tests);
	asks_by_tests = true;
	cal_repeat(cal, "late_tests", BETWEEN_NODES, 0, 0, measure_late, &asks_by_tests);
}

/* Of a large message. Packets follow a window, which grows with what has arrived: then one that
 * takes many latencies. */
static int64_t large_size(const struct cal *cal)
{
	double per_byte_s = cal->per_byte_s[BETWEEN_NODES],
	       wanted_B = cal->has_packets && per_byte_s > 0
			      ? LATENCIES * cal->empty_s[BETWEEN_NODES] / per_byte_s
			      : 0;

	return (int64_t)fmin(fmax(wanted_B, LARGE_B), (double)cal->largest_B[BETWEEN_NODES]);
}

/* A byte to a third node and an answer, when three quarters of a large message's bytes are left, and
 * half of them: what a queue holds is the same, what a window lets out is not. */
static void probe_queue(struct cal *cal, double handshake_s)
{
	static const char waits[] = "J0 M1 w", asks[] = "M1 M2 I1 f b B2 r2 e w";
	struct pattern probe = {.ranks = {0, cal->far, cal->leader[2]},
				.steps = {NULL, NULL, "M2 D0 s0"}};
	int64_t size_B = large_size(cal);
	double empty_s = cal->empty_s[BETWEEN_NODES],
	       bytes_s = (double)size_B * cal->per_byte_s[BETWEEN_NODES], begin_s, nothing_s,
	       bulk_s;

	nothing_s = pattern_repeat(cal, &probe, "beside_nothing", BETWEEN_NODES,
				   "M1 M2 b B2 r2 e", "M1");
	probe.size_B = size_B;
	begin_s = handshake_s + empty_s / 4;
	if (size_B > LARGE_B)
		begin_s = probe_one_way(cal, BETWEEN_NODES, size_B) - empty_s - bytes_s;
	probe.look_s = begin_s + bytes_s / 4;
	bulk_s = pattern_repeat(cal, &probe, "beside_bulk", BETWEEN_NODES, asks, waits);
	probe.look_s = begin_s + bytes_s / 2;
	pattern_repeat(cal, &probe, "beside_half", BETWEEN_NODES, asks, waits);
	cal->queue_s = fmax(bulk_s - nothing_s, 0);
	if (!cal->is_latency_shared || cal->has_packets)
		return;
	/* rank 0 begins when the third one's word is there */
	probe.pause_s = empty_s + begin_s + bytes_s / 4;
	probe.steps[0] = "M1 M2 I1 w";
	probe.steps[1] = "J0 M1 D2 s2 w";
	probe.steps[2] = "M2 p b B1 r1 e";
	cal_repeat(cal, "beside_away", BETWEEN_NODES, size_B, 0, measure_from_third, &probe);
}

/* What probe_away finds out of a large message; and what a rendezvous takes longer. */
struct away {
	int64_t size_B;
	double expected_s, handshake_s;
};

/*
 * How long a send takes whose receiver attends for a while, so that the bulk begins, and then
 * computes for twice as long as the message takes; and with rank 0 as the receiver, how long it
 * still waits when it has computed. The receiver looks until it has answered the request and what travels with it, and no longer than
 * until the bulk is there, whether handshakes are halves of two control messages or quarters of
 * four.
 */
static void probe_away(struct cal *cal, struct away *away)
{
	struct pattern probe = {.ranks = {0, cal->far}};
	double empty_s = cal->empty_s[BETWEEN_NODES], per_byte_s = cal->per_byte_s[BETWEEN_NODES],
	       time_s = probe_one_way(cal, BETWEEN_NODES, away->size_B),
	       bytes_s = fmax((double)away->size_B * per_byte_s - cal->spared_s, 0),
	       handshake_s = fmax(time_s - empty_s - bytes_s, 0), wanted_s = 0;

	/* else there would be no such moment, or it would be missed */
	if (handshake_s > 4 * empty_s + bytes_s)
		wanted_s = handshake_s;
	if (time_s < SHORT_S)
		wanted_s = fmax(wanted_s, LONG_S);
	if (wanted_s > 0 && per_byte_s > 0) {
		away->size_B = (int64_t)fmin((wanted_s + cal->spared_s) / per_byte_s,
					      (double)cal->largest_B[BETWEEN_NODES]);
		time_s = probe_one_way(cal, BETWEEN_NODES, away->size_B);
	}
	away->expected_s = time_s;
	away->handshake_s = handshake_s;
	probe.size_B = away->size_B;
	probe.compute_s = 2 * time_s;
	/* the sender begins when the word of the receiver, which looks already, is there */
	probe.look_s = 0.75 * (time_s + empty_s) - 0.25 * handshake_s;
	pattern_repeat(cal, &probe, "receiver_away", BETWEEN_NODES, "M1 b S1 e", "J0 M1 f c w");
	/* the request comes behind the sender's word */
	probe.look_s = 0.75 * (time_s - empty_s) - 0.375 * handshake_s;
	pattern_repeat(cal, &probe, "receiver_back", BETWEEN_NODES, "J1 M1 f c b w e", "M1 S0");
}

/* What passes at once takes no time in which one could be away, and what travels with a request
 * uses up what links have saved: the bulk is to have more. */
static void lengthen(struct cal *cal, struct away *away)
{
	double more_B = MORE_BURSTS * cal->spared_s / fmax(cal->per_byte_s[BETWEEN_NODES], 1e-15);

	if (more_B < 1)
		return;
	away->size_B =
	    (int64_t)fmin((double)away->size_B + more_B, (double)cal->largest_B[BETWEEN_NODES]);
}

void probe_ends(struct cal *cal, double until)
{
	int64_t largest_B = cal->largest_B[BETWEEN_NODES];
	int64_t rendezvous_B = cal->threshold_B > 0 ? 2 * cal->threshold_B : 2;
	bool has_rendezvous = cal->threshold_B != INT64_MAX && rendezvous_B <= largest_B;
	struct pattern probe = {.ranks = {0, cal->far}};
	struct away away = {.size_B = rendezvous_B};
	double late_s;

	cal_group(cal, "ends and queues", until,
		  (has_rendezvous ? 4 : 0) + (cal->n_nodes > 2 ? 4 : 0) + 3);
	/* the partner is in its receive by then */
	probe.pause_s = 20 * cal->empty_s[BETWEEN_NODES];
	pattern_repeat(cal, &probe, "synchronous", BETWEEN_NODES, "M1 p b y1 e", "M1 r0");
	probe_late(cal);
	if (has_rendezvous) {
		lengthen(cal, &away);
		probe_away(cal, &away);
		/* the request, and whatever travels with it, has arrived */
		probe.size_B = away.size_B;
		probe.pause_s = 3 * away.expected_s + 2e-3;
		late_s = pattern_repeat(cal, &probe, "late_bulk", BETWEEN_NODES, "M1 p b R1 e",
					"M1 S0");
		cal->request_B = fmax(away.expected_s - late_s - cal->empty_s[BETWEEN_NODES], 0) /
				 fmax(cal->per_byte_s[BETWEEN_NODES], 1e-15);
	}
	if (cal->n_nodes > 2)
		probe_queue(cal, away.handshake_s);
}
