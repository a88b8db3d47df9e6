/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * designs-rma SIZE SECONDS N: rank 0 puts N x SIZE bytes to rank 1, which computes for SECONDS and then is
 * in MPI until they are there. Prints when each is done, in us since both began.
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int size_B = atoi(argv[1]), n = atoi(argv[3]), rank, flag;
	double begin_s;
	char *memory;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate((MPI_Aint)size_B * n, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	memory[(long)size_B * n - 1] = (char)(rank == 0);
	MPI_Barrier(MPI_COMM_WORLD);
	begin_s = MPI_Wtime();
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		for (int i = 0; i < n; i++)
			MPI_Put(memory + (long)i * size_B, size_B, MPI_BYTE, 1, (MPI_Aint)i * size_B, size_B, MPI_BYTE, win);
		MPI_Win_unlock(1, win);
		printf("origin %.6f\n", 1e6 * (MPI_Wtime() - begin_s));
	} else {
		mpisim_add_compute_time(atof(argv[2]));
		while (!*(volatile char *)&memory[(long)size_B * n - 1])
			MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		printf("target %.6f\n", 1e6 * (MPI_Wtime() - begin_s));
	}
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
