/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors in the use of MPI, each by its name: cases NAME, on two ranks. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;

static void fine(void)
{
	int value = 1;

	MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void wrong_tag(void)
{
	int value = 0;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, -5, MPI_COMM_WORLD);
}

static void wrong_order(void)
{
	int value = 0;

	if (rank == 0)
		MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void lost_comm(void)
{
	MPI_Comm comm;

	for (int i = 0; i < 3; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
    {"fine", fine},
    {"wrong-tag", wrong_tag},
    {"wrong-order", wrong_order},
    {"lost-comm", lost_comm},
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
			cases[i].run();
	MPI_Finalize();
	return 0;
}
