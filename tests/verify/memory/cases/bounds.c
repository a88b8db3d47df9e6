/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers that reach beyond their blocks and variables, that were freed or have returned, or that overlap; and right ones. */
#include "tests/verify/memory/cases/cases.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static void e1(void)
{
	char b[16];

	if (rank == 0) {
		char *s = malloc(5);

		memset(s, 0, 5);
		MPI_Send(s, 10, MPI_CHAR, 1, 0, MPI_COMM_WORLD); /* E1 call */
		free(s);
	} else {
		MPI_Recv(b, 16, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static void e2(void)
{
	char s[16] = "";

	if (rank == 0) {
		MPI_Send(s, 16, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
	} else {
		char *b = malloc(15);

		MPI_Recv(b, 16, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* E2 call */
		sink = b[0];
		free(b);
	}
}

/* A datatype by addresses, over two blocks of the heap, and one that reaches beyond the first. */
static void send_blocks(int far_B)
{
	int *a = calloc(4, sizeof *a), *b = calloc(4, sizeof *b);
	MPI_Aint displs[2] = {0, far_B ? far_B : (char *)b - (char *)a};
	MPI_Datatype type;

	MPI_Type_create_hindexed_block(2, 4, displs, MPI_INT, &type);
	MPI_Type_commit(&type);
	if (rank == 0)
		MPI_Send(a, 1, type, 1, 0, MPI_COMM_WORLD);
	if (rank == 1)
		MPI_Recv((int[8]){0}, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&type);
	free(a);
	free(b);
}

static void two_blocks(void)
{
	send_blocks(0);
}

static void beyond_block(void)
{
	send_blocks(8);
}

/* In place: of each rank its own block is read, and in MPI_Gather none. */
static void in_place(void)
{
	int *all = malloc(4 * sizeof *all), counts[] = {2, 2}, displs[] = {0, 2}, own[2] = {1, 2};

	all[2 * rank] = all[2 * rank + 1] = rank;
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
	free(all);
	all = malloc(4 * sizeof *all);
	all[2 * rank] = all[2 * rank + 1] = rank;
	MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD);
	free(all);
	all = malloc(4 * sizeof *all);
	MPI_Gather(rank == 0 ? MPI_IN_PLACE : own, 2, MPI_INT, all, 2, MPI_INT, 0, MPI_COMM_WORLD);
	free(all);
}

static void overlap(void)
{
	int b[4] = {0};

	MPI_Sendrecv(b, 2, MPI_INT, 1 - rank, 0, b + 1, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* overlap call */
}

/* Right: variables that are far apart, by their addresses. */
static void bottom(void)
{
	static int first[3];
	int second = 4;
	MPI_Aint places[2];
	const int lengths[] = {3, 1};
	MPI_Datatype type;

	MPI_Get_address(first, &places[0]);
	MPI_Get_address(&second, &places[1]);
	MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type);
	MPI_Type_commit(&type);
	if (rank == 0)
		MPI_Send(MPI_BOTTOM, 1, type, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(MPI_BOTTOM, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&type);
}

static void freed(void)
{
	char *volatile p = malloc(40);

	memset(p, 0, 40);
	free(p); /* freed free */
	if (rank == 0)
		MPI_Send(p, 40, MPI_BYTE, 1, 0, MPI_COMM_WORLD); /* freed call */
	else
		take_any();
}

static void freed_recv(void)
{
	char *volatile p = malloc(40);

	free(p); /* freed-recv free */
	if (rank == 0)
		MPI_Send("abc", 4, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(p + 8, 4, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* freed-recv call */
}

static void reallocated(void)
{
	char *volatile p = malloc(40), *volatile q;

	memset(p, 7, 40);
	q = realloc(p, 80); /* reallocated free */
	check(q[39] == 7);
	if (rank == 0)
		MPI_Send(p, 40, MPI_BYTE, 1, 0, MPI_COMM_WORLD); /* reallocated call */
	else
		take_any();
	free(q);
}

static int table[4] = {1, 2, 3, 4}, behind_table[4] = {1, 2, 3, 4};

static void global(void)
{
	if (rank == 0)
		MPI_Send(table + 1, 5, MPI_INT, 1, 0, MPI_COMM_WORLD); /* global call */
	else
		take_any();
	sink = behind_table[0];
}

/* Right enough: each part of it is a variable. */
static void two_globals(void)
{
	int lengths[] = {4, 4};
	MPI_Aint displacements[] = {0, (char *)behind_table - (char *)table};
	MPI_Datatype types[] = {MPI_INT, MPI_INT}, both;

	MPI_Type_create_struct(2, lengths, displacements, types, &both);
	MPI_Type_commit(&both);
	if (rank == 0)
		MPI_Send(table, 1, both, 1, 0, MPI_COMM_WORLD);
	else
		take_any();
	MPI_Type_free(&both);
}

static __attribute__((noinline)) int *volatile *keep_local(void)
{
	static int *volatile kept;
	volatile int local[200] = {5};

	kept = (int *)local;
	return &kept;
}

static void dead_send(void)
{
	if (rank == 0)
		MPI_Send(*keep_local(), 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* dead-send call */
	else
		take_any();
}

const struct memory_case bounds_cases[] = {
    {"freed", freed},
    {"freed-recv", freed_recv},
    {"reallocated", reallocated},
    {"global", global},
    {"two-globals", two_globals},
    {"dead-send", dead_send},
    {"two-blocks", two_blocks},
    {"in-place", in_place},
    {"beyond-block", beyond_block},
    {"E1", e1},
    {"E2", e2},
    {"overlap", overlap},
    {"bottom", bottom},
    {0},
};
