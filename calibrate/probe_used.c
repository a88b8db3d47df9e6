/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What leaves on a connection while its sender computes, by what the connection has carried before,
 * and what a send leaves to the system. Each measurement needs a connection that nothing large has
 * used yet: another ordered pair of nodes.
 */
#include "calibrate.h"

enum { N_POINTS = 6, ROUNDS = 2, STEPS_BETWEEN = 4 };
enum { LEAST_BUFFERED_B = 65536, MOST_BUFFERED_B = 4 << 20, LEAST_LEFT_B = 16384 };
static const double NEARLY_ALL = 0.9; /* of a message */
static const double LITTLE = 0.01;    /* of all time: is taken also where it is over */

static const int64_t carried_B[N_POINTS] = {0, 16000, 64000, 512000, 2000000, 8000000};

/* A time of one of the two, on all ranks: nobody goes on to the next connection before. */
static double time_of(const struct exchange *point, int by, double time_s)
{
	MPI_Bcast(&time_s, 1, MPI_DOUBLE, point->ranks[by], MPI_COMM_WORLD);
	return time_s;
}

/* Runs the probe on two ranks that are connected, and between whom that many bytes have been
 * carried; the first time of one of the two. */
static double measure(struct cal *cal, const char *name, struct exchange *point, int64_t bytes,
		      int by)
{
	struct exchange bulk = *point;

	bulk.size_B = bytes;
	exchange_run(cal, "talk", &bulk);
	if (bytes > 0)
		exchange_run(cal, "carry", &bulk);
	exchange_run(cal, name, point);
	return time_of(point, by, point->times_s[0]);
}

/* Seconds from the receiver's word that the request is there until it has everything, at the
 * receiver, without what computing took longer at the sender, as communication takes some of it. */
static void measure_used(struct cal *cal, struct exchange *point, int64_t bytes)
{
	double time_s = measure(cal, "used", point, bytes, 1),
	       more_s =
		   time_of(point, 0, point->times_s[0] + point->times_s[1] - 2 * point->time_s);

	cal_keep(cal, "used", BETWEEN_NODES, bytes, point->size_B, time_s - more_s);
}

/* A large eager message on a connection that has carried less than a request brings with it; the
 * sender computes, and then waits for the answer: how long? */
static void probe_eager_use(struct cal *cal)
{
	struct exchange point = {BETWEEN_NODES, cal->threshold_B};

	if (point.size_B < LEAST_BUFFERED_B / 2 || point.size_B > cal->largest_B[BETWEEN_NODES])
		return;
	point.time_s = 2 * cal_estimate(cal, BETWEEN_NODES, point.size_B);
	for (int k = 0; carried_B[k] < point.size_B / 2; k++) {
		if (cal_is_over(cal) || !cal_new_connection(cal, point.ranks))
			return;
		cal_keep(cal, "used_eager", BETWEEN_NODES, carried_B[k], point.size_B,
			 measure(cal, "used_eager", &point, carried_B[k], 0));
	}
}

static bool has_rendezvous(const struct cal *cal)
{
	return cal->threshold_B != INT64_MAX &&
	       4 * cal->threshold_B <= cal->largest_B[BETWEEN_NODES];
}

void probe_used(struct cal *cal, int where)
{
	struct exchange point = {where, 1 << 20};
	int n_points = N_POINTS;

	if (!has_rendezvous(cal) || cal->largest_B[where] < point.size_B)
		return;
	if (point.size_B < 4 * cal->threshold_B)
		point.size_B = 4 * cal->threshold_B;
	point.time_s = 1.2 * cal_estimate(cal, where, point.size_B);
	while (n_points > 0 && carried_B[n_points - 1] > cal->settings.max_size_B)
		n_points--;
	cal_group(cal, "connections by use", 1);
	if (cal->n_nodes >= 5)
		probe_eager_use(cal);
	cal_fact(cal, "used_compute_s", "%.12g", point.time_s);
	for (int k = 0; k < (cal->n_nodes >= 5 ? ROUNDS : 1) * n_points; k++) {
		if ((k % n_points == 0 && cal_is_over(cal)) ||
		    !cal_new_connection(cal, point.ranks))
			return;
		measure_used(cal, &point, carried_B[k % n_points]);
	}
}

/* How much later than such a send returns the receiver has everything. */
static double left_in_buffer(struct cal *cal, const char *name, struct exchange *point)
{
	double left_s = measure(cal, name, point, 0, 0);

	cal_keep(cal, name, BETWEEN_NODES, point->size_B, 0, left_s);
	if (!cal->is_replay)
		return left_s;
	return cal_share(cal_summary(cal, name, BETWEEN_NODES, point->size_B, 0).median);
}

/* Of a message of that size, all on new connections, as long as there are any, or all on the used
 * one that the point began with. False: the time is over, or there are no more. */
static bool measure_buffer(struct cal *cal, struct exchange *point, double *left_s)
{
	double time_s = cal_estimate(cal, BETWEEN_NODES, point->size_B);

	if (cal_is_over(cal) && time_s > LITTLE * cal->settings.budget_s) {
		cal_fact(cal, "warning",
			 "send buffers of some sizes did not fit into the time budget");
		return false;
	}
	if (!cal_new_connection(cal, point->ranks) &&
	    (point->ranks[0] != 0 || point->ranks[1] != cal->far))
		return false;
	*left_s = left_in_buffer(cal, "send_buffer", point) - cal->empty_s[BETWEEN_NODES];
	return true;
}

/* Sizes that double, and, where all of a message was left behind, some between them: buffers that
 * grow with the size may leave all of one size and not of a smaller one. */
static void measure_buffers(struct cal *cal, struct exchange *point, int64_t least_B,
			    int64_t most_B)
{
	int64_t telling_B = 0;
	double left_s;

	for (point->size_B = least_B; point->size_B <= most_B; point->size_B *= 2) {
		if (!measure_buffer(cal, point, &left_s))
			return;
		if (!telling_B &&
		    left_s < NEARLY_ALL * (double)point->size_B * cal->per_byte_s[BETWEEN_NODES])
			telling_B = point->size_B;
	}
	for (int64_t size_B = least_B; size_B < telling_B; size_B *= 2)
		for (int k = 1; k < STEPS_BETWEEN; k++) {
			point->size_B = size_B + k * size_B / STEPS_BETWEEN;
			if (!measure_buffer(cal, point, &left_s))
				return;
		}
}

void probe_send_buffer(struct cal *cal, int where)
{
	int64_t size_B = LEAST_BUFFERED_B;
	struct exchange point = {where, smaller(cal->largest_B[where], MOST_BUFFERED_B),
				 .ranks = {0, cal->far}};

	if (!has_rendezvous(cal))
		return;
	cal_group(cal, "send buffers", 1);
	while (size_B < 2 * cal->threshold_B)
		size_B *= 2;
	/* the answer: no send returns early */
	if (left_in_buffer(cal, "send_buffer_used", &point) >=
	    cal_estimate(cal, where, LEAST_LEFT_B))
		measure_buffers(cal, &point, size_B, point.size_B);
}
