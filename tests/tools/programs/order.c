/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks 0 and 1 do not agree about their collectives; argv[1] says how. */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>
#include <string.h>

static int rank, data[4], sums[4];

static void kind(void)
{
	if (rank == 0)
		MPI_Allreduce(data, sums, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	else
		MPI_Allgather(data, 1, MPI_INT, sums, 1, MPI_INT, MPI_COMM_WORLD);
}

static void form(void)
{
	MPI_Request request;

	if (rank == 0) {
		MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD);
	} else {
		MPI_Ibcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
}

static void root(void)
{
	MPI_Gather(data, 1, MPI_INT, sums, 1, MPI_INT, rank, MPI_COMM_WORLD);
}

static void op(void)
{
	MPI_Allreduce(data, sums, 1, MPI_INT, rank == 0 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
}

static void constructor(void)
{
	MPI_Comm made;

	if (rank == 0)
		MPI_Comm_dup(MPI_COMM_WORLD, &made);
	else
		MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &made);
}

/* Rank 1 makes a communicator where rank 0 has a barrier, and has it afterwards. */
static void swapped(void)
{
	MPI_Comm made;

	if (rank == 0)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Comm_dup(MPI_COMM_WORLD, &made);
	if (rank == 1)
		MPI_Barrier(MPI_COMM_WORLD);
}

static void between_groups(void)
{
	MPI_Comm self, both;

	MPI_Comm_dup(MPI_COMM_SELF, &self);
	MPI_Intercomm_create(self, 0, MPI_COMM_WORLD, 1 - rank, 7, &both);
	if (rank == 0)
		MPI_Barrier(both);
	else
		MPI_Allgather(data, 1, MPI_INT, sums, 1, MPI_INT, both);
}

static void missing(void)
{
	if (rank == 1)
		MPI_Gather(data, 1, MPI_INT, sums, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void twins(void)
{
	if (rank == 0)
		MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD);
	else
		MPI_Bcast_c(data, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

/* Rank 0 is a hundred operations ahead, on two communicators. */
static void ahead(void)
{
	MPI_Comm other;

	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	if (rank == 1)
		MPI_Recv(data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < 100; i++) {
		MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD);
		MPI_Bcast(data, 1, MPI_INT, 0, other);
	}
	if (rank == 0)
		MPI_Send(data, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	MPI_Comm_free(&other);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"kind", kind},
		     {"form", form},
		     {"root", root},
		     {"op", op},
		     {"constructor", constructor},
		     {"swapped", swapped},
		     {"between_groups", between_groups},
		     {"missing", missing},
		     {"twins", twins},
		     {"ahead", ahead}};

	MPI_Init(&argc, &argv);
	mpisim_add_compute_time(0); /* it computes nothing, and says so */
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
			cases[i].run();
	MPI_Finalize();
	return 0;
}
