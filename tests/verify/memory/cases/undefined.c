/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that nothing was written to, which is sent or decides a branch; and errors that have nothing to do with MPI. */
#include "tests/verify/memory/cases/cases.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static void e3(void)
{
	int b[10];

	if (rank == 0) {
		int *s = malloc(40);

		s[0] = 1;
		MPI_Send(s, 10, MPI_INT, 1, 0, MPI_COMM_WORLD); /* E3 call */
		free(s);
	} else {
		MPI_Recv(b, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static void in_place_unwritten(void)
{
	int *all = malloc(40 * sizeof *all);

	if (rank == 0)
		memset(all, 0, 80);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, all, 20, MPI_INT, MPI_COMM_WORLD); /* in-place-unwritten call */
	free(all);
}

/* Bytes that the program cannot write but with the whole. */
static void padding(void)
{
	struct mixed {
		int n;
		double d;
		int k;
	} *m;

	if (rank == 1) {
		take_any();
		return;
	}
	m = malloc(sizeof *m);
	m->n = 1;
	m->d = 2;
	m->k = 3;
	MPI_Send(m, sizeof *m, MPI_BYTE, 1, 0, MPI_COMM_WORLD); /* padding call */
	free(m);
}

/* The error of a status is set by calls that complete several, where one of them failed. */
static void e4(int is_after_error)
{
	int x[2] = {3, 4};
	MPI_Request q[2];
	MPI_Status st[2];

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (rank == 0) {
		MPI_Send(x, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
		MPI_Send(x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	} else if (is_after_error) {
		MPI_Irecv(x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &q[0]); /* too short */
		MPI_Irecv(x + 1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &q[1]);
		MPI_Waitall(2, q, st);
		if (st[0].MPI_ERROR != MPI_SUCCESS)
			sink = 1;
	} else {
		MPI_Irecv(x, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, &q[0]);
		MPI_Wait(&q[0], &st[0]);
		if (st[0].MPI_ERROR != MPI_SUCCESS) /* E4 access */
			sink = 1;
		MPI_Recv(x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void e4_single(void)
{
	e4(0);
}

static void e4_waitall(void)
{
	e4(1);
}

static void e18(void)
{
	int b[10];

	if (rank == 0) {
		int *s = malloc(40); /* E18 block */

		s[0] = 1;
		MPI_Send(s, 10, MPI_INT, 1, 0, MPI_COMM_WORLD); /* E18 call */
		free(s);
	} else {
		MPI_Recv(b, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (b[5] > 0) /* E18 access */
			sink = 2;
	}
}

static void e22(void)
{
	MPI_Request q;
	int *s;

	if (rank == 1) {
		take_any();
		return;
	}
	s = malloc(40); /* E22 block */
	s[0] = 1;
	MPI_Isend(s, 10, MPI_INT, 1, 0, MPI_COMM_WORLD, &q); /* E22 call */
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	if (s[0] > 0)
		sink = 1;
	if (s[5] > 0) /* E22 access */
		sink = 2;
	free(s);
}

/* Valgrind knows of variables on the stack, too, and of what is behind the message that came. */
static void undefined(void)
{
	int b[4], local; /* undefined block */
	MPI_Request q;

	if (rank == 0) {
		MPI_Send(&local, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* undefined call */
		return;
	}
	b[1] = 7;
	MPI_Irecv(b, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &q);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	if (b[1] > 0)
		sink = 1;
	if (b[2] > 0) /* undefined access */
		sink = 2;
}

/* Errors of the program that have nothing to do with MPI. */
static void no_mpi(void)
{
	volatile char *volatile p = malloc(64);

	memset((void *)p, 0, 64);
	if (rank == 0)
		sink = p[64]; /* no-mpi read */
	free((void *)p); /* no-mpi free */
	if (rank == 0)
		p[40] = 1; /* no-mpi write */
}

const struct memory_case undefined_cases[] = {
    {"E4", e4_single},
    {"E4-waitall", e4_waitall},
    {"E18", e18},
    {"E22", e22},
    {"undefined", undefined},
    {"no-mpi", no_mpi},
    {"in-place-unwritten", in_place_unwritten},
    {"padding", padding},
    {"E3", e3},
    {0},
};
