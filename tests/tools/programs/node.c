/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What ranks of one node do to each other.
 *
 * usage: node to RANK BYTES          rank 0 sends to one other
 *        node pairs BYTES            each even rank sends to the next one
 *        node kernels BYTES          each rank runs the kernel "sweep" once, which says BYTES of memory, or nothing
 *        node both BYTES MESSAGE     … ranks 2 and 3 send a message meanwhile
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdlib.h>
#include <string.h>

static void send(int rank, int from, int to, int size_B)
{
	char *buf = mpisim_alloc((size_t)size_B);

	if (rank == from)
		MPI_Send(buf, size_B, MPI_BYTE, to, 0, MPI_COMM_WORLD);
	if (rank == to)
		MPI_Recv(buf, size_B, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	mpisim_free(buf);
}

static void sweep(double bytes)
{
	mpisim_kernel_begin("sweep", 0, NULL);
	if (bytes >= 0)
		mpisim_kernel_memory(bytes);
	mpisim_kernel_end();
}

int main(int argc, char **argv)
{
	const char *what = argv[1];
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (strcmp(what, "to") == 0)
		send(rank, 0, atoi(argv[2]), atoi(argv[3]));
	else if (strcmp(what, "pairs") == 0)
		send(rank, rank / 2 * 2, rank / 2 * 2 + 1, atoi(argv[2]));
	else if (strcmp(what, "kernels") == 0 || rank < 2)
		sweep(atof(argv[2]));
	else
		send(rank, 2, 3, atoi(argv[3]));
	if (strcmp(what, "wrong") == 0)
		mpisim_kernel_memory(1);
	MPI_Finalize();
	return 0;
}
