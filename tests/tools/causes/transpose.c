/* SPDX-License-Identifier: BSD-3-Clause */
/* All ranks of a node send through its link. */
#include <mpi.h>
#include <mpisim.h>
#include <stdlib.h>
static void transpose(char *a, int size)
{
	int n;
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Alltoall(a, size / n, MPI_BYTE, a + size, size / n, MPI_BYTE, MPI_COMM_WORLD);
}
int main(int c, char **v)
{
	char *a = calloc(2, 320000);
	MPI_Init(&c, &v);
	for (int k = 0; k < 15; k++) {
		mpisim_add_compute_time(1e-3);
		transpose(a, 320000);
	}
	MPI_Finalize();
	free(a);
	return 0;
}
