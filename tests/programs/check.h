/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PROGRAMS_CHECK_H
#define TESTS_PROGRAMS_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What the self-checking MPI programs share. A program is a list of sections; each checks with CHECK on
 * every rank and ends with section_end, which prints one "OK name" line on rank 0. The output depends on
 * neither the number of ranks nor the MPI library, so that runs can be compared byte by byte. A failed
 * check prints file, line, rank and what was wrong; the program then ends with exit code 1.
 */
static MPI_Comm check_comm; /* a communicator of its own: wildcards in a section never see a report */
static int me, n_ranks;
static int check_failures, check_total;

#define CHECK(condition) check_that((condition), #condition, __FILE__, __LINE__)
#define CHECK_INT(got, want) check_int((long long)(got), (long long)(want), #got, __FILE__, __LINE__)

static inline int check_that(int holds, const char *what, const char *file, int line)
{
	if (!holds) {
		printf("FAIL %s:%d rank %d of %d: %s\n", file, line, me, n_ranks, what);
		fflush(stdout);
		check_failures++;
	}
	return holds;
}

static inline int check_int(long long got, long long want, const char *what, const char *file, int line)
{
	if (got != want) {
		printf("FAIL %s:%d rank %d of %d: %s is %lld, not %lld\n", file, line, me, n_ranks, what,
		       got, want);
		fflush(stdout);
		check_failures++;
	}
	return got == want;
}

static inline void check_init(int *argc, char ***argv)
{
	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	MPI_Comm_dup(MPI_COMM_WORLD, &check_comm);
}

/* Ends a section: nobody leaves before everybody arrived. Only blocking send and receive are relied on. */
static inline void section_end(const char *name)
{
	int failures = check_failures, other;

	if (me == 0) {
		for (int r = 1; r < n_ranks; r++) {
			MPI_Recv(&other, 1, MPI_INT, r, 0, check_comm, MPI_STATUS_IGNORE);
			failures += other;
		}
		for (int r = 1; r < n_ranks; r++)
			MPI_Send(&failures, 1, MPI_INT, r, 0, check_comm);
		printf("%s %s\n", failures ? "NOT OK" : "OK", name);
		fflush(stdout);
	} else {
		MPI_Send(&failures, 1, MPI_INT, 0, 0, check_comm);
		MPI_Recv(&failures, 1, MPI_INT, 0, 0, check_comm, MPI_STATUS_IGNORE);
	}
	check_total += failures;
	check_failures = 0;
}

static inline int check_finish(void)
{
	MPI_Comm_free(&check_comm);
	MPI_Finalize();
	return check_total ? 1 : 0;
}

#endif
