/* SPDX-License-Identifier: BSD-3-Clause */
/* All forms of access to files, in a course that does not depend on time (tests/replay/functions.py). */
#include <mpi.h>
#include <mpisim.h>
#include <stdlib.h>

enum { N = 1000, BLOCK = 250 };

static int rank, n_ranks;
static char buf[4 * N];

static MPI_File open_file(const char *name)
{
	MPI_File fh;

	if (MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &fh))
		exit(3);
	return fh;
}

/* Blocks of the ranks in turn: bytes at equal distances. */
static void in_turn(MPI_File fh)
{
	MPI_Datatype block, blocks;

	MPI_Type_vector(1, BLOCK, 1, MPI_CHAR, &block);
	MPI_Type_create_resized(block, 0, (MPI_Aint)n_ranks * BLOCK, &blocks);
	MPI_Type_free(&block);
	MPI_Type_commit(&blocks);
	MPI_File_set_view(fh, (MPI_Offset)rank * BLOCK, MPI_CHAR, blocks, "native", MPI_INFO_NULL);
	MPI_File_write_all(fh, buf, 4 * N, MPI_CHAR, MPI_STATUS_IGNORE);
	MPI_File_seek(fh, 0, MPI_SEEK_SET);
	MPI_File_read(fh, buf, 3 * N, MPI_CHAR, MPI_STATUS_IGNORE);
	MPI_File_set_view(fh, 0, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL);
	MPI_Type_free(&blocks);
}

static void while_it_computes(MPI_File fh)
{
	MPI_Request requests[2];

	MPI_File_iwrite_at(fh, (MPI_Offset)rank * N, buf, N, MPI_CHAR, &requests[0]);
	MPI_File_iread_at_all(fh, 0, buf + N, N, MPI_CHAR, &requests[1]);
	mpisim_add_compute_time(1e-3);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	MPI_File_write_at_all_begin(fh, 0, buf, N, MPI_CHAR);
	mpisim_add_compute_time(1e-3);
	MPI_File_write_at_all_end(fh, buf, MPI_STATUS_IGNORE);
	MPI_File_write_ordered(fh, buf, N + rank, MPI_CHAR, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	MPI_File fh, other;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	if (MPI_File_open(MPI_COMM_WORLD, "there is none", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh) == MPI_SUCCESS)
		return 3;
	fh = open_file("data");
	other = open_file("other");
	in_turn(fh);
	while_it_computes(other);
	MPI_File_set_size(fh, 100);
	MPI_File_read_at(fh, 0, buf, N, MPI_CHAR, MPI_STATUS_IGNORE); /* 100 of them */
	MPI_File_sync(other);
	MPI_File_close(&fh);
	MPI_File_close(&other);
	if (rank == 0)
		MPI_File_delete("data", MPI_INFO_NULL);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
