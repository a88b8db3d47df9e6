/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One job of a schedule: job SECONDS WHAT; see main. Checks that its MPI_COMM_WORLD, its
 * globals and its thread-local variables are its own while other jobs run.
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int global = 1;
static _Thread_local int of_thread = 2;

static void check_private(int rank, int size)
{
	int sum = 0;

	global += rank;
	of_thread += 10 * rank;
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (sum != size * (size - 1) / 2 || global != 1 + rank || of_thread != 2 + 10 * rank) {
		fprintf(stderr, "rank %d of %d: sum %d, global %d, of_thread %d\n", rank, size, sum,
			global, of_thread);
		MPI_Abort(MPI_COMM_WORLD, 3);
	}
}

static void print_place(int rank, int size)
{
	int *appnum, *universe, flag;
	char name[MPI_MAX_PROCESSOR_NAME];
	int length;

	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &appnum, &flag);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe, &flag);
	MPI_Get_processor_name(name, &length);
	printf("rank %d of %d, program %d, universe %d, %s\n", rank, size, *appnum, *universe,
	       name);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : "";
	double seconds = atof(argv[1]);
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (strcmp(what, "who") == 0)
		print_place(rank, size);
	mpisim_phase_begin("work");
	mpisim_add_compute_time(seconds);
	MPI_Barrier(MPI_COMM_WORLD);
	mpisim_phase_end();
	check_private(rank, size);
	if (strcmp(what, "stuck") == 0)
		MPI_Recv(NULL, 0, MPI_BYTE, size - 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (strcmp(what, "crash") == 0 && rank == 1)
		abort();
	if (strcmp(what, "release") == 0 || strcmp(what, "acquire") == 0) {
		if (rank == size - 1)
			mpisim_node_release();
		else
			mpisim_add_compute_time(seconds);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	if (strcmp(what, "acquire") == 0) {
		mpisim_node_acquire();
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return strcmp(what, "bad") == 0;
}
