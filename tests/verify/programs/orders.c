/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program for each rank in a few letters: orders RANK0 RANK1 …
 *
 *   S1 SS1 IS1   send to 1: standard, synchronous, nonblocking       R1 R*  receive     IR1 IR*  nonblocking
 *   W            wait for all that is under way                     w      MPI_Waitany
 *   B Bd Bs      barrier: of all; of a duplicate; of ranks 1, 2     C0     broadcast from rank 0
 *   D0           broadcast from rank 0 on the duplicate             X12    MPI_Sendrecv to 1, from 2
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REQUESTS = 16 };

static int rank, values[2 * MAX_REQUESTS], n_values;
static MPI_Request requests[MAX_REQUESTS];
static int n_requests;
static MPI_Comm dup_comm, sub_comm;

static int peer_of(const char *text)
{
	return *text == '*' ? MPI_ANY_SOURCE : atoi(text);
}

static void communicate(const char *word)
{
	int *value = &values[n_values++];

	if (strncmp(word, "IS", 2) == 0)
		MPI_Isend(value, 1, MPI_INT, peer_of(word + 2), 0, MPI_COMM_WORLD, &requests[n_requests++]);
	else if (strncmp(word, "IR", 2) == 0)
		MPI_Irecv(value, 1, MPI_INT, peer_of(word + 2), 0, MPI_COMM_WORLD, &requests[n_requests++]);
	else if (strncmp(word, "SS", 2) == 0)
		MPI_Ssend(value, 1, MPI_INT, peer_of(word + 2), 0, MPI_COMM_WORLD);
	else if (*word == 'S')
		MPI_Send(value, 1, MPI_INT, peer_of(word + 1), 0, MPI_COMM_WORLD);
	else if (*word == 'R')
		MPI_Recv(value, 1, MPI_INT, peer_of(word + 1), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else if (*word == 'X')
		MPI_Sendrecv(value, 1, MPI_INT, word[1] - '0', 0, &values[n_values++], 1, MPI_INT, word[2] - '0', 0, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
	else
		MPI_Bcast(value, 1, MPI_INT, peer_of(word + 1), *word == 'D' ? dup_comm : MPI_COMM_WORLD);
}

static void synchronize(const char *word)
{
	int index;

	if (*word == 'W') {
		MPI_Waitall(n_requests, requests, MPI_STATUSES_IGNORE);
		n_requests = 0;
	} else if (*word == 'w') {
		MPI_Waitany(n_requests, requests, &index, MPI_STATUS_IGNORE);
	} else {
		MPI_Barrier(word[1] == 'd' ? dup_comm : word[1] == 's' ? sub_comm : MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	char *rest, *word;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &dup_comm);
	MPI_Comm_split(MPI_COMM_WORLD, rank == 1 || rank == 2, rank, &sub_comm);
	for (word = strtok_r(argv[1 + rank], " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (strchr("WwB", *word))
			synchronize(word);
		else
			communicate(word);
	MPI_Comm_free(&dup_comm);
	MPI_Comm_free(&sub_comm);
	MPI_Finalize();
	return 0;
}
