/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI-1 functions that MPI 3.0 removed and that old programs still call; for MPI libraries that keep them. */
#include <stddef.h>

#include "check.h"

struct record {
	char letter;
	double number;
};

static void types_are_built_the_old_way(void)
{
	struct record record = {'a', 1.5};
	int lengths[2] = {1, 1};
	MPI_Datatype types[2] = {MPI_CHAR, MPI_DOUBLE}, type, rows;
	MPI_Aint places[2], lb, ub, extent;

	MPI_Address(&record.letter, &places[0]);
	MPI_Address(&record.number, &places[1]);
	CHECK(places[1] - places[0] == (MPI_Aint)offsetof(struct record, number));
	MPI_Type_struct(2, lengths, places, types, &type);
	MPI_Type_commit(&type);
	MPI_Type_lb(type, &lb);
	MPI_Type_ub(type, &ub);
	MPI_Type_extent(type, &extent);
	CHECK(lb == places[0]);
	CHECK(ub - lb == extent);
	CHECK(extent == (MPI_Aint)sizeof record);
	if (me == 0) {
		for (int i = 1; i < n_ranks; i++)
			MPI_Send(MPI_BOTTOM, 1, type, i, 0, MPI_COMM_WORLD);
	} else {
		record = (struct record){0, 0};
		MPI_Recv(MPI_BOTTOM, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		CHECK(record.letter == 'a' && record.number == 1.5);
	}
	MPI_Type_hvector(3, 1, 16, MPI_DOUBLE, &rows);
	MPI_Type_extent(rows, &extent);
	CHECK(extent == 40);
	MPI_Type_free(&rows);
	MPI_Type_free(&type);
}

static int n_handled;

static void handle(MPI_Comm *comm, int *code, ...)
{
	n_handled++;
}

static void handlers_are_set_the_old_way(void)
{
	MPI_Errhandler handler, got;

	MPI_Errhandler_create(handle, &handler);
	MPI_Errhandler_set(MPI_COMM_WORLD, handler);
	MPI_Send(NULL, 0, MPI_INT, n_ranks, 0, MPI_COMM_WORLD);
	CHECK(n_handled == 1);
	MPI_Errhandler_get(MPI_COMM_WORLD, &got);
	CHECK(got == handler);
	MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Errhandler_free(&got);
	MPI_Errhandler_free(&handler);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	types_are_built_the_old_way();
	section_end("old datatype functions");
	handlers_are_set_the_old_way();
	section_end("old error handler functions");
	return check_finish();
}
