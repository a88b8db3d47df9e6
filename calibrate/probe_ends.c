/* SPDX-License-Identifier: BSD-3-Clause */
/* How a message by rendezvous begins and ends, and what waits behind a large one. */
#include <math.h>

#include "calibrate.h"

enum { TAG_AWAY = 20, TAG_LATE, TAG_BULK, TAG_ASK, TAG_ANSWER };

static const double LARGE_B = 4 << 20, LATENCIES = 20;
/* Who looks for a quarter of a message's time looks for a microsecond: that long may a call that
 * looks take, as it does in the simulator. */
static const double SHORT_S = 4e-6, LONG_S = 8e-6;
static const double MORE_BURSTS = 2.5;

struct probe {
	int partner;
	int third; /* a rank of another node; -1: none */
	int64_t size_B;
	double expected_s, look_s;
	double handshake_s; /* what a rendezvous takes longer */
	bool asks_by_tests;
};

/* How long a send takes whose receiver attends for a while, so that the bulk begins, and then
 * computes for twice as long as the message takes. */
static double measure_receiver_away(struct cal *cal, void *context)
{
	const struct probe *probe = context;
	MPI_Request request = MPI_REQUEST_NULL;
	double begin, time_s = 0;

	if (cal->rank == probe->partner)
		MPI_Irecv(cal->recv_buf, (int)probe->size_B, MPI_BYTE, 0, TAG_AWAY, MPI_COMM_WORLD,
			  &request);
	cal_meet(cal, probe->partner);
	if (cal->rank == 0) {
		begin = MPI_Wtime();
		MPI_Send(cal->send_buf, (int)probe->size_B, MPI_BYTE, probe->partner, TAG_AWAY,
			 MPI_COMM_WORLD);
		time_s = MPI_Wtime() - begin;
	} else if (cal->rank == probe->partner) {
		cal_look_for(&request, probe->look_s);
		load_compute(2 * probe->expected_s);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	return time_s;
}

/* The same, with rank 0 as the receiver: how long it still waits when it has computed. */
static double measure_receiver_back(struct cal *cal, void *context)
{
	const struct probe *probe = context;
	MPI_Request request = MPI_REQUEST_NULL;
	double begin, time_s = 0;

	if (cal->rank == 0)
		MPI_Irecv(cal->recv_buf, (int)probe->size_B, MPI_BYTE, probe->partner, TAG_AWAY,
			  MPI_COMM_WORLD, &request);
	cal_meet(cal, probe->partner);
	if (cal->rank == 0) {
		cal_look_for(&request, probe->look_s);
		load_compute(2 * probe->expected_s);
		begin = MPI_Wtime();
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		time_s = MPI_Wtime() - begin;
	} else if (cal->rank == probe->partner) {
		MPI_Send(cal->send_buf, (int)probe->size_B, MPI_BYTE, 0, TAG_AWAY, MPI_COMM_WORLD);
	}
	return time_s;
}

/* How long a receive takes that comes after the request, and whatever travels with it, has arrived.
 */
static double measure_late_bulk(struct cal *cal, void *context)
{
	const struct probe *probe = context;
	double begin, time_s = 0;

	cal_meet(cal, probe->partner);
	if (cal->rank == 0) {
		load_pause(3 * probe->expected_s + 2e-3);
		begin = MPI_Wtime();
		MPI_Recv(cal->recv_buf, (int)probe->size_B, MPI_BYTE, probe->partner, TAG_LATE,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		time_s = MPI_Wtime() - begin;
	} else if (cal->rank == probe->partner) {
		MPI_Send(cal->send_buf, (int)probe->size_B, MPI_BYTE, 0, TAG_LATE, MPI_COMM_WORLD);
	}
	return time_s;
}

/* A byte to a third node and an answer, while a large one is on its way to the partner, or
 * without. */
static double measure_behind(struct cal *cal, void *context)
{
	const struct probe *probe = context;
	MPI_Request request = MPI_REQUEST_NULL;
	double begin, time_s = 0;

	if (cal->rank == probe->partner && probe->size_B > 0)
		MPI_Irecv(cal->recv_buf, (int)probe->size_B, MPI_BYTE, 0, TAG_BULK, MPI_COMM_WORLD,
			  &request);
	cal_meet(cal, probe->partner);
	cal_meet(cal, probe->third);
	if (cal->rank == 0) {
		if (probe->size_B > 0)
			MPI_Isend(cal->send_buf, (int)probe->size_B, MPI_BYTE, probe->partner,
				  TAG_BULK, MPI_COMM_WORLD, &request);
		cal_look_for(&request, probe->size_B > 0 ? probe->look_s : 0);
		begin = MPI_Wtime();
		MPI_Send(cal->send_buf, 1, MPI_BYTE, probe->third, TAG_ASK, MPI_COMM_WORLD);
		MPI_Recv(NULL, 0, MPI_BYTE, probe->third, TAG_ANSWER, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		time_s = MPI_Wtime() - begin;
	} else if (cal->rank == probe->third) {
		MPI_Recv(cal->recv_buf, 1, MPI_BYTE, 0, TAG_ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_ANSWER, MPI_COMM_WORLD);
	}
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	return time_s;
}

/* A byte from the third node to the partner and an answer, while a large one is on its way there:
 * what shares its links, but stands in no queue with it. At rank 0. */
static double measure_from_third(struct cal *cal, void *context)
{
	const struct probe *probe = context;
	MPI_Request request = MPI_REQUEST_NULL;
	double begin, time_s = 0;

	if (cal->rank == probe->partner)
		MPI_Irecv(cal->recv_buf, (int)probe->size_B, MPI_BYTE, 0, TAG_BULK, MPI_COMM_WORLD,
			  &request);
	cal_meet(cal, probe->partner);
	cal_meet(cal, probe->third);
	if (cal->rank == 0) {
		MPI_Isend(cal->send_buf, (int)probe->size_B, MPI_BYTE, probe->partner, TAG_BULK,
			  MPI_COMM_WORLD, &request);
	} else if (cal->rank == probe->partner) {
		MPI_Recv(cal->recv_buf, 1, MPI_BYTE, probe->third, TAG_ASK, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		MPI_Send(NULL, 0, MPI_BYTE, probe->third, TAG_ANSWER, MPI_COMM_WORLD);
	} else if (cal->rank == probe->third) {
		/* rank 0 begins when this rank's word is there */
		load_pause(cal->empty_s[BETWEEN_NODES] + probe->look_s);
		begin = MPI_Wtime();
		MPI_Send(cal->send_buf, 1, MPI_BYTE, probe->partner, TAG_ASK, MPI_COMM_WORLD);
		MPI_Recv(NULL, 0, MPI_BYTE, probe->partner, TAG_ANSWER, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		time_s = MPI_Wtime() - begin;
	}
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Bcast(&time_s, 1, MPI_DOUBLE, probe->third, MPI_COMM_WORLD);
	return time_s;
}

/* A synchronous send below the threshold, whose receiver waits. */
static double measure_synchronous(struct cal *cal, void *context)
{
	const struct probe *probe = context;
	double begin, time_s = 0;

	cal_meet(cal, probe->partner);
	if (cal->rank == 0) {
		/* the partner is in its receive by then */
		load_pause(20 * cal->empty_s[BETWEEN_NODES]);
		begin = MPI_Wtime();
		MPI_Ssend(NULL, 0, MPI_BYTE, probe->partner, TAG_AWAY, MPI_COMM_WORLD);
		time_s = MPI_Wtime() - begin;
	} else if (cal->rank == probe->partner) {
		MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_AWAY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	return time_s;
}

/* A message comes while nobody looks: does a first question say no? */
static double measure_late(struct cal *cal, void *context)
{
	const struct probe *probe = context;
	MPI_Request request;
	int is_there = 0, index, n_done = 0;
	bool is_late = false;

	cal_meet(cal, probe->partner);
	if (cal->rank == probe->partner) {
		/* not with the answer that rank 0 is still waiting for */
		load_pause(5 * cal->empty_s[BETWEEN_NODES] + 1e-3);
		MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_LATE, MPI_COMM_WORLD);
		return 0;
	}
	if (cal->rank != 0)
		return 0;
	if (probe->asks_by_tests)
		MPI_Irecv(NULL, 0, MPI_BYTE, probe->partner, TAG_LATE, MPI_COMM_WORLD, &request);
	load_pause(20 * cal->empty_s[BETWEEN_NODES] + 5e-3);
	if (probe->asks_by_tests) {
		MPI_Testsome(1, &request, &n_done, &index, MPI_STATUSES_IGNORE);
		is_late = n_done != 1;
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else {
		MPI_Iprobe(probe->partner, TAG_LATE, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
		is_late = !is_there;
		MPI_Recv(NULL, 0, MPI_BYTE, probe->partner, TAG_LATE, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	}
	return is_late;
}

static void probe_late(struct cal *cal, struct probe *probe)
{
	cal_repeat(cal, "late_probe", BETWEEN_NODES, 0, 0, measure_late, probe);
	probe->asks_by_tests = true;
	cal_repeat(cal, "late_tests", BETWEEN_NODES, 0, 0, measure_late, probe);
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

/* When three quarters of a large message's bytes are left, and half of them: what a queue holds is
 * the same, what a window lets out is not. */
static void probe_queue(struct cal *cal, double handshake_s)
{
	struct probe probe = {.partner = cal->far, .third = cal->leader[2], .size_B = 0};
	int64_t size_B = large_size(cal);
	double empty_s = cal->empty_s[BETWEEN_NODES],
	       bytes_s = (double)size_B * cal->per_byte_s[BETWEEN_NODES], begin_s, nothing_s,
	       bulk_s;

	nothing_s = cal_repeat(cal, "beside_nothing", BETWEEN_NODES, 0, 0, measure_behind, &probe);
	probe.size_B = size_B;
	begin_s = handshake_s + empty_s / 4;
	if (size_B > LARGE_B)
		begin_s = probe_one_way(cal, BETWEEN_NODES, size_B) - empty_s - bytes_s;
	probe.look_s = begin_s + bytes_s / 4;
	bulk_s = cal_repeat(cal, "beside_bulk", BETWEEN_NODES, size_B, 0, measure_behind, &probe);
	probe.look_s = begin_s + bytes_s / 2;
	cal_repeat(cal, "beside_half", BETWEEN_NODES, size_B, 0, measure_behind, &probe);
	cal->queue_s = fmax(bulk_s - nothing_s, 0);
	if (!cal->is_latency_shared || cal->has_packets)
		return;
	probe.look_s = begin_s + bytes_s / 4;
	cal_repeat(cal, "beside_away", BETWEEN_NODES, size_B, 0, measure_from_third, &probe);
}

/*
 * The receiver looks until it has answered the request and what travels with it, and no longer than
 * until the bulk is there, whether handshakes are halves of two control messages or quarters of
 * four.
 */
static void probe_away(struct cal *cal, struct probe *probe)
{
	double empty_s = cal->empty_s[BETWEEN_NODES], per_byte_s = cal->per_byte_s[BETWEEN_NODES],
	       time_s = probe_one_way(cal, BETWEEN_NODES, probe->size_B),
	       bytes_s = fmax((double)probe->size_B * per_byte_s - cal->spared_s, 0),
	       handshake_s = fmax(time_s - empty_s - bytes_s, 0), wanted_s = 0;

	/* else there would be no such moment, or it would be missed */
	if (handshake_s > 4 * empty_s + bytes_s)
		wanted_s = handshake_s;
	if (time_s < SHORT_S)
		wanted_s = fmax(wanted_s, LONG_S);
	if (wanted_s > 0 && per_byte_s > 0) {
		probe->size_B = (int64_t)fmin((wanted_s + cal->spared_s) / per_byte_s,
					      (double)cal->largest_B[BETWEEN_NODES]);
		time_s = probe_one_way(cal, BETWEEN_NODES, probe->size_B);
	}
	probe->expected_s = time_s;
	probe->handshake_s = handshake_s;
	/* the sender begins when the word of the receiver, which looks already, is there */
	probe->look_s = 0.75 * (time_s + empty_s) - 0.25 * handshake_s;
	cal_repeat(cal, "receiver_away", BETWEEN_NODES, probe->size_B, 0, measure_receiver_away,
		   probe);
	/* the request comes behind the sender's word */
	probe->look_s = 0.75 * (time_s - empty_s) - 0.375 * handshake_s;
	cal_repeat(cal, "receiver_back", BETWEEN_NODES, probe->size_B, 0, measure_receiver_back,
		   probe);
}

/* What passes at once takes no time in which one could be away, and what travels with a request
 * uses up what links have saved: the bulk is to have more. */
static void lengthen(struct cal *cal, struct probe *probe)
{
	double more_B = MORE_BURSTS * cal->spared_s / fmax(cal->per_byte_s[BETWEEN_NODES], 1e-15);

	if (more_B < 1)
		return;
	probe->size_B =
	    (int64_t)fmin((double)probe->size_B + more_B, (double)cal->largest_B[BETWEEN_NODES]);
}

void probe_ends(struct cal *cal, double until)
{
	int64_t largest_B = cal->largest_B[BETWEEN_NODES];
	int64_t rendezvous_B = cal->threshold_B > 0 ? 2 * cal->threshold_B : 2;
	bool has_rendezvous = cal->threshold_B != INT64_MAX && rendezvous_B <= largest_B;
	struct probe probe = {.partner = cal->far, .third = -1, .size_B = rendezvous_B};
	double late_s;

	cal_group(cal, "ends and queues", until,
		  (has_rendezvous ? 4 : 0) + (cal->n_nodes > 2 ? 4 : 0) + 3);
	cal_repeat(cal, "synchronous", BETWEEN_NODES, 0, 0, measure_synchronous, &probe);
	probe_late(cal, &probe);
	if (has_rendezvous) {
		lengthen(cal, &probe);
		probe_away(cal, &probe);
		late_s = cal_repeat(cal, "late_bulk", BETWEEN_NODES, probe.size_B, 0,
				    measure_late_bulk, &probe);
		cal->request_B = fmax(probe.expected_s - late_s - cal->empty_s[BETWEEN_NODES], 0) /
				 fmax(cal->per_byte_s[BETWEEN_NODES], 1e-15);
	}
	if (cal->n_nodes > 2)
		probe_queue(cal, probe.handshake_s);
}
