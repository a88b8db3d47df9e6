/* SPDX-License-Identifier: BSD-3-Clause */
/* Clock resolution, and the time of a message by its size. */
#include <math.h>
#include <stdio.h>

#include "calibrate.h"

/* The smallest difference between two readings that are not equal. */
void probe_clock(struct cal *cal)
{
	double smallest = MPI_Wtick();

	/* In the simulator time stands still while a program only reads the clock. */
	for (int k = 0; k < 1000 && !cal->is_simulated; k++) {
		double begin = MPI_Wtime(), end = begin;

		while (end == begin)
			end = MPI_Wtime();
		if (k == 0 || end - begin < smallest)
			smallest = end - begin;
	}
	cal->resolution_s = cal_share(smallest);
	if (cal->rank == 0)
		samples_fact(&cal->samples, "clock_resolution_s", "%.3g", cal->resolution_s);
}

/* So many round trips that the clock's resolution does not matter, but not more than needed. */
static int round_trips(const struct cal *cal, double expected_s)
{
	double n = fmax(200 * cal->resolution_s, 20e-6) / (2 * fmax(expected_s, 1e-9));

	return n < 1 ? 1 : n > 200 ? 200 : (int)ceil(n);
}

static double one_way(struct cal *cal, int where, int64_t size_B, double expected_s)
{
	struct pattern way = {.ranks = {0, cal_partner(cal, where)},
			      .n = round_trips(cal, expected_s),
			      .size_B = size_B};

	way.n_timed = 2 * way.n;
	return pattern_repeat(cal, &way, "one_way", where, "M1 b (S1 R1) e", "M1 (R0 S0)");
}

double probe_one_way(struct cal *cal, int where, int64_t size_B)
{
	return one_way(cal, where, size_B,
		       cal->empty_s[where] + (double)size_B * cal->per_byte_s[where]);
}

/* Connections are made at the first message, and CPUs wake up. */
static void warm_up(struct cal *cal, int where)
{
	struct pattern way = {.ranks = {0, cal_partner(cal, where)},
			      .steps = {"M1 (S1 R1)", "M1 (R0 S0)"},
			      .n = 20,
			      .size_B = 1024};

	for (int k = 0; k < 5; k++)
		pattern_run(cal, &way);
}

/* 0, 1, 2, 3, 4, 6, 8, 12, … */
static int64_t next_size(int64_t size_B)
{
	if (size_B < 2)
		return size_B + 1;
	return (size_B & (size_B - 1)) ? size_B / 3 * 4 : size_B / 2 * 3;
}

void probe_sizes(struct cal *cal, int where, double until)
{
	int64_t size_B = 0, previous_B = 0;
	double time_s = 1e-6, previous_s = 0;
	int n = 1; /* the empty one comes twice */

	for (int64_t s = 0; s <= cal->settings.max_size_B; s = next_size(s))
		n++;
	cal_group(cal, where == WITHIN_NODE ? "time by size, within a node" : "time by size", until,
		  n);
	warm_up(cal, where);
	for (; size_B <= cal->settings.max_size_B; size_B = next_size(size_B)) {
		double left_s = cal_share(cal->group_end_s - MPI_Wtime());

		/* What does not fit into the time is left out, and the file says so. */
		if (size_B > 65536 &&
		    2 * time_s * ((double)size_B / (double)previous_B) > left_s / 2)
			break;
		previous_s = time_s;
		time_s = one_way(cal, where, size_B, time_s);
		if (size_B == 0)
			cal->empty_s[where] = time_s;
		else
			cal->per_byte_s[where] =
			    (time_s - previous_s) / (double)(size_B - previous_B);
		if (cal->per_byte_s[where] <= 0)
			cal->per_byte_s[where] =
			    fmax(time_s - cal->empty_s[where], 0) / (double)(size_B ? size_B : 1);
		previous_B = size_B;
	}
	cal->largest_B[where] = previous_B;
	/* Latency matters most, and is what a disturbance falsifies most: once more, at another
	 * time. */
	cal->empty_s[where] = one_way(cal, where, 0, cal->empty_s[where]);
	if (cal->rank == 0 && size_B <= cal->settings.max_size_B)
		samples_fact(&cal->samples, "warning",
			     "messages above %lld B did not fit into the time budget",
			     (long long)previous_B);
}
