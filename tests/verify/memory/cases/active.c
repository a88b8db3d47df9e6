/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers of messages and collectives that are touched while MPI has them, and right programs. */
#include "tests/verify/memory/cases/cases.h"

#include <stdlib.h>

/* clang-format off */
static void e5(void)
{
	volatile int buf = 0;
	MPI_Request q;

	if (rank == 1) {
		send_number();
		return;
	}
	MPI_Irecv((void *)&buf, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q); /* E5 post */
	buf = 4711;						       /* E5 access */
	MPI_Wait(&q, MPI_STATUS_IGNORE);			       /* E5 wait */
}

static void isend(int what)
{
	volatile int x = 3, y = 4;
	MPI_Request q;

	if (rank == 1) {
		recv_number();
		return;
	}
	MPI_Isend((void *)&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q); /* E7 post */
	if (what == 6)
		y += x;
	else
		x = 7;			 /* E7 access */
	MPI_Wait(&q, MPI_STATUS_IGNORE); /* E7 wait */
	sink = y;
}

static void e6(void)
{
	isend(6);
}

static void e7(void)
{
	isend(7);
}

static void e8(void)
{
	volatile int buf = 0, y;
	MPI_Request q;

	if (rank == 1) {
		send_number();
		return;
	}
	MPI_Irecv((void *)&buf, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q); /* E8 post */
	y = buf;						       /* E8 access */
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	sink = y;
}

static void e9(void)
{
	volatile int buf = 0;
	MPI_Request q;

	if (rank == 1) {
		send_number();
		return;
	}
	MPI_Recv_init((void *)&buf, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q); /* E9 post */
	MPI_Start(&q);
	buf = 1;			 /* E9 access */
	MPI_Wait(&q, MPI_STATUS_IGNORE); /* E9 wait */
	buf = 2;
	MPI_Request_free(&q);
}

/* Right programs. */
static void e17(void)
{
	int b[3] = {1, 2, 3}, x = 4;
	double column[8] = {0};
	MPI_Datatype type;
	MPI_Request q;

	MPI_Type_vector(4, 1, 2, MPI_DOUBLE, &type);
	MPI_Type_commit(&type);
	if (rank == 0) {
		MPI_Isend(column, 1, type, 1, 0, MPI_COMM_WORLD, &q);
		column[1] = 3; /* a hole */
	} else {
		MPI_Irecv(column, 1, type, 0, 0, MPI_COMM_WORLD, &q);
		column[1] = 3;
	}
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Type_free(&type);
	if (rank == 0) {
		MPI_Send(b, 3, MPI_INT, 1, 0, MPI_COMM_WORLD);
		MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
	} else {
		MPI_Recv(b, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	b[0] += x;
	MPI_Isend(b, 3, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &q);
	b[1] = 3;
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Allreduce(MPI_IN_PLACE, b, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	sink = b[0];
}

static void e19(void)
{
	volatile int x = 3;
	MPI_Request q[2];

	if (rank == 1) {
		recv_number();
		recv_number();
		return;
	}
	MPI_Isend((void *)&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q[0]);
	MPI_Isend((void *)&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q[1]); /* E19 post */
	MPI_Wait(&q[0], MPI_STATUS_IGNORE);
	x = 9;				     /* E19 access */
	MPI_Wait(&q[1], MPI_STATUS_IGNORE); /* E19 wait */
}

static void e20(void)
{
	MPI_Request q;
	int *p;

	if (rank == 1) {
		send_number();
		return;
	}
	p = malloc(sizeof *p);
	MPI_Irecv(p, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q); /* E20 post */
	free(p);					    /* E20 access */
	MPI_Wait(&q, MPI_STATUS_IGNORE);
}

static __attribute__((noinline)) void post_local(MPI_Request *q)
{
	int local = 0;

	MPI_Irecv(&local, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, q); /* E21 post */
}

static void e21(void)
{
	MPI_Request q;

	if (rank == 1) {
		send_number();
		return;
	}
	post_local(&q);
	MPI_Wait(&q, MPI_STATUS_IGNORE); /* E21 wait */
}

static void collective(void)
{
	int b[2] = {rank, rank}, sum[2];
	MPI_Request q;

	MPI_Iallreduce(b, sum, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q); /* collective post */
	if (rank == 0)
		b[1] = 17; /* collective access */
	MPI_Wait(&q, MPI_STATUS_IGNORE); /* collective wait */
	sink = sum[0];
}

/* Messages shorter than the buffer, which keeps what lies behind them, holes too. */
static void shorter(void)
{
	int b[6] = {-1, -2, -3, -4, -5, -6}, s[6] = {1, 2, 3, 4, 5, 6};
	MPI_Datatype pairs;
	MPI_Message message;
	MPI_Request q;

	MPI_Type_vector(2, 1, 2, MPI_INT, &pairs);
	MPI_Type_commit(&pairs);
	if (rank == 0) {
		MPI_Send(s, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
		MPI_Send(s, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
		MPI_Send(s, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
		MPI_Send(s + 3, 3, MPI_INT, 1, 2, MPI_COMM_WORLD);
	} else {
		MPI_Recv_init(b, 6, MPI_INT, 0, 0, MPI_COMM_WORLD, &q);
		MPI_Start(&q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		check(b[0] == 1 && b[1] == 2 && b[2] == -3 && b[5] == -6);
		b[1] = 7;
		MPI_Start(&q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		check(b[0] == 1 && b[1] == 7 && b[2] == -3);
		MPI_Request_free(&q);
		MPI_Irecv(b + 1, 1, pairs, 0, 1, MPI_COMM_WORLD, &q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		check(b[1] == 1 && b[2] == -3 && b[3] == -4);
		MPI_Mprobe(0, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
		MPI_Imrecv(b, 5, MPI_INT, &message, &q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		check(b[0] == 4 && b[2] == 6 && b[3] == -4 && b[5] == -6);
		MPI_Irecv(b, 6, MPI_INT, 0, 3, MPI_COMM_WORLD, &q);
		MPI_Cancel(&q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		check(b[0] == 4 && b[5] == -6);
	}
	MPI_Type_free(&pairs);
}

/* A large buffer that was never touched, but for one number while MPI has it. */
static void untouched(void)
{
	int number = 5;
	volatile int *b;
	MPI_Request q;

	if (rank == 1) {
		MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		return;
	}
	b = calloc(10000, sizeof *b);
	MPI_Irecv((void *)b, 10000, MPI_INT, 1, 0, MPI_COMM_WORLD, &q); /* untouched post */
	b[5000] = 3;			   /* untouched access */
	MPI_Wait(&q, MPI_STATUS_IGNORE); /* untouched wait */
	check(b[0] == 5 && b[5000] == 3);
	free((void *)b);
}

/* Right: what a receive gets that the program has given up is there when a later message is. */
static void given_up(void)
{
	int x = 5, y = 6;
	MPI_Request q;

	if (rank == 1) {
		MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		MPI_Send(&y, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		return;
	}
	x = 0;
	MPI_Irecv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q);
	MPI_Request_free(&q);
	MPI_Recv(&y, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	check(x == 5);
}

const struct memory_case active_cases[] = {
    {"E5", e5},
    {"E6", e6},
    {"E7", e7},
    {"E8", e8},
    {"E9", e9},
    {"E17", e17},
    {"E19", e19},
    {"E20", e20},
    {"E21", e21},
    {"collective", collective},
    {"shorter", shorter},
    {"untouched", untouched},
    {"given-up", given_up},
    {0},
};
