/* SPDX-License-Identifier: BSD-3-Clause */
/* shift BY N: N times each rank computes a second and sends 1 MB to the rank BY further (fabric.py). */
#include <mpi.h>
#include <mpisim.h>
#include <stdlib.h>

enum { SIZE_B = 1000000 };
static char out[SIZE_B], in[SIZE_B];

int main(int argc, char **argv)
{
	int rank, n, by = atoi(argv[1]), n_times = atoi(argv[2]);

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	for (int i = 0; i < n_times; i++) {
		mpisim_add_compute_time(1);
		MPI_Sendrecv(out, SIZE_B, MPI_BYTE, (rank + by) % n, 0, in, SIZE_B, MPI_BYTE,
			     (rank + n - by) % n, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
