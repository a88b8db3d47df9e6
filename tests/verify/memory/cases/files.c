/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers of accesses to files. */
#include "tests/verify/memory/cases/cases.h"

/* clang-format off */
static void file_write(void)
{
	volatile int b[2] = {1, 2};
	MPI_Request q;
	MPI_File file;

	if (rank == 1)
		return;
	MPI_File_open(MPI_COMM_SELF, "memory.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
	MPI_File_iwrite(file, (void *)b, 2, MPI_INT, &q); /* file-write post */
	sink = b[0];			   /* right */
	b[1] = 17;			   /* file-write access */
	MPI_Wait(&q, MPI_STATUS_IGNORE); /* file-write wait */
	MPI_File_close(&file);
}

static void file_read(int is_read)
{
	volatile int b[2] = {1, 2};
	MPI_Request q;
	MPI_File file;

	if (rank == 1)
		return;
	MPI_File_open(MPI_COMM_SELF, "memory.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
	MPI_File_write(file, (void *)b, 2, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_seek(file, 0, MPI_SEEK_SET);
	MPI_File_iread(file, (void *)b, 2, MPI_INT, &q); /* file-read post */
	if (is_read)
		sink = b[0]; /* file-read read */
	else
		b[1] = 17; /* file-read access */
	MPI_Wait(&q, MPI_STATUS_IGNORE); /* file-read wait */
	MPI_File_close(&file);
}

static void file_read_write(void)
{
	file_read(0);
}

static void file_read_read(void)
{
	file_read(1);
}

/* A split collective access: its buffer is MPI's until the second half. */
static void split_access(int is_write, int is_early)
{
	MPI_File file;
	MPI_Status status;
	static int b[2], sum;

	MPI_File_open(MPI_COMM_WORLD, "memory.split", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
		      MPI_INFO_NULL, &file);
	b[0] = b[1] = rank + 1;
	MPI_File_write_at_all(file, 8 * rank, b, 2, MPI_INT, MPI_STATUS_IGNORE);
	b[0] = b[1] = 0;
	if (is_write)
		MPI_File_write_at_all_begin(file, 8 * rank, b, 2, MPI_INT); /* split-write post */
	else
		MPI_File_read_at_all_begin(file, 8 * rank, b, 2, MPI_INT); /* split-read post */
	if (is_early && rank == 0)
		b[1] = 7; /* split access */
	if (is_write)
		MPI_File_write_at_all_end(file, b, &status); /* split-write wait */
	else
		MPI_File_read_at_all_end(file, b, &status); /* split-read wait */
	sum += b[1];
	if (!is_write && b[0] != rank + 1)
		MPI_Abort(MPI_COMM_WORLD, 4);
	b[0] = sum;
	MPI_File_close(&file);
}

static void split_read(void)
{
	split_access(0, 1);
}

static void split_write(void)
{
	split_access(1, 1);
}

static void split(void)
{
	split_access(0, 0);
	split_access(1, 0);
}

const struct memory_case files_cases[] = {
    {"file-write", file_write},
    {"file-read", file_read_write},
    {"file-read-read", file_read_read},
    {"split", split},
    {"split-read", split_read},
    {"split-write", split_write},
    {0},
};
