/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * starter NUMBER TIMES SECONDS [AFTER]: spawns NUMBER processes of itself so often, which say where they are and
 * compute so long. Says how long each spawn took, and messages between the groups and within.
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>
#include <stdlib.h>

/* Half of a round trip, in us; the one with the lower rank begins. */
static double half_us(MPI_Comm comm, int peer, int begins, int size_B)
{
	static char data[10000];
	double begin_s = MPI_Wtime();

	if (begins)
		MPI_Send(data, size_B, MPI_BYTE, peer, 0, comm);
	MPI_Recv(data, size_B, MPI_BYTE, peer, 0, comm, MPI_STATUS_IGNORE);
	if (!begins)
		MPI_Send(data, size_B, MPI_BYTE, peer, 0, comm);
	return 1e6 * (MPI_Wtime() - begin_s) / 2;
}

static int child(double seconds, MPI_Comm parent)
{
	char node[MPI_MAX_PROCESSOR_NAME];
	int rank, size, length;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Get_processor_name(node, &length);
	printf("at %s\n", node);
	if (rank == 1)
		for (int i = 0; i < 2; i++)
			half_us(parent, 0, 0, i == 0 ? 1 : 5000);
	if (rank < 2 && size > 1)
		half_us(MPI_COMM_WORLD, 1 - rank, rank == 0, 1);
	mpisim_add_compute_time(seconds);
	MPI_Comm_disconnect(&parent);
	MPI_Finalize();
	return 0;
}

int main(int argc, char **argv)
{
	int n = atoi(argv[1]), times = atoi(argv[2]), rank;
	MPI_Comm parent, inter[10];
	double begin_s;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL)
		return child(atof(argv[3]), parent);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	begin_s = MPI_Wtime();
	for (int i = 0; i < times; i++) {
		MPI_Comm_spawn(argv[0], argv + 1, n, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter[i],
			       MPI_ERRCODES_IGNORE);
		if (i == times - 1)
			printf("spawned %.6f\n", 1e6 * (MPI_Wtime() - begin_s));
		for (int k = 0; k < 2 && rank == 0 && n > 1; k++)
			printf("between %.6f\n", half_us(inter[i], 1, 1, k == 0 ? 1 : 5000));
	}
	for (int i = 0; i < times; i++)
		MPI_Comm_disconnect(&inter[i]);
	if (argc > 4)
		mpisim_add_compute_time(atof(argv[4]));
	MPI_Finalize();
	return 0;
}
