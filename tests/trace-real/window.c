/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided and partitioned communication; with an argument a call that traces of real runs cannot hold. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

static int rank, n_ranks;
static double *there;
static double here[N];

static void check(int holds, const char *what)
{
	if (holds)
		return;
	printf("rank %d: %s\n", rank, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void active(MPI_Win window)
{
	int next = (rank + 1) % n_ranks, before = (rank + n_ranks - 1) % n_ranks;
	MPI_Group all, sources, targets;

	for (int i = 0; i < N; i++)
		here[i] = rank;
	MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
	MPI_Put(here, N, MPI_DOUBLE, next, 0, N, MPI_DOUBLE, window);
	MPI_Put(here, N, MPI_DOUBLE, MPI_PROC_NULL, 0, N, MPI_DOUBLE, window);
	MPI_Win_fence(0, window);
	MPI_Get(here, N, MPI_DOUBLE, next, 0, N, MPI_DOUBLE, window);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
	check(there[N - 1] == before && here[0] == rank, "fences");
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, &before, &sources);
	MPI_Group_incl(all, 1, &next, &targets);
	MPI_Win_post(sources, 0, window);
	MPI_Win_start(targets, 0, window);
	MPI_Accumulate(here, N, MPI_DOUBLE, next, 0, N, MPI_DOUBLE, MPI_SUM, window);
	MPI_Win_complete(window);
	MPI_Win_wait(window);
	check(there[0] == 2 * before, "post and start");
	MPI_Group_free(&all);
	MPI_Group_free(&sources);
	MPI_Group_free(&targets);
}

static void passive(MPI_Win window)
{
	MPI_Request request;
	double one = 1, was;

	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
	MPI_Accumulate(&one, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, MPI_SUM, window);
	MPI_Win_unlock(0, window);
	MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
	MPI_Fetch_and_op(&one, &was, MPI_DOUBLE, 0, 2, MPI_SUM, window);
	MPI_Win_flush(0, window);
	MPI_Rput(here, 1, MPI_DOUBLE, rank, 3, 1, MPI_DOUBLE, window, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Win_flush_all(window);
	MPI_Win_unlock_all(window);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void partitions(void)
{
#if MPI_VERSION >= 4
	MPI_Request request;
	int flag = 0;

	if (rank > 1)
		return;
	if (rank == 0)
		MPI_Psend_init(here, 4, N / 4, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
	else
		MPI_Precv_init(here, 4, N / 4, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
	for (int i = 0; i < 3; i++) {
		MPI_Start(&request);
		for (int k = 0; k < 4 && rank == 0; k++)
			MPI_Pready(3 - k, request);
		if (rank == 1)
			MPI_Parrived(request, 2, &flag);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&request);
#endif
}

static int query(void *unused, MPI_Status *status)
{
	MPI_Status_set_elements(status, MPI_INT, 0);
	MPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

static int end(void *unused)
{
	return MPI_SUCCESS;
}

static int cancel(void *unused, int is_complete)
{
	return MPI_SUCCESS;
}

/* When it ends is the program's business, which no trace can tell. */
static void generalized(void)
{
	MPI_Request request;

	MPI_Grequest_start(query, end, cancel, NULL, &request);
	MPI_Grequest_complete(request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void file(const char *path)
{
	MPI_File file;
	MPI_Request request;

	MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
		      &file);
	MPI_File_write_at_all(file, 100 * rank, here, 8, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_iwrite_at(file, 100 * rank + 8, here, 8, MPI_BYTE, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
	MPI_File_delete("/nowhere/x", MPI_INFO_NULL); /* an error that is no end */
}

int main(int argc, char **argv)
{
	MPI_Win window;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	if (argc > 2) {
		file(argv[2]);
	} else if (argc > 1) {
		generalized();
	} else {
		MPI_Win_allocate(N * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &there, &window);
		active(window);
		passive(window);
		MPI_Win_free(&window);
		partitions();
	}
	MPI_Finalize();
	return 0;
}
