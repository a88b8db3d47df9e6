/* SPDX-License-Identifier: BSD-3-Clause */
/* How often a measurement is repeated, and how far along we are. */
#include <math.h>
#include <stdarg.h>
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

static double time_left(const struct cal *cal)
{
	return fmax(cal->settings.budget_s - (MPI_Wtime() - cal->begin_s), 0);
}

void cal_group(struct cal *cal, const char *name, int n_points)
{
	cal->group = name;
	cal->group_end_s = cal->begin_s + cal->until * cal->settings.budget_s;
	cal->points_left = n_points;
	if (cal->progress == BY_LINES)
		fprintf(stderr, "mpisim-calibrate: %s, at most %.0f s left\n", name,
			time_left(cal));
}

bool cal_is_over(const struct cal *cal)
{
	return !cal->is_replay && cal_share(MPI_Wtime() > cal->group_end_s) > 0;
}

struct summary cal_summary(const struct cal *cal, const char *name, int where, int64_t x, int64_t y)
{
	struct sample_key key = sample_key(name, where, x, y);

	return samples_summary(cal->is_replay ? &cal->measured : &cal->samples, &key);
}

double cal_measured_fact(const struct cal *cal, const char *name, double otherwise)
{
	const char *text = samples_get_fact(&cal->measured, name, 0);

	return text ? strtod(text, NULL) : otherwise;
}

void cal_keep(struct cal *cal, const char *name, int where, int64_t x, int64_t y, double value)
{
	struct sample_key key = sample_key(name, where, x, y);

	if (cal->rank == 0 && samples_add(&cal->samples, &key, value) < 0)
		MPI_Abort(MPI_COMM_WORLD, 1);
}

void cal_fact(struct cal *cal, const char *name, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (cal->rank == 0 && samples_fact(&cal->samples, name, "%s", text) < 0)
		MPI_Abort(MPI_COMM_WORLD, 1);
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

	if (n >= MOST)
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
	if (cal->rank == 0)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	while (cal->rank > 0 && !MPI_Test(&request, &is_done, MPI_STATUS_IGNORE) && !is_done)
		load_pause(NAP_S);
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

/* In a replay: how often a measurement is made again, at most as it was; 0: it is left out. */
static int count_again(const struct cal *cal, const struct sample_key *key)
{
	double most = fmin(cal_measured_fact(cal, "repeats", MOST), MOST);
	char text[SAMPLES_KEY_B];
	const char *left_out;

	sample_key_text(key, text);
	for (int k = 0; (left_out = samples_get_fact(&cal->measured, "left_out", k)); k++)
		if (!strcmp(left_out, text))
			return 0;
	return (int)fmin(samples_summary(&cal->measured, key).n, most);
}

/* Takes samples, so many; 0: as many as they need. Their median at rank 0. */
static double take(struct cal *cal, const struct sample_key *key, int n_again,
		   cal_measure_fn measure, void *context)
{
	double values[MOST + 1], begin_s = MPI_Wtime(), share_s;
	int n = 0, more = 1;

	/* Time that earlier points did not need is there for later ones. */
	share_s =
	    fmax(cal->group_end_s - begin_s, 0) / (cal->points_left > 0 ? cal->points_left : 1);
	if (cal->rank == 0)
		show_progress(cal, key->x);
	while (more) {
		double value;

		settle(cal);
		value = measure(cal, context);
		if (cal->rank == 0 && isnan(value)) {
			more = 0;
		} else if (cal->rank == 0) {
			values[n++] = value;
			cal_keep(cal, key->name, key->where, key->x, key->y, value);
			more = n_again ? n < n_again : go_on(cal, values, n, begin_s, share_s);
		}
		cal_share_asleep(cal, &more);
	}
	return n > 0 ? summary_of(values, n).median : NAN;
}

double cal_repeat(struct cal *cal, const char *name, int where, int64_t x, int64_t y,
		  cal_measure_fn measure, void *context)
{
	struct sample_key key = sample_key(name, where, x, y);
	int n_again = 0;
	double median = NAN;

	if (cal->is_replay)
		n_again = (int)cal_share(cal->rank == 0 ? count_again(cal, &key) : 0);
	if (n_again > 0 || !cal->is_replay)
		median = take(cal, &key, n_again, measure, context);
	cal->points_left--;
	if (cal->is_replay && cal->rank == 0) {
		struct summary measured = cal_summary(cal, name, where, x, y);

		median = measured.n > 0 ? measured.median : NAN;
	}
	return cal_share(median);
}

double cal_estimate(const struct cal *cal, int where, int64_t size_B)
{
	return cal->empty_s[where] + (double)size_B * cal->per_byte_s[where];
}

int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t cal_bisect(struct cal *cal, int64_t low_B, int64_t high_B, int64_t unit_B,
		   cal_holds_fn holds, void *context)
{
	int held = 0;

	while (high_B - low_B > unit_B && held >= 0) {
		int64_t middle_B = low_B + (high_B - low_B) / 2 / unit_B * unit_B;

		held = holds(cal, middle_B, context);
		*(held > 0 ? &high_B : &low_B) = middle_B;
	}
	return high_B;
}

int64_t cal_find(struct cal *cal, int64_t low_B, int64_t first_B, int64_t most_B, int64_t unit_B,
		 cal_holds_fn holds, void *context)
{
	for (; first_B <= most_B; first_B = first_B ? 2 * first_B : 1) {
		if (holds(cal, first_B, context) > 0)
			return cal_bisect(cal, low_B, first_B, unit_B, holds, context);
		low_B = first_B;
	}
	return -1;
}
