/* SPDX-License-Identifier: BSD-3-Clause */
/* What MPI 3.0 removed from MPI-1 and old programs still use; for MPI libraries that keep them. */
#include <stddef.h>
#include <string.h>

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

static void has_bounds(MPI_Datatype type, MPI_Aint lb_wanted, MPI_Aint ub_wanted)
{
	MPI_Aint lb, ub, extent;
	int size;

	MPI_Type_lb(type, &lb);
	MPI_Type_ub(type, &ub);
	MPI_Type_extent(type, &extent);
	MPI_Type_size(type, &size);
	CHECK(lb == lb_wanted);
	CHECK(ub == ub_wanted);
	CHECK(extent == ub - lb);
	CHECK(size == (int)sizeof(int));
}

/* One integer at byte 4, with a bound at each place that is given. */
static MPI_Datatype between(MPI_Aint lb, MPI_Aint ub, int n_lb, int n_ub)
{
	int lengths[3] = {n_lb, 1, n_ub};
	MPI_Aint places[3] = {lb, 4, ub};
	MPI_Datatype types[3] = {MPI_LB, MPI_INT, MPI_UB}, type;

	MPI_Type_struct(3, lengths, places, types, &type);
	MPI_Type_commit(&type);
	return type;
}

static void bounds_are_markers(void)
{
	int lengths[2] = {1, 1}, sent[8] = {0, 1, 2, 3, 4, 5, 6, 7}, got[8] = {0}, name_length;
	MPI_Aint places[2] = {0, 24};
	MPI_Datatype both = between(-4, 16, 1, 1), lower = between(-3, 0, 1, 0),
		     upper = between(0, 12, 0, 1), behind = between(9, 0, 1, 0), types[2], type;
	char name[MPI_MAX_OBJECT_NAME];

	has_bounds(both, -4, 16);
	has_bounds(
	    lower, -3,
	    9); /* 11 bytes from -3 to 8, and on to a multiple of 4, which MPICH leaves out */
	has_bounds(behind, 9, 9); /* -1 byte, and on to 0 */
	has_bounds(upper, 4, 12);
	types[0] = types[1] = both; /* the markers of parts stay: the lowest and the highest */
	MPI_Type_create_struct(2, lengths, places, types, &type);
	MPI_Type_lb(type, &places[0]);
	MPI_Type_ub(type, &places[1]);
	CHECK(places[0] == -4 && places[1] == 40);
	MPI_Type_free(&type);
	MPI_Sendrecv(sent, 2, both, me, 0, got, 2, both, me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK(got[1] == 1 && got[6] == 6 &&
	      got[0] + got[2] + got[3] + got[4] + got[5] + got[7] == 0);
	MPI_Type_get_name(MPI_LB, name, &name_length);
	CHECK(strcmp(name, "MPI_LB") == 0);
	MPI_Type_free(&both);
	MPI_Type_free(&lower);
	MPI_Type_free(&upper);
	MPI_Type_free(&behind);
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
	bounds_are_markers();
	section_end("old bounds");
	handlers_are_set_the_old_way();
	section_end("old error handler functions");
	return check_finish();
}
