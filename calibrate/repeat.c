/* SPDX-License-Identifier: BSD-3-Clause */
/* How often a measurement is repeated, and how far along we are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate.h"

enum {
	LEAST = 3,  /* even where one takes long */
	ENOUGH = 6, /* samples before an interval of the median says something */
	MOST = 400
};

static const double NAP_S = 100e-6;

double cal_share(double value)
{
	MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	return value;
}

void cal_meet(const struct cal *cal, int partner)
{
	if (cal->rank == 0) {
		MPI_Send(NULL, 0, MPI_BYTE, partner, 90, MPI_COMM_WORLD);
		MPI_Recv(NULL, 0, MPI_BYTE, partner, 90, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (cal->rank == partner) {
		MPI_Recv(NULL, 0, MPI_BYTE, 0, 90, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(NULL, 0, MPI_BYTE, 0, 90, MPI_COMM_WORLD);
	}
}

void cal_part(struct cal *cal, double share)
{
	cal->part_from += cal->part_share;
	cal->part_share = share;
}

static double time_left(const struct cal *cal)
{
	return fmax(cal->settings.budget_s - (MPI_Wtime() - cal->begin_s), 0);
}

void cal_group(struct cal *cal, const char *name, double until, int n_points)
{
	cal->group = name;
	cal->group_end_s =
	    cal->begin_s + (cal->part_from + until * cal->part_share) * cal->settings.budget_s;
	cal->points_left = n_points;
	if (cal->progress == BY_LINES)
		fprintf(stderr, "mpisim-calibrate: %s, at most %.0f s left\n", name,
			time_left(cal));
}

static void show_progress(const struct cal *cal, int64_t x)
{
	if (cal->progress != ON_TERMINAL)
		return;
	fprintf(stderr, "\rmpisim-calibrate: %-32s %10lld   at most %.0f s left   ", cal->group,
		(long long)x, time_left(cal));
	fflush(stderr);
}

void cal_progress_end(const struct cal *cal)
{
	if (cal->progress == ON_TERMINAL)
		fputc('\n', stderr);
}

/* Rank 0: is one more sample needed? The point has share_s from begin_s on, and a little more if it
 * must. */
static int go_on(struct cal *cal, const double *values, int n, double begin_s, double share_s)
{
	double copy[MOST], spent_s = MPI_Wtime() - begin_s;
	struct summary s;

	if (n >= MOST || cal->settings.measures_once)
		return 0;
	if (spent_s >= share_s)
		return n < LEAST && spent_s < LEAST * share_s;
	if (n < ENOUGH)
		return 1;
	memcpy(copy, values, (size_t)n * sizeof(double));
	s = summary_of(copy, n);
	return s.high - s.low > 2 * cal->settings.tolerance * fabs(s.median);
}

void cal_share_asleep(const struct cal *cal, int *value)
{
	MPI_Request request;
	int is_done = 0;

	if (cal->is_simulated) {
		MPI_Bcast(value, 1, MPI_INT, 0, MPI_COMM_WORLD);
		return;
	}
	MPI_Ibcast(value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
	if (cal->rank == 0) {
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		return;
	}
	while (!is_done) {
		MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
		if (!is_done)
			load_pause(NAP_S);
	}
}

/* What collective calls have sent has arrived when all have told rank 0; and where nothing costs
 * any time, the simulator makes the clock go on for who only reads it. */
static void settle(const struct cal *cal)
{
	int ready = 1, all;

	if (!cal->is_simulated)
		return;
	MPI_Reduce(&ready, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	load_pause(1e-6);
}

double cal_repeat(struct cal *cal, const char *name, int where, int64_t x, int64_t y,
		  cal_measure_fn measure, void *context)
{
	struct sample_key key = sample_key(name, where, x, y);
	double values[MOST + 1], begin_s = MPI_Wtime(), share_s;
	int n = 0, more = 1;

	/* Time that earlier points did not need is there for later ones. */
	share_s =
	    fmax(cal->group_end_s - begin_s, 0) / (cal->points_left > 0 ? cal->points_left : 1);
	cal->points_left--;
	if (cal->rank == 0)
		show_progress(cal, x);
	while (more) {
		double value;

		settle(cal);
		value = measure(cal, context);
		if (cal->rank == 0 && isnan(value)) {
			more = 0;
		} else if (cal->rank == 0) {
			values[n++] = value;
			if (samples_add(&cal->samples, &key, value) < 0)
				MPI_Abort(MPI_COMM_WORLD, 1);
			more = go_on(cal, values, n, begin_s, share_s);
		}
		cal_share_asleep(cal, &more);
	}
	return cal_share(n > 0 ? summary_of(values, n).median : NAN);
}
