/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much what is equal differs: the same computation on each node, again and again, and the same
 * message to each node; every single time is a sample.
 */
#include <math.h>
#include <stdlib.h>

#include "calibrate.h"

enum { TAG = 130, TIMES = 41, SIZES = 2, MOST_NODES = 64 };
static const int64_t sizes_B[SIZES] = {64, 8192};
/* Of the window in which the CPU cost is measured, one piece. */
static const double PIECE = 0.04;

static void keep(struct cal *cal, const char *name, int64_t x, int64_t y, const double *values)
{
	struct sample_key key = sample_key(name, BETWEEN_NODES, x, y);

	for (int k = 0; k < TIMES && cal->rank == 0; k++)
		if (samples_add(&cal->samples, &key, values[k]) < 0)
			MPI_Abort(MPI_COMM_WORLD, 1);
}

/* All nodes at once, one rank on each. */
static void measure_computing(struct cal *cal, int n_nodes)
{
	double values[TIMES] = {0}, begin;

	MPI_Barrier(MPI_COMM_WORLD);
	load_pause(20 * fmax(cal->empty_s[BETWEEN_NODES], cal->empty_s[WITHIN_NODE]));
	for (int k = 0; k < TIMES && cal->place[cal->rank] == 0; k++) {
		begin = MPI_Wtime();
		load_compute(PIECE * cal->settings.window_s);
		values[k] = MPI_Wtime() - begin;
	}
	for (int node = 0; node < n_nodes; node++) {
		int leader = cal->leader[node];

		if (leader > 0 && cal->rank == leader)
			MPI_Send(values, TIMES, MPI_DOUBLE, 0, TAG, MPI_COMM_WORLD);
		else if (leader > 0 && cal->rank == 0)
			MPI_Recv(values, TIMES, MPI_DOUBLE, leader, TAG, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		keep(cal, "vary_computing", node, 0, values);
	}
}

/* Round trips of rank 0 and a rank of that node, with the same both ways. */
static void measure_messages(struct cal *cal, int node, int64_t size_B)
{
	struct exchange point = {BETWEEN_NODES, size_B, .ranks = {0, cal->leader[node]}};
	double values[TIMES];

	for (int k = 0; k < TIMES; k++) {
		exchange_run(cal, "vary_messages", &point);
		values[k] = point.times_s[0];
	}
	keep(cal, "vary_messages", size_B, node, values);
}

void probe_variation(struct cal *cal)
{
	int n_nodes = cal->n_nodes < MOST_NODES ? cal->n_nodes : MOST_NODES, one = 1;

	if (cal->settings.measures_once)
		return;
	cal->until = 1;
	cal_group(cal, "variation", 1);
	measure_computing(cal, n_nodes);
	for (int node = 1; node < n_nodes; node++)
		for (int k = 0; k < SIZES; k++)
			if (sizes_B[k] <= cal->settings.max_size_B) {
				measure_messages(cal, node, sizes_B[k]);
				cal_share_asleep(cal, &one);
			}
}
