/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that come for nothing, in whole or in part, and what is no use of them. */
#include "tests/verify/memory/cases/cases.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static void e10(void)
{
	volatile char b[2];

	if (rank == 0) {
		MPI_Send("ab", 2, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
		return;
	}
	MPI_Recv((void *)b, 2, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* E10 call */
	b[0] = sizeof(long);							    /* E10 access */
	sink = b[1] * 1000;
}

static void e11(void)
{
	volatile char b[2];

	for (int i = 0; i < 10; i++) {
		if (rank == 0) {
			MPI_Send("ab", 2, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
			continue;
		}
		MPI_Recv((void *)b, 2, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* E11 call */
		sink += b[1];
	}
}

/* A structure is sent as it is, with its padding and a pointer. */
static void e16(void)
{
	struct list {
		int n;
		double *p;
		int k;
	};
	static double local[2];
	volatile struct list all = {0};

	if (rank == 0) {
		all.n = 2;
		all.p = malloc(2 * sizeof *all.p);
		all.k = 3;
	}
	MPI_Bcast((void *)&all, sizeof all, MPI_BYTE, 0, MPI_COMM_WORLD); /* E16 call */
	if (rank == 1)
		all.p = local; /* E16 access */
	sink = all.n + all.k;
	if (rank == 0)
		free(all.p);
}

static __attribute__((noinline)) void recv_into_frame(void)
{
	volatile char b[64];

	MPI_Recv((void *)b, sizeof b, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* frames call */
	sink = b[0];
}

static __attribute__((noinline)) void write_frame(void)
{
	volatile char b[64];

	for (int i = 0; i < 64; i++)
		b[i] = 0;
	sink = b[3];
}

static void frames(void)
{
	char s[64] = {0};

	if (rank == 0) {
		MPI_Send(s, 64, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
		return;
	}
	recv_into_frame();
	write_frame();
}

static void plus(void)
{
	volatile int b = 3;

	if (rank == 0)
		MPI_Send((void *)&b, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv((void *)&b, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	b += sink;
}

/* All is read, by another call of MPI and by memcpy; or lies in a function that has returned. */
static void read_all(void)
{
	static char b[64], copy[64];
	MPI_Request q;

	if (rank == 0) {
		MPI_Send(b, 64, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
		MPI_Send(b, 64, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(copy, 64, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Irecv(b, 64, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		MPI_Send(b, 64, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
		MPI_Irecv(b, 64, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
	}
	memcpy(copy, rank == 1 ? b : copy, 64);
	for (int i = 0; i < 64; i++)
		sink += copy[i];
}

static void half(void)
{
	char *b = calloc(800000, 1);

	if (rank == 0)
		MPI_Send(b, 800000, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(b, 800000, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* half call */
	for (int i = 0; i < 400000; i++)
		sink += b[i];
	free(b);
}

const struct memory_case unread_cases[] = {
    {"E16", e16},
    {"read-all", read_all},
    {"plus", plus},
    {"half", half},
    {"frames", frames},
    {"E10", e10},
    {"E11", e11},
    {0},
};
