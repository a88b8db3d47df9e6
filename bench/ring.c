/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes 1-byte messages around a ring: `ring MESSAGES` in all, over however many ranks there are. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	long n_messages = argc > 1 ? atol(argv[1]) : 1000000;
	char token = 1;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (long i = rank; i < n_messages; i += size) {
		if (i > 0)
			MPI_Recv(&token, 1, MPI_CHAR, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&token, 1, MPI_CHAR, (rank + 1) % size, 0, MPI_COMM_WORLD);
	}
	if (n_messages > 0 && rank == n_messages % size)
		MPI_Recv(&token, 1, MPI_CHAR, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 0)
		printf("%ld messages over %d ranks: %.9f s simulated\n", n_messages, size, MPI_Wtime());
	MPI_Finalize();
	return 0;
}
