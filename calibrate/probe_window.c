/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What connections have on their way: windows by what they have carried, and of connections whose
 * other node was sending already, or soon. A byte to a third node waits in the sender's queue as
 * long as what the connection has there takes.
 */
#include <math.h>

#include "calibrate.h"

enum { TAG_READY = 50, TAG_BULK, TAG_ASK, TAG_ANSWER, TAG_OTHER, TAG_RESULT };
enum { STEP_B = 384 << 10, LEAST_BULK_B = 1 << 20, MOST_STEPS = 24, CONNECTIONS = 3 };

static const int64_t MOST_CARRIED_B = 9000000;
static const double WORTH_SAYING = 0.1; /* two windows that differ by less are the same */
static const double CLOSE_ENOUGH = 0.01;

struct line {
	int source, dest, third; /* ranks, each on another node */
	int other;		 /* who has a message from `dest`; -1: nobody */
	int64_t size_B, other_B;
	double before_s; /* from the send to the question */
	double lead_s;	 /* from the other message to this one; less than 0: that comes later */
	double late_s;	 /* result, at `dest`: how much later it came */
};

static double bulk_s(const struct cal *cal, int64_t size_B)
{
	return cal->empty_s[BETWEEN_NODES] + (double)size_B * cal->per_byte_s[BETWEEN_NODES];
}

static void send_nothing(int to, int tag)
{
	MPI_Send(NULL, 0, MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

static void receive_nothing(int from, int tag)
{
	MPI_Recv(NULL, 0, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Sends the bulk, and after a while asks the third. */
static double ask(const struct cal *cal, const struct line *line)
{
	MPI_Request bulk;
	double begin, time_s;

	receive_nothing(line->dest, TAG_READY);
	if (line->lead_s < 0)
		send_nothing(line->dest, TAG_READY);
	MPI_Isend(cal->send_buf, (int)line->size_B, MPI_BYTE, line->dest, TAG_BULK, MPI_COMM_WORLD,
		  &bulk);
	cal_look_for(&bulk, line->before_s);
	begin = MPI_Wtime();
	MPI_Send(cal->send_buf, 1, MPI_BYTE, line->third, TAG_ASK, MPI_COMM_WORLD);
	receive_nothing(line->third, TAG_ANSWER);
	time_s = MPI_Wtime() - begin;
	MPI_Wait(&bulk, MPI_STATUS_IGNORE);
	return time_s;
}

/* Takes the bulk, and sends something itself before it comes, or soon after. */
static void take(const struct cal *cal, struct line *line)
{
	MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	double told;

	MPI_Irecv(cal->recv_buf, (int)line->size_B, MPI_BYTE, line->source, TAG_BULK,
		  MPI_COMM_WORLD, &requests[0]);
	if (line->other >= 0)
		receive_nothing(line->other, TAG_READY);
	if (line->other >= 0 && line->lead_s >= 0) {
		MPI_Isend(cal->send_buf, (int)line->other_B, MPI_BYTE, line->other, TAG_OTHER,
			  MPI_COMM_WORLD, &requests[1]);
		cal_look_for(&requests[1], line->lead_s);
	}
	send_nothing(line->source, TAG_READY);
	if (line->other >= 0 && line->lead_s < 0) {
		receive_nothing(line->source, TAG_READY);
		told = MPI_Wtime();
		cal_look_for(&requests[0], -line->lead_s - cal->empty_s[BETWEEN_NODES]);
		line->late_s = MPI_Wtime() - told + cal->empty_s[BETWEEN_NODES];
		MPI_Isend(cal->send_buf, (int)line->other_B, MPI_BYTE, line->other, TAG_OTHER,
			  MPI_COMM_WORLD, &requests[1]);
	}
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void answer(const struct cal *cal, const struct line *line)
{
	MPI_Request other = MPI_REQUEST_NULL;

	if (cal->rank == line->other) {
		MPI_Irecv(cal->recv_buf, (int)line->other_B, MPI_BYTE, line->dest, TAG_OTHER,
			  MPI_COMM_WORLD, &other);
		send_nothing(line->dest, TAG_READY);
	}
	if (cal->rank == line->third) {
		MPI_Recv(cal->recv_buf + cal->settings.max_size_B, 1, MPI_BYTE, line->source,
			 TAG_ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		send_nothing(line->source, TAG_ANSWER);
	}
	MPI_Wait(&other, MPI_STATUS_IGNORE);
}

/* How long the question took, on all ranks; kept as a sample by x, or by how much later the other
 * message came, ns. */
static double measure(struct cal *cal, const char *name, int64_t x, struct line *line)
{
	struct sample_key key = sample_key(name, BETWEEN_NODES, x, line->size_B);
	double time_s = 0;

	if (cal->rank == line->source)
		time_s = ask(cal, line);
	else if (cal->rank == line->dest)
		take(cal, line);
	else
		answer(cal, line);
	MPI_Bcast(&time_s, 1, MPI_DOUBLE, line->source, MPI_COMM_WORLD);
	MPI_Bcast(&line->late_s, 1, MPI_DOUBLE, line->dest, MPI_COMM_WORLD);
	if (line->late_s > 0)
		key.x = (int64_t)(line->late_s * 1e9);
	if (cal->rank == 0 && samples_add(&cal->samples, &key, time_s) < 0)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return time_s;
}

static bool is_over(const struct cal *cal)
{
	return cal_share(MPI_Wtime() > cal->group_end_s) > 0;
}

/* What travels with a request, at most, goes first. */
static double request_s(const struct cal *cal)
{
	return bulk_s(cal, cal->threshold_B == INT64_MAX ? 0 : cal->threshold_B) +
	       4 * cal->empty_s[BETWEEN_NODES];
}

/* One connection, from new to much used. Returns the longest wait of a byte. */
static double probe_by_use(struct cal *cal, double *first_s)
{
	struct line line = {.other = -1};
	double longest_s = 0, time_s;
	int64_t carried_B = 0, least_B = STEP_B;

	if (!cal_new_connection(cal, 0, &line.source, &line.dest))
		return 0;
	line.third = cal_third(cal, line.source, line.dest);
	if (cal->threshold_B != INT64_MAX && 6 * cal->threshold_B > least_B)
		least_B = 6 * cal->threshold_B;
	for (int step = 0; carried_B < MOST_CARRIED_B && step < MOST_STEPS; step++) {
		line.size_B = carried_B / 2 > least_B ? carried_B / 2 : least_B;
		if (line.size_B > cal->settings.max_size_B || (step > 0 && is_over(cal)))
			break;
		line.before_s = request_s(cal) + 0.1 * bulk_s(cal, line.size_B);
		time_s = measure(cal, "window", carried_B, &line);
		if (carried_B == 0)
			*first_s = time_s;
		longest_s = fmax(longest_s, time_s);
		carried_B += line.size_B;
	}
	return longest_s;
}

/* New connections to a node that sends something on an old one. */
static void probe_against(struct cal *cal, int64_t size_B, double first_s, double longest_s)
{
	/* a connection whose window stays small is slow meanwhile */
	double slower = fmin(first_s > 0 ? longest_s / first_s : 1, 8);

	for (int node = 0; node < 2; node++)
		for (int source = 2; source < cal->n_nodes; source++) {
			struct line line = {
			    .source = cal->leader[source],
			    .dest = cal->leader[node],
			    .third = cal->leader[1 - node],
			    .other = cal->leader[1 - node],
			    .size_B = size_B,
			    .other_B = 2 * size_B,
			    .before_s = slower * request_s(cal) + 1.5 * longest_s +
					0.1 * bulk_s(cal, size_B),
			    .lead_s = request_s(cal) + 0.1 * bulk_s(cal, size_B),
			};

			if (is_over(cal))
				return;
			measure(cal, "window_against", 0, &line);
		}
}

/* Two new connections, the second from where the first one goes, so much later, or as much as it
 * was then. NAN: there are none left. */
static double second_later(struct cal *cal, int64_t size_B, double *delay_s)
{
	struct line line = {.size_B = size_B, .other_B = size_B, .lead_s = -*delay_s};
	double time_s;

	for (int dest = 2; dest < cal->n_nodes; dest++)
		for (int other = 2; other < cal->n_nodes; other++) {
			int source = cal_new_source(cal, dest, other);

			if (source < 0 || !cal_is_new(cal, dest, other))
				continue;
			cal_use(cal, source, dest);
			cal_use(cal, dest, other);
			line.source = cal->leader[source];
			line.dest = cal->leader[dest];
			line.other = line.third = cal->leader[other];
			line.before_s = *delay_s + request_s(cal) + 0.1 * bulk_s(cal, size_B);
			time_s = measure(cal, "window_meeting", 0, &line);
			*delay_s = line.late_s;
			return time_s;
		}
	return NAN;
}

/* Until when it matters that the other node begins to send: doubling, then bisection. */
static void probe_meeting(struct cal *cal, int64_t size_B, double first_s)
{
	double low_s = 1.5 * cal->empty_s[BETWEEN_NODES], high_s = 0,
	       most_s = 0.1 * bulk_s(cal, size_B), met_s = second_later(cal, size_B, &low_s),
	       delay_s;

	if (isnan(met_s) || fabs(met_s - first_s) < WORTH_SAYING * first_s)
		return;
	while (!(high_s > 0 && high_s - low_s < CLOSE_ENOUGH * low_s) && low_s < most_s &&
	       !is_over(cal)) {
		double time_s;

		delay_s = high_s > 0 ? (low_s + high_s) / 2 : 2 * low_s;
		time_s = second_later(cal, size_B, &delay_s);
		if (isnan(time_s))
			return;
		if (fabs(time_s - met_s) < fabs(time_s - first_s))
			low_s = delay_s;
		else
			high_s = delay_s;
	}
}

void probe_windows(struct cal *cal, double until)
{
	int64_t size_B = LEAST_BULK_B;
	double first_s = 0, longest_s = 0;

	if (cal->n_nodes < 4 || cal->largest_B[BETWEEN_NODES] < LEAST_BULK_B)
		return;
	cal_group(cal, "windows of connections", until, 1);
	if (cal->threshold_B != INT64_MAX && 8 * cal->threshold_B > size_B)
		size_B = 8 * cal->threshold_B;
	for (int k = 0; k < (cal->n_nodes < 5 ? 1 : CONNECTIONS); k++)
		longest_s = fmax(longest_s, probe_by_use(cal, &first_s));
	if (cal->n_nodes < 5 || 2 * size_B > cal->settings.max_size_B)
		return;
	probe_against(cal, size_B, first_s, longest_s);
	probe_meeting(cal, size_B, first_s);
}
