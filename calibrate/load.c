/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpisim.h>

#include "calibrate.h"

static struct {
	bool is_charged; /* by mpisim_add_compute_time: in the simulator, and where computation is
			    slept */
	double loops_per_s;
} load;

/* Work in registers only: nothing but the CPU's time can slow it down. What it begins with no compiler
 * knows, else it would need no loop. */
static double spin(int64_t n_loops)
{
	volatile double start = 0.5, result;
	double x = start;

	for (int64_t k = 0; k < n_loops; k++)
		x = x * 0.999999 + 1e-6;
	result = x;
	return result;
}

/* Else nothing that is measured beside it would mean anything. */
static void check_that_it_takes_time(const struct cal *cal)
{
	static const double PIECE_S = 1e-3, LEAST = 1e-3;
	double begin = MPI_Wtime();

	load_compute(PIECE_S);
	if (MPI_Wtime() - begin > LEAST * PIECE_S)
		return;
	fprintf(stderr, "mpisim-calibrate: computing takes no time on %s, wanted %s\n", cal->host,
		cal->is_simulated ? "mpisim-run --compute modelled" : "it to");
	MPI_Abort(MPI_COMM_WORLD, 2);
}

/* The fastest of several runs is the one that nobody disturbed. */
static void find_speed(void)
{
	enum { LOOPS = 2000000, RUNS = 10 };

	for (int k = 0; k < RUNS; k++) {
		double begin = MPI_Wtime(), rate;

		spin(LOOPS);
		rate = LOOPS / (MPI_Wtime() - begin);
		if (rate > load.loops_per_s)
			load.loops_per_s = rate;
	}
}

void load_init(struct cal *cal)
{
	const char *sleeps = getenv("MPISIM_REAL_SLEEP");

	load.is_charged = cal->is_simulated || (sleeps && !strcmp(sleeps, "1"));
	if (!load.is_charged)
		find_speed();
	check_that_it_takes_time(cal);
}

void load_compute(double seconds)
{
	if (load.is_charged)
		mpisim_add_compute_time(seconds);
	else
		spin((int64_t)(seconds * load.loops_per_s));
}

void load_pause(double seconds)
{
	struct timespec pause = {.tv_sec = (time_t)seconds};

	pause.tv_nsec = (long)((seconds - (double)pause.tv_sec) * 1e9);
	nanosleep(&pause, NULL);
}
