/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of MPI-1: names that MPI 3.0 removed. */
#include <mpi.h>

struct record {
	char letter;
	double number;
};

int main(int argc, char **argv)
{
	struct record record = {'a', 1.5};
	int lengths[2] = {1, 1}, rank;
	MPI_Datatype types[2] = {MPI_CHAR, MPI_DOUBLE}, type;
	MPI_Aint places[2], extent;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Address(&record.letter, &places[0]);
	MPI_Address(&record.number, &places[1]);
	MPI_Type_struct(2, lengths, places, types, &type);
	MPI_Type_commit(&type);
	MPI_Type_extent(type, &extent);
	if (rank == 0)
		MPI_Send(MPI_BOTTOM, 1, type, 1, 0, MPI_COMM_WORLD);
	else if (rank == 1)
		MPI_Recv(MPI_BOTTOM, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&type);
	MPI_Finalize();
	return extent != (MPI_Aint)sizeof record;
}
