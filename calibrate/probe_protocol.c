/* SPDX-License-Identifier: BSD-3-Clause */
/* How the library moves messages: overheads, eager threshold, progress while computing, send
 * buffers. */
#include <math.h>

#include "calibrate.h"

enum {
	BURST = 16,	 /* empty messages */
	BURST_LARGE = 4, /* eager ones that are not: few, so that systems take them all */
	LARGE_B = 8192,
	LOOKS_IN_A_ROW = 4 /* some libraries read an answer in one and act on it in the next */
};

/* Of a large message's time: what a sender that looked once still waits for, at least, if the rest
 * had stalled, and what has left since, at most. */
static const double LEAST_STALLED = 0.05, MOST_STALLED = 0.7;

/* What a sender does half-way through its computing. */
enum look { LOOKS_NOT, LOOKS, ASKS_FOR_COMPLETE };

struct probe {
	int partner, n_messages;
	int64_t size_B;
	double pause_s, expected_s;
	enum look look;
};

/* --- overhead per message --- */

/* Rank 0 sends eager messages, one after the other. */
static double measure_send_overhead(struct cal *cal, void *context)
{
	const struct probe *probe = context;
	double begin, time_s = 0;

	cal_meet(cal, probe->partner);
	if (cal->rank == 0) {
		begin = MPI_Wtime();
		for (int k = 0; k < probe->n_messages; k++)
			MPI_Send(cal->send_buf, (int)probe->size_B, MPI_BYTE, probe->partner, 2,
				 MPI_COMM_WORLD);
		time_s = (MPI_Wtime() - begin) / probe->n_messages;
	} else if (cal->rank == probe->partner) {
		for (int k = 0; k < probe->n_messages; k++)
			MPI_Recv(cal->recv_buf, (int)probe->size_B, MPI_BYTE, 0, 2, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
	}
	return time_s;
}

/* Rank 0 takes eager messages that arrived while it paused. */
static double measure_receive_overhead(struct cal *cal, void *context)
{
	const struct probe *probe = context;
	double begin, time_s = 0;

	cal_meet(cal, probe->partner);
	if (cal->rank == 0) {
		load_pause(probe->pause_s);
		begin = MPI_Wtime();
		for (int k = 0; k < probe->n_messages; k++)
			MPI_Recv(cal->recv_buf, (int)probe->size_B, MPI_BYTE, probe->partner, 3,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		time_s = (MPI_Wtime() - begin) / probe->n_messages;
	} else if (cal->rank == probe->partner) {
		for (int k = 0; k < probe->n_messages; k++)
			MPI_Send(cal->send_buf, (int)probe->size_B, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
	}
	return time_s;
}

void probe_overhead(struct cal *cal, int where, double until)
{
	struct probe probe = {.partner = cal_partner(cal, where),
			      .n_messages = BURST,
			      .pause_s = 2 * BURST * cal->empty_s[where] + 1e-3};

	cal_group(cal, "overhead per message", until, 2);
	cal->send_overhead_s =
	    cal_repeat(cal, "send_overhead", where, 0, 0, measure_send_overhead, &probe);
	cal->recv_overhead_s =
	    cal_repeat(cal, "recv_overhead", where, 0, 0, measure_receive_overhead, &probe);
}

void probe_overhead_by_size(struct cal *cal, int where, double until)
{
	struct probe probe = {.partner = cal_partner(cal, where), .n_messages = BURST_LARGE};
	double time_s;

	probe.size_B = cal->largest_B[where] < LARGE_B ? cal->largest_B[where] : LARGE_B;
	if (cal->threshold_B < probe.size_B)
		probe.size_B = cal->threshold_B;
	if (probe.size_B < 1)
		return;
	probe.pause_s = 2 * BURST_LARGE *
			    (cal->empty_s[where] + (double)probe.size_B * cal->per_byte_s[where]) +
			1e-3;
	cal_group(cal, "overhead per byte", until, 2);
	time_s =
	    cal_repeat(cal, "send_overhead", where, probe.size_B, 0, measure_send_overhead, &probe);
	cal->send_per_B_s = fmax(time_s - cal->send_overhead_s, 0) / (double)probe.size_B;
	time_s = cal_repeat(cal, "recv_overhead", where, probe.size_B, 0, measure_receive_overhead,
			    &probe);
	cal->recv_per_B_s = fmax(time_s - cal->recv_overhead_s, 0) / (double)probe.size_B;
}

/* --- eager threshold --- */

/* How long a send takes whose receiver comes pause_s late; and before, to meet it. */
static double send_to_late(struct cal *cal, const struct probe *probe, double *met_s)
{
	double begin, time_s = 0;

	cal_meet(cal, probe->partner); /* its pause before is over */
	begin = MPI_Wtime();
	cal_meet(cal, probe->partner);
	if (cal->rank == 0) {
		*met_s = MPI_Wtime() - begin;
		begin += *met_s;
		MPI_Send(cal->send_buf, (int)probe->size_B, MPI_BYTE, probe->partner, 4,
			 MPI_COMM_WORLD);
		time_s = MPI_Wtime() - begin;
	} else if (cal->rank == probe->partner) {
		load_pause(probe->pause_s);
		MPI_Recv(cal->recv_buf, (int)probe->size_B, MPI_BYTE, 0, 4, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	}
	return time_s;
}

static double measure_late_receiver(struct cal *cal, void *context)
{
	double met_s;

	return send_to_late(cal, context, &met_s);
}

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
	struct probe probe = {.partner = cal_partner(cal, where), .size_B = size_B};
	struct sample_key key = sample_key("late_receiver", where, size_B, 0);
	int verdict = WAITS, n_waited = 0;

	for (int k = 0; k < MOST_TRIES && n_waited < TRIES && verdict != LEAVES; k++) {
		double met_s = 0, time_s;

		probe.pause_s = 4 * (expected_s + cal->empty_s[where]) + 2e-3 +
				(k > 0 ? OTHERS_S : 0);
		time_s = send_to_late(cal, &probe, &met_s);
		if (cal->rank == 0)
			samples_add(&cal->samples, &key, met_s + time_s);
		verdict = met_s + time_s < 0.9 * probe.pause_s	      ? LEAVES
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

static void look(struct cal *cal, MPI_Request *request, enum look look)
{
	MPI_Request to_itself[2];
	int is_done, indices[2];

	for (int k = 0; k < LOOKS_IN_A_ROW && look == LOOKS; k++)
		MPI_Test(request, &is_done, MPI_STATUS_IGNORE);
	for (int k = 0; k < LOOKS_IN_A_ROW && look == ASKS_FOR_COMPLETE; k++) {
		MPI_Irecv(NULL, 0, MPI_BYTE, cal->rank, 7, MPI_COMM_WORLD, &to_itself[0]);
		MPI_Isend(NULL, 0, MPI_BYTE, cal->rank, 7, MPI_COMM_WORLD, &to_itself[1]);
		MPI_Waitsome(2, to_itself, &is_done, indices, MPI_STATUSES_IGNORE);
		MPI_Waitall(2, to_itself, MPI_STATUSES_IGNORE);
	}
}

/* How long rank 0 still waits after computing as long as the message takes, and half as long again.
 */
static double measure_send_progress(struct cal *cal, void *context)
{
	const struct probe *probe = context;
	MPI_Request request = MPI_REQUEST_NULL;
	double begin, wait_s = 0;

	if (cal->rank == probe->partner)
		MPI_Irecv(cal->recv_buf, (int)probe->size_B, MPI_BYTE, 0, 5, MPI_COMM_WORLD,
			  &request);
	cal_meet(cal, probe->partner);
	if (cal->rank == 0) {
		MPI_Isend(cal->send_buf, (int)probe->size_B, MPI_BYTE, probe->partner, 5,
			  MPI_COMM_WORLD, &request);
		load_compute(0.75 * probe->expected_s);
		look(cal, &request, probe->look);
		load_compute(0.75 * probe->expected_s);
		begin = MPI_Wtime();
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		wait_s = MPI_Wtime() - begin;
	} else if (cal->rank == probe->partner) {
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	return wait_s;
}

static double measure_receive_progress(struct cal *cal, void *context)
{
	const struct probe *probe = context;
	MPI_Request request = MPI_REQUEST_NULL;
	double begin, wait_s = 0;

	if (cal->rank == 0)
		MPI_Irecv(cal->recv_buf, (int)probe->size_B, MPI_BYTE, probe->partner, 6,
			  MPI_COMM_WORLD, &request);
	cal_meet(cal, probe->partner);
	if (cal->rank == 0) {
		load_compute(1.5 * probe->expected_s);
		begin = MPI_Wtime();
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		wait_s = MPI_Wtime() - begin;
	} else if (cal->rank == probe->partner) {
		MPI_Send(cal->send_buf, (int)probe->size_B, MPI_BYTE, 0, 6, MPI_COMM_WORLD);
	}
	return wait_s;
}

/* When a send returns whose receiver waits for it. */
static double measure_send_return(struct cal *cal, void *context)
{
	struct probe probe = *(const struct probe *)context;

	probe.pause_s = 0;
	return measure_late_receiver(cal, &probe);
}

/* What was still waited for without a look, and after one; the same as of samples in fit.c. */
static double unattended_s(const struct cal *cal, const struct probe *probe, int where,
			   double wait_s, double look_s)
{
	double leaves_s = wait_s - look_s,
	       latency_s = cal->empty_s[where] - cal->send_overhead_s - cal->recv_overhead_s;

	if (look_s < LEAST_STALLED * probe->expected_s ||
	    leaves_s > MOST_STALLED * probe->expected_s)
		return INFINITY;
	return fmax(leaves_s - latency_s, 0);
}

void probe_protocol(struct cal *cal, int where, double until)
{
	double wait_s, look_s;
	struct probe probe = {.partner = cal_partner(cal, where), .size_B = 4 << 20};

	if (cal->threshold_B != INT64_MAX && probe.size_B < 4 * cal->threshold_B)
		probe.size_B = 4 * cal->threshold_B;
	if (probe.size_B > cal->largest_B[where])
		probe.size_B = cal->largest_B[where];
	cal_group(cal, "progress and buffers", until, 6);
	probe.expected_s = probe_one_way(cal, where, probe.size_B);
	wait_s =
	    cal_repeat(cal, "send_progress", where, probe.size_B, 0, measure_send_progress, &probe);
	probe.look = LOOKS;
	look_s =
	    cal_repeat(cal, "send_look", where, probe.size_B, 0, measure_send_progress, &probe);
	cal->unattended_s = unattended_s(cal, &probe, where, wait_s, look_s);
	probe.look = ASKS_FOR_COMPLETE;
	cal_repeat(cal, "send_complete_look", where, probe.size_B, 0, measure_send_progress,
		   &probe);
	cal_repeat(cal, "recv_progress", where, probe.size_B, 0, measure_receive_progress, &probe);
	cal_repeat(cal, "send_return", where, probe.size_B, 0, measure_send_return, &probe);
}
