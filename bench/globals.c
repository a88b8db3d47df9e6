/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with variables of its own for every rank, as most have: counters, a table with initial
 * values and a work array, 20 kB together. `globals ROUNDS`: each rank counts and works on them between
 * barriers, and finds at the end what it left there.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define N_TABLE 1024
#define N_WORK 1500

static int rank, size;
static long n_rounds, n_calls;
static int table[N_TABLE] = {1, 2, 3};
static double work[N_WORK];

static void step(void)
{
	static long n_steps;

	n_steps++;
	n_calls++;
	table[n_steps % N_TABLE] += rank;
	work[(n_steps * 7) % N_WORK] += rank;
}

int main(int argc, char **argv)
{
	double sum = 0;
	long wanted;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	n_rounds = argc > 1 ? atol(argv[1]) : 1;
	for (long i = 0; i < n_rounds; i++) {
		step();
		MPI_Barrier(MPI_COMM_WORLD);
	}
	for (int i = 0; i < N_TABLE; i++)
		sum += table[i];
	for (int i = 0; i < N_WORK; i++)
		sum += work[i];
	wanted = 6 + 2 * n_rounds * rank;
	if (n_calls != n_rounds || (long)sum != wanted) {
		fprintf(stderr, "rank %d: %ld calls and a sum of %.0f, wanted %ld and %ld\n", rank,
			n_calls, sum, n_rounds, wanted);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	if (rank == 0)
		printf("%.9f\n", MPI_Wtime());
	MPI_Finalize();
	return 0;
}
