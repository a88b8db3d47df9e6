/* SPDX-License-Identifier: BSD-3-Clause */
/* The letters, and the case that is the argument. */
#include "tests/verify/orders/orders.h"

#include <stdio.h>
#include <string.h>

int rank, n_ranks, value[64];
MPI_Request requests[64];
MPI_Comm copy, pair;
static int n_sent, n_received, n_requests;
static const struct order_case *const files[] = {letters_cases, registered_cases, choices_cases};

void S(int to)
{
	int x = 100 * rank + n_sent++;

	MPI_Send(&x, 1, MPI_INT, to, 0, WORLD);
}

void SS(int to)
{
	int x = 100 * rank + n_sent++;

	MPI_Ssend(&x, 1, MPI_INT, to, 0, WORLD);
}

void R(int from)
{
	MPI_Recv(&value[n_received++], 1, MPI_INT, from, 0, WORLD, MPI_STATUS_IGNORE);
}

void IS(int to)
{
	static int x[64];

	x[n_sent] = 100 * rank + n_sent;
	MPI_Isend(&x[n_sent++], 1, MPI_INT, to, 0, WORLD, &requests[n_requests++]);
}

void IR(int from)
{
	MPI_Irecv(&value[n_received++], 1, MPI_INT, from, 0, WORLD, &requests[n_requests++]);
}

void W(void)
{
	MPI_Waitall(n_requests, requests, MPI_STATUSES_IGNORE);
	n_requests = 0;
}

void wait_any(void)
{
	int i;

	MPI_Waitany(n_requests, requests, &i, MPI_STATUS_IGNORE);
}

void B(MPI_Comm comm)
{
	MPI_Barrier(comm);
}

void BC(MPI_Comm comm)
{
	int x = 1;

	MPI_Bcast(&x, 1, MPI_INT, 0, comm);
}

static void make_pair(void)
{
	MPI_Comm_split(WORLD, rank == 1 || rank == 2 ? 1 : MPI_UNDEFINED, rank, &pair);
}

static const struct order_case *find(const char *name)
{
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
		for (const struct order_case *one = files[i]; one->name; one++)
			if (strcmp(one->name, name) == 0)
				return one;
	return NULL;
}

int main(int argc, char **argv)
{
	const struct order_case *found;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &n_ranks);
	MPI_Comm_dup(WORLD, &copy);
	make_pair();
	found = argc == 2 ? find(argv[1]) : NULL;
	if (found) {
		found->run();
		if (pair != MPI_COMM_NULL)
			MPI_Comm_free(&pair);
		MPI_Comm_free(&copy);
		MPI_Finalize();
		return 0;
	}
	fprintf(stderr, "orders: wanted a case, found \"%s\"\n", argc > 1 ? argv[1] : "");
	return 2;
}
