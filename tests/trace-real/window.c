/* SPDX-License-Identifier: BSD-3-Clause */
/* A call that traces cannot hold. */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Win window;
	int x = 0;

	MPI_Init(&argc, &argv);
	MPI_Win_create(&x, sizeof x, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
	MPI_Win_free(&window);
	MPI_Finalize();
	return 0;
}
