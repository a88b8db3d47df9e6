/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a library's own collective operations take, by size, as benchmarks of them measure it:
 *
 *     collectives bcast|alltoall REPEATS SIZE_B...
 *
 * Each repetition follows a barrier. Rank 0 prints a line for each size: the operation, bytes, and
 * the median of the repetitions' times, each that of the slowest rank, in seconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static void operate(int is_bcast, char *out, char *in, int size_B)
{
	if (is_bcast)
		MPI_Bcast(out, size_B, MPI_BYTE, 0, MPI_COMM_WORLD);
	else
		MPI_Alltoall(out, size_B, MPI_BYTE, in, size_B, MPI_BYTE, MPI_COMM_WORLD);
}

static void measure(const char *name, int size_B, int n_repeats)
{
	int n, rank, is_bcast = !strcmp(name, "bcast");
	double *mine, *slowest;
	char *out, *in;

	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	out = calloc((size_t)n, (size_t)size_B);
	in = calloc((size_t)n, (size_t)size_B);
	mine = calloc((size_t)n_repeats, sizeof(double));
	slowest = calloc((size_t)n_repeats, sizeof(double));
	if (!out || !in || !mine || !slowest)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (int k = -1; k < n_repeats; k++) { /* the first one makes connections */
		double begin;

		MPI_Barrier(MPI_COMM_WORLD);
		begin = MPI_Wtime();
		operate(is_bcast, out, in, size_B);
		mine[k < 0 ? 0 : k] = MPI_Wtime() - begin;
	}
	MPI_Reduce(mine, slowest, n_repeats, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	qsort(slowest, (size_t)n_repeats, sizeof(double), compare);
	if (rank == 0)
		printf("%s %d %.9f\n", name, size_B, slowest[n_repeats / 2]);
	free(out);
	free(in);
	free(mine);
	free(slowest);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	if (argc < 4 || (strcmp(argv[1], "bcast") && strcmp(argv[1], "alltoall")) ||
	    atoi(argv[2]) < 1) {
		fprintf(stderr, "usage: collectives bcast|alltoall REPEATS SIZE_B...\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	for (int k = 3; k < argc; k++)
		measure(argv[1], atoi(argv[k]), atoi(argv[2]));
	MPI_Finalize();
	return 0;
}
