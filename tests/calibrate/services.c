/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided messages, spawned processes and files: prints how long each of several uses takes. Its
 * argument is a directory; without one it is one of the spawned processes. */
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>
#include <mpisim.h>

enum { N_PUTS = 300, BLOCK_B = 1 << 20, N_BLOCKS = 3, N_OPENS = 20 };

static int rank, n_ranks;
static char *data; /* [N_BLOCKS * BLOCK_B] */

static void say(const char *what, double begin)
{
	double mine = MPI_Wtime() - begin, all;

	MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%s: %.9g\n", what, all);
}

static double together(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Wtime();
}

/* Rank 0 puts to rank 1, which computes or waits. */
static void put(const char *what, double compute_s, int size_B)
{
	MPI_Win window;
	double begin;
	char *memory;

	MPI_Win_allocate(BLOCK_B, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
	MPI_Win_lock_all(0, window);
	begin = together();
	if (rank == 1)
		mpisim_add_compute_time(compute_s);
	if (rank == 0) {
		for (int k = 0; k < N_PUTS; k++)
			MPI_Put(data, size_B, MPI_BYTE, 1, 0, size_B, MPI_BYTE, window);
		MPI_Win_flush(1, window);
	}
	MPI_Win_unlock_all(window);
	MPI_Barrier(MPI_COMM_WORLD);
	say(what, begin);
	MPI_Win_free(&window);
}

static void spawn(const char *program, int n)
{
	MPI_Comm children;
	double begin = together();

	MPI_Comm_spawn(program, MPI_ARGV_NULL, n, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
		       MPI_ERRCODES_IGNORE);
	MPI_Comm_disconnect(&children);
	say(n == 1 ? "spawn 1" : "spawn more", begin);
}

static MPI_File open_file(const char *directory, const char *name, int number, MPI_Comm comm)
{
	MPI_File file;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.%d", directory, name, number);
	if (MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
			  MPI_INFO_NULL, &file) != MPI_SUCCESS)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return file;
}

/* Ranks below n_writers write, then read what their neighbours wrote, in one file. */
static void share_file(const char *directory, int n_writers)
{
	MPI_File file = open_file(directory, "shared", 0, MPI_COMM_WORLD);
	int size_B = N_BLOCKS * BLOCK_B;
	double begin = together();

	if (rank < n_writers)
		MPI_File_write_at(file, (MPI_Offset)rank * size_B, data, size_B, MPI_BYTE,
				  MPI_STATUS_IGNORE);
	say(n_writers == 1 ? "one writes" : "all write", begin);
	begin = together();
	if (rank < n_writers)
		MPI_File_read_at(file, (MPI_Offset)((rank + 1) % n_writers) * size_B, data, size_B,
				 MPI_BYTE, MPI_STATUS_IGNORE);
	say(n_writers == 1 ? "one reads" : "all read", begin);
	begin = together();
	MPI_File_read_at(file, 0, data, BLOCK_B / 16, MPI_BYTE, MPI_STATUS_IGNORE);
	say("all read one place", begin);
	MPI_File_close(&file);
}

static void own_files(const char *directory)
{
	MPI_File file = open_file(directory, "own", rank, MPI_COMM_SELF);
	double begin = together();

	MPI_File_write_at(file, 0, data, N_BLOCKS * BLOCK_B, MPI_BYTE, MPI_STATUS_IGNORE);
	say("files of their own", begin);
	begin = together();
	for (int k = 0; k < N_OPENS; k++) {
		MPI_Offset size;

		MPI_File_get_size(file, &size);
	}
	say("metadata", begin);
	MPI_File_close(&file);
}

int main(int argc, char **argv)
{
	MPI_Comm parent;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL) {
		MPI_Comm_disconnect(&parent);
		MPI_Finalize();
		return 0;
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	data = calloc(N_BLOCKS, BLOCK_B);
	put("puts while it computes", 0.01, 1);
	put("puts while it waits", 0, 1);
	put("larger puts", 0, 4096);
	spawn(argv[0], 1);
	spawn(argv[0], 2 * n_ranks + 1);
	share_file(argv[1], 1);
	share_file(argv[1], n_ranks);
	own_files(argv[1]);
	free(data);
	MPI_Finalize();
	return 0;
}
