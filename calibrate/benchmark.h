/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_BENCHMARK_H
#define CALIBRATE_BENCHMARK_H

#include <mpi.h>

#include "benchmarks.h"
#include "places.h"

/* An operation that is timed: the same source under every library and in the simulator. */
enum { BENCHMARK_LEAST_B = 4 };

struct test {
	const struct benchmark *what;
	int size_B, n_ranks;
	enum place place;
	double least_s;	   /* goes on for that long, about; 0: the simulator needs no repetitions */
	char *send, *recv; /* of BENCHMARK_LEAST_B and of size_B for each rank at least */
	/* of the run */
	MPI_Comm comm;
	int rank;
	MPI_Win window; /* one-sided ones */
};

/* Of all ranks. Seconds, at rank 0; NAN: the place has not that many ranks. */
double benchmark_run(struct test *test, const struct places *places);

#endif
