// SPDX-License-Identifier: BSD-3-Clause
/*
 * Programs for variation.py, by their first argument: "ring" (its course is the same whatever the
 * times), "race" (who comes first decides), "late" (fails if a certain rank is last), "failing"
 * (what is not recorded), "input" (as many races as standard input says), "resume" (two races,
 * or one where the file "state" is, which it writes), "endless" (a race, without an end where
 * "state" is), "exit" (a code). Each says on standard output that it ran, and adds a line to the
 * file that the second argument names.
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20, SIZE_B = 20000 };

static char buffer[SIZE_B], other[SIZE_B];

static void ring(int rank, int n)
{
	int n_rounds = getenv("ROUNDS") ? atoi(getenv("ROUNDS")) : ROUNDS;

	for (int k = 0; k < n_rounds; k++) {
		mpisim_phase_begin("round");
		mpisim_add_compute_time(1e-3);
		MPI_Sendrecv(buffer, SIZE_B, MPI_BYTE, (rank + 1) % n, 0, other, SIZE_B, MPI_BYTE,
			     (rank + n - 1) % n, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		mpisim_phase_end();
	}
}

/* Whoever comes first works longer next time. */
static void race(int rank, int n)
{
	int next;
	MPI_Status status;

	for (int k = 0; k < ROUNDS && rank > 0; k++) {
		mpisim_add_compute_time(1e-3);
		MPI_Send(buffer, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
		MPI_Recv(&next, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		mpisim_add_compute_time(next * 1e-3);
	}
	for (int k = 0; k < ROUNDS * (n - 1) && rank == 0; k++) {
		MPI_Recv(buffer, 8, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
		next = status.MPI_SOURCE * (k % 3);
		MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
	}
}

/* Fails where the rank that LAST names comes last. */
static void late(int rank)
{
	MPI_Status status;

	if (rank == 0) {
		MPI_Recv(buffer, 8, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
		MPI_Recv(buffer, 8, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
		if (getenv("LAST") && status.MPI_SOURCE == atoi(getenv("LAST")))
			exit(3);
	} else if (rank < 3) {
		mpisim_add_compute_time(1e-2);
		MPI_Send(buffer, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
	}
}

/* A message that is cut, which no recording has. */
static void failing(int rank, int n)
{
	ring(rank, n);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Sendrecv(buffer, 8, MPI_BYTE, (rank + 1) % n, 0, other, 4, MPI_BYTE, (rank + n - 1) % n,
		     0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	ring(rank, n);
}

static void from_input(int rank, int n)
{
	int n_races = 0;

	if (rank == 0 && scanf("%d", &n_races) != 1)
		n_races = 0;
	MPI_Bcast(&n_races, 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (int k = 0; k < n_races; k++)
		race(rank, n);
}

static void resume(int rank, int n, int is_endless)
{
	FILE *state = rank == 0 ? fopen("state", "r") : NULL;
	volatile int is_begun = state != NULL;

	while (is_begun && is_endless)
		;
	MPI_Bcast((int *)&is_begun, 1, MPI_INT, 0, MPI_COMM_WORLD);
	race(rank, n);
	if (!is_begun)
		race(rank, n);
	if (rank == 0 && !state)
		state = fopen("state", "w");
	if (state)
		fclose(state);
}

int main(int argc, char **argv)
{
	int rank, n;
	FILE *file;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	if (rank == 0) {
		printf("here\n");
		file = argc > 2 ? fopen(argv[2], "a") : NULL;
		if (file) {
			fprintf(file, "ran\n");
			fclose(file);
		}
	}
	if (!strcmp(argv[1], "ring"))
		ring(rank, n);
	else if (!strcmp(argv[1], "race"))
		race(rank, n);
	else if (!strcmp(argv[1], "late"))
		late(rank);
	else if (!strcmp(argv[1], "failing"))
		failing(rank, n);
	else if (!strcmp(argv[1], "input"))
		from_input(rank, n);
	else if (!strcmp(argv[1], "resume") || !strcmp(argv[1], "endless"))
		resume(rank, n, !strcmp(argv[1], "endless"));
	MPI_Finalize();
	return !strcmp(argv[1], "exit") ? 5 : 0;
}
