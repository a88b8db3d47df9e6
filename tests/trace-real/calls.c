/* SPDX-License-Identifier: BSD-3-Clause */
/* What a recorder has to get right: wildcards, any and some, requests that share a handle, moved
 * handles, persistent ones, communicators, datatypes, topologies. For 3 ranks or more. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define N 40

static void wildcards(int rank, int n)
{
	for (int i = 1; i < n; i++) {
		MPI_Status status;
		int x = rank;

		if (rank == 0)
			MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
				 &status);
		else if (i == rank)
			MPI_Send(&x, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
	}
}

/* Small sends end at once: many of them have one handle. Half of the handles are moved. */
static void many(int rank, int n)
{
	MPI_Request requests[2 * N], moved;
	int x[2 * N], index, n_done, indices[N], to = (rank + 1) % n, from = (rank + n - 1) % n;

	for (int i = 0; i < N; i++) {
		MPI_Isend(&x[i], 1, MPI_INT, to, i, MPI_COMM_WORLD, &moved);
		requests[i] = moved;
		MPI_Irecv(&x[N + i], 1, MPI_INT, i % 2 ? from : MPI_ANY_SOURCE, i, MPI_COMM_WORLD,
			  &requests[N + i]);
	}
	MPI_Waitany(2 * N, requests, &index, MPI_STATUS_IGNORE);
	MPI_Waitsome(N, requests, &n_done, indices, MPI_STATUSES_IGNORE);
	MPI_Waitall(2 * N, requests, MPI_STATUSES_IGNORE);
}

static void persistent(int rank, int n)
{
	MPI_Request pair[2];
	double x[2] = {0, 0};

	MPI_Send_init(&x[0], 1, MPI_DOUBLE, (rank + 1) % n, 0, MPI_COMM_WORLD, &pair[0]);
	MPI_Recv_init(&x[1], 1, MPI_DOUBLE, (rank + n - 1) % n, 0, MPI_COMM_WORLD, &pair[1]);
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, pair);
		MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
		MPI_Start(&pair[0]);
		MPI_Start(&pair[1]);
		MPI_Wait(&pair[1], MPI_STATUS_IGNORE);
		MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&pair[0]);
	MPI_Request_free(&pair[1]);
}

static void line(int n)
{
	int left, right, dims = n, period = 0;
	double halo[8] = {0};
	MPI_Datatype column;
	MPI_Comm ring, half;

	MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &period, 0, &ring);
	MPI_Cart_shift(ring, 0, 1, &left, &right);
	MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	MPI_Sendrecv(halo, 1, column, right, 0, halo + 4, 1, column, left, MPI_ANY_TAG, ring,
		     MPI_STATUS_IGNORE); /* the ends have MPI_PROC_NULL */
	MPI_Type_free(&column);
	MPI_Comm_split(MPI_COMM_WORLD, left == MPI_PROC_NULL ? MPI_UNDEFINED : 7, 0, &half);
	if (half != MPI_COMM_NULL) {
		MPI_Allreduce(MPI_IN_PLACE, halo, 4, MPI_DOUBLE, MPI_MAX, half);
		MPI_Comm_free(&half);
	}
	MPI_Comm_free(&ring);
}

int main(int argc, char **argv)
{
	int rank, n;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	if (MPI_Wtick() > 1 ||
	    MPI_Aint_diff(MPI_Aint_add(8, 8), 8) != 8) /* no calls as far as traces go */
		MPI_Abort(MPI_COMM_WORLD, 1);
	wildcards(rank, n);
	MPI_Barrier(MPI_COMM_WORLD);
	many(rank, n);
	MPI_Barrier(MPI_COMM_WORLD);
	persistent(rank, n);
	line(n);
	if (argc > 1 && strcmp(argv[1], "die") == 0 && rank == n - 1)
		raise(SIGKILL);
	MPI_Finalize();
	return 0;
}
