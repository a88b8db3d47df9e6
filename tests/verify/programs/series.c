// SPDX-License-Identifier: BSD-3-Clause
/* Messages that are a collective by hand, and some that only look so. series NAME, 4 ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 14, TAG = 3 };

static int rank, n_ranks, data[8 * N], own[N];
static const MPI_Comm world = MPI_COMM_WORLD;

static void fill(int *values, int n, int from)
{
	for (int i = 0; i < n; i++)
		values[i] = from + i;
}

static void receive(int *values, int source)
{
	MPI_Recv(values, N, MPI_INT, source, TAG, world, MPI_STATUS_IGNORE);
}

/* What a rank has got. */
static void say(const int *values, int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++)
		sum += (long)values[i] * (i % 7 + 1);
	printf("%d: %ld\n", rank, sum);
}

static void bcast(void)
{
	for (int k = 0; k < 3; k++) {
		fill(own, N, rank == 0 ? k : 0);
		for (int i = 1; i < n_ranks && rank == 0; i++)
			MPI_Send(own, N, MPI_INT, i, TAG, world);
		if (rank > 0)
			receive(own, 0);
		say(own, N);
	}
}

/* Nonblocking, from another root, to the ranks of a half, among other messages with the tag. */
static void bcast_nonblocking(void)
{
	MPI_Request requests[8];
	MPI_Comm most;
	int n = 0, size;

	MPI_Comm_split(world, rank == 0 ? MPI_UNDEFINED : 0, -rank, &most);
	if (rank == 0)
		MPI_Send(own, 1, MPI_INT, 1, TAG, world);
	if (rank == 1)
		receive(own, 0);
	if (rank == 0)
		return;
	MPI_Comm_size(most, &size);
	fill(own, N, rank == 2 ? 5 : 0);
	for (int i = 0; i < size && rank == 2; i++)
		if (i != 1)
			MPI_Isend(own, N, MPI_INT, i, TAG, most, &requests[n++]);
	MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
	if (rank != 2)
		MPI_Recv(own, N, MPI_INT, 1, TAG, most, MPI_STATUS_IGNORE);
	say(own, N);
	MPI_Comm_free(&most);
}

static void scatter(void)
{
	fill(data, n_ranks * N, 0);
	for (int i = 1; i < n_ranks && rank == 0; i++)
		MPI_Ssend(&data[i * N], N, MPI_INT, i, TAG, world);
	if (rank > 0)
		receive(own, 0);
	say(own, N);
}

static void gather(void)
{
	MPI_Status status;

	fill(own, N, rank);
	for (int i = 1; i < n_ranks && rank == 0; i++) {
		MPI_Recv(&data[i * N], N, MPI_INT, i, TAG, world, &status);
		data[i * N] += status.MPI_SOURCE;
	}
	if (rank == 1)
		MPI_Send(own, N, MPI_INT, 0, TAG, world);
	else if (rank > 0)
		MPI_Ssend(own, N, MPI_INT, 0, TAG, world);
	say(data, n_ranks * N);
}

/* --- these are none --- */

static void other_data(void)
{
	for (int i = 1; i < n_ranks && rank == 0; i++) {
		fill(own, N, i);
		MPI_Send(own, N, MPI_INT, i, TAG, world);
	}
	if (rank > 0)
		receive(own, 0);
	say(own, N);
}

static void not_all(void)
{
	for (int i = 1; i < n_ranks - 1 && rank == 0; i++)
		MPI_Send(own, N, MPI_INT, i, TAG, world);
	if (rank > 0 && rank < n_ranks - 1)
		receive(own, 0);
}

static void other_size(void)
{
	for (int i = 1; i < n_ranks && rank == 0; i++)
		MPI_Send(own, N - i, MPI_INT, i, TAG, world);
	if (rank > 0)
		receive(own, 0);
}

static void answered(void)
{
	for (int i = 1; i < n_ranks && rank == 0; i++) {
		MPI_Send(own, N, MPI_INT, i, TAG, world);
		MPI_Recv(own, N, MPI_INT, i, TAG + 1, world, MPI_STATUS_IGNORE);
	}
	if (rank > 0) {
		receive(own, 0);
		MPI_Send(own, N, MPI_INT, 0, TAG + 1, world);
	}
}

static void from_any(void)
{
	for (int i = 1; i < n_ranks && rank == 0; i++)
		MPI_Send(own, N, MPI_INT, i, TAG, world);
	if (rank > 0)
		receive(own, MPI_ANY_SOURCE);
}

static void each_to_all(void)
{
	MPI_Request requests[8];
	int n = 0;

	for (int i = 0; i < n_ranks; i++)
		if (i != rank)
			MPI_Isend(own, N, MPI_INT, i, TAG, world, &requests[n++]);
	for (int i = 0; i < n_ranks; i++)
		if (i != rank)
			receive(&data[i * N], i);
	MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

/* Half of them are taken elsewhere. */
static void other_receives(void)
{
	MPI_Request request;

	for (int i = 1; i < n_ranks && rank == 0; i++)
		MPI_Send(own, N, MPI_INT, i, TAG, world);
	if (rank == 1) {
		MPI_Irecv(own, N, MPI_INT, 0, TAG, world, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else if (rank > 0) {
		receive(own, 0);
	}
}

/* The order of two broadcasts is not that of the ranks' receives. */
static void crossed(void)
{
	for (int tag = 0; tag < 2 && rank == 0; tag++)
		for (int i = 1; i < n_ranks; i++)
			if (tag == 0)
				MPI_Send(own, 4, MPI_INT, i, 0, world);
			else
				MPI_Send(data, 4, MPI_INT, i, 1, world);
	if (rank > 0) {
		MPI_Recv(own, 4, MPI_INT, 0, rank == 1, world, MPI_STATUS_IGNORE);
		MPI_Recv(data, 4, MPI_INT, 0, rank != 1, world, MPI_STATUS_IGNORE);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
    {"bcast", bcast},
    {"bcast_nonblocking", bcast_nonblocking},
    {"scatter", scatter},
    {"gather", gather},
    {"other_data", other_data},
    {"not_all", not_all},
    {"other_size", other_size},
    {"answered", answered},
    {"from_any", from_any},
    {"each_to_all", each_to_all},
    {"other_receives", other_receives},
    {"crossed", crossed},
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(world, &rank);
	MPI_Comm_size(world, &n_ranks);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (argc == 2 && strcmp(argv[1], cases[i].name) == 0)
			cases[i].run();
	MPI_Finalize();
	return 0;
}
