/* SPDX-License-Identifier: BSD-3-Clause */
/* Ten barriers in two seconds, and when each rank came to them by the clock of this machine. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { N_ROUNDS = 10 };

int main(int argc, char **argv)
{
	const struct timespec pause = {.tv_nsec = 200000000};
	long long came_ns[N_ROUNDS];
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < N_ROUNDS; i++) {
		struct timespec now;

		nanosleep(&pause, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
		came_ns[i] = now.tv_sec * 1000000000ll + now.tv_nsec;
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	for (int i = 0; i < N_ROUNDS; i++)
		printf("%d %d %lld\n", rank, i, came_ns[i]);
	return 0;
}
