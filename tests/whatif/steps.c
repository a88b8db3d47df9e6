// SPDX-License-Identifier: BSD-3-Clause
/*
 * Two ranks: kernel "work", 3 s on rank 0 and 2 s on rank 1; 10 MB from 0 to 1; kernel "after", 2 s
 * on rank 1 (steps.bench). With the argument "slow" each run takes a minute of real time.
 */
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <mpi.h>
#include <mpisim.h>

static char message[10000000];

static void compute(const char *kernel, double seconds)
{
	mpisim_kernel_begin(kernel, 1, &seconds);
	mpisim_kernel_end();
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc > 1 && strcmp(argv[1], "slow") == 0)
		syscall(SYS_nanosleep, &(struct timespec){.tv_sec = 60}, NULL);
	compute("work", rank == 0 ? 3 : 2);
	if (rank == 0)
		MPI_Send(message, sizeof message, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(message, sizeof message, MPI_BYTE, 0, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	if (rank == 1)
		compute("after", 2);
	MPI_Finalize();
	return 0;
}
