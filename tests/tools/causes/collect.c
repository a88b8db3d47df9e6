/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 looks at each message for long before it receives the next: the senders of large messages wait. */
#include <mpi.h>
#include <mpisim.h>
#include <string.h>
#include <stdlib.h>
static int rank, n, bad;
static void collect(double *big, int size)
{
	for (int i = 1; i < n; i++) {
		if (bad)
			mpisim_add_compute_time(1.2e-3); /* checks the last one before it takes the next */
		MPI_Recv(big, size, MPI_DOUBLE, i, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}
static void worker(double *big, int size, int k)
{
	mpisim_add_compute_time(2e-3 + 1e-4 * (k % 3));
	MPI_Send(big, size, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD);
}
int main(int c, char **v)
{
	double *big = calloc(20000, sizeof *big);
	MPI_Init(&c, &v);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	bad = !strcmp(v[1], "planted");
	for (int k = 0; k < 20; k++)
		if (rank == 0)
			collect(big, 20000);
		else
			worker(big, 20000, k);
	MPI_Finalize();
}
