/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When do sends and receives return? Three cases for each size in bytes among the arguments, between ranks 0 and 1: the receiver comes 300 ms late; both
 * come at once; the sender computes for 300 ms between MPI_Isend and MPI_Wait. Prints size, case, and both times in ms as CSV. It is a program for the
 * simulator: under a real MPI, computation must take its time (see mpisim_add_compute_time).
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>
#include <stdlib.h>

#define COMPUTE_S 0.3

enum test_case { LATE, BOTH, ISEND };
static const char *const names[] = {"late", "both", "isend"};

static void send(char *buf, int size_B, enum test_case which)
{
	MPI_Request request;

	if (which != ISEND) {
		MPI_Send(buf, size_B, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
		return;
	}
	MPI_Isend(buf, size_B, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
	mpisim_add_compute_time(COMPUTE_S);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receive(char *buf, int size_B, enum test_case which)
{
	if (which == LATE)
		mpisim_add_compute_time(COMPUTE_S);
	MPI_Recv(buf, size_B, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void measure(char *buf, int size_B, enum test_case which)
{
	double begin_s, ms[2];
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	mpisim_add_compute_time(0.05);
	begin_s = MPI_Wtime();
	if (rank == 0)
		send(buf, size_B, which);
	else
		receive(buf, size_B, which);
	ms[0] = (MPI_Wtime() - begin_s) * 1e3;
	if (rank == 1) {
		MPI_Send(ms, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
		return;
	}
	MPI_Recv(&ms[1], 1, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	printf("%d,%s,%.3f,%.3f\n", size_B, names[which], ms[0], ms[1]);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	for (int i = 1; i < argc; i++) {
		int size_B = atoi(argv[i]);
		char *buf = calloc(1, (size_t)size_B);

		for (int which = LATE; which <= ISEND; which++)
			measure(buf, size_B, (enum test_case)which);
		free(buf);
	}
	MPI_Finalize();
	return 0;
}
