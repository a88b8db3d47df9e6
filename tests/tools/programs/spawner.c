/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spawner NUMBER WHAT: spawns NUMBER processes of itself, which say where and when they began, and
 * then do WHAT.
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void work(const char *what, int rank, int size)
{
	mpisim_phase_begin("work");
	mpisim_add_compute_time(2);
	mpisim_phase_end();
	if (strcmp(what, "stuck") == 0 && rank < 2 && size > 1)
		MPI_Recv(NULL, 0, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (strcmp(what, "crash") == 0 && rank == 1)
		abort();
	if (strcmp(what, "hopeless") == 0 && rank == 0)
		MPI_Send(NULL, -1, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
}

static int child(const char *what, MPI_Comm parent)
{
	double begin_s = MPI_Wtime();
	char node[MPI_MAX_PROCESSOR_NAME];
	int rank, size, length;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Get_processor_name(node, &length);
	printf("%d of %d on %s at %.6f\n", rank, size, node, begin_s);
	work(what, rank, size);
	MPI_Comm_disconnect(&parent);
	MPI_Finalize();
	return strcmp(what, "bad") == 0;
}

int main(int argc, char **argv)
{
	char *arguments[] = {argv[1], argv[2], NULL};
	MPI_Comm parent, inter;

	if (strcmp(argv[2], "mute") == 0) /* no MPI program, once it is spawned */
		arguments[1] = "silent";
	if (strcmp(argv[2], "silent") == 0)
		return 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL)
		return child(argv[2], parent);
	MPI_Comm_spawn(argv[0], arguments, atoi(argv[1]), MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
		       MPI_ERRCODES_IGNORE);
	MPI_Comm_disconnect(&inter);
	MPI_Finalize();
	return 0;
}
