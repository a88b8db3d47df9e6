/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives, most of them between two groups. */
#include "tests/verify/memory/cases/cases.h"

#include <stdlib.h>

/* clang-format off */
/* Collectives between two groups of one rank each; buffers are as large as has to be. */
static MPI_Comm two_groups(void)
{
	MPI_Comm inter;

	MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 0, &inter);
	return inter;
}

static void inter(void)
{
	MPI_Comm comm = two_groups();
	int root = rank == 0 ? MPI_ROOT : 0;
	int *one = calloc(1, sizeof *one), *other = calloc(1, sizeof *other);
	int *out = rank == 0 ? one : NULL, *in = rank == 0 ? NULL : one;
	MPI_Request request;

	MPI_Bcast(one, 1, MPI_INT, root, comm);
	MPI_Gather(in, rank, MPI_INT, out, 1, MPI_INT, root, comm);
	MPI_Scatter(out, 1, MPI_INT, in, rank, MPI_INT, root, comm);
	MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, root, comm);
	MPI_Allreduce(one, other, 1, MPI_INT, MPI_SUM, comm);
	MPI_Allgather(one, 1, MPI_INT, other, 1, MPI_INT, comm);
	MPI_Alltoall(one, 1, MPI_INT, other, 1, MPI_INT, comm);
	MPI_Reduce_scatter_block(one, other, 1, MPI_INT, MPI_SUM, comm);
	MPI_Ibcast(one, 1, MPI_INT, root, comm, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	free(one);
	free(other);
	MPI_Comm_free(&comm);
}

static void inter_short(void)
{
	MPI_Comm comm = two_groups();
	int many[2];
	int *one = malloc(sizeof *one);

	*one = rank;
	MPI_Gather(rank == 1 ? one : NULL, 2, MPI_INT, many, 2, MPI_INT, rank == 0 ? MPI_ROOT : 0, comm); /* inter-short call */
	free(one);
	MPI_Comm_free(&comm);
}

static void inter_root(void)
{
	MPI_Comm comm = two_groups();
	MPI_Request request;
	static int b[2];

	MPI_Ibcast(b, 2, MPI_INT, rank == 0 ? MPI_ROOT : 0, comm, &request); /* inter-root post */
	if (rank == 0)
		b[1] = 7; /* inter-root access */
	MPI_Wait(&request, MPI_STATUS_IGNORE); /* inter-root wait */
	MPI_Comm_free(&comm);
}

static void inter_early(void)
{
	MPI_Comm comm = two_groups();
	MPI_Request request;
	static int b[2];

	MPI_Ibcast(b, 2, MPI_INT, rank == 0 ? MPI_ROOT : 0, comm, &request); /* inter-early post */
	if (rank == 1)
		b[1] = 7; /* inter-early access */
	MPI_Wait(&request, MPI_STATUS_IGNORE); /* inter-early wait */
	MPI_Comm_free(&comm);
}

static void e24(void)
{
	int data[10] = {0};

	if (rank == 0)
		MPI_Bcast(data, 10, MPI_INT, 0, MPI_COMM_WORLD); /* E24 root */
	else
		MPI_Bcast(data, 8, MPI_INT, 0, MPI_COMM_WORLD); /* E24 call */
}

const struct memory_case groups_cases[] = {
    {"E24", e24},
    {"inter", inter},
    {"inter-short", inter_short},
    {"inter-early", inter_early},
    {"inter-root", inter_root},
    {0},
};
