/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MPI_CASES_H
#define TESTS_MPI_CASES_H

#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>
#include <string.h>

/*
 * What the simulated programs with cases share: `program CASE` runs one on every rank and exits with
 * 1 when anything was not as wanted. Times are simulated and must hold to 10 ps.
 */
static int rank, failures;

struct test_case {
	const char *name;
	void (*run)(void);
};

static inline void expect_ms(const char *what, double wanted_ms)
{
	double found_ms = MPI_Wtime() * 1e3;

	if (found_ms - wanted_ms > 1e-8 || wanted_ms - found_ms > 1e-8) {
		printf("rank %d: %s: found %.9f ms, wanted %.9f ms\n", rank, what, found_ms,
		       wanted_ms);
		failures++;
	}
}

static inline void expect(const char *what, long long found, long long wanted)
{
	if (found != wanted) {
		printf("rank %d: %s: found %lld, wanted %lld\n", rank, what, found, wanted);
		failures++;
	}
}

/* Computes until that time of the run. */
static inline void compute_until_ms(double ms)
{
	mpisim_add_compute_time(ms * 1e-3 - MPI_Wtime());
	expect_ms("computed", ms);
}

/* The whole of main: its exit code. */
static inline int run_case(int argc, char **argv, const struct test_case cases[], size_t n_cases)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (size_t i = 0; i < n_cases; i++)
		if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) {
			cases[i].run();
			MPI_Finalize();
			return failures > 0;
		}
	printf("no case %s\n", argc > 1 ? argv[1] : "given");
	MPI_Finalize();
	return 2;
}

#endif
