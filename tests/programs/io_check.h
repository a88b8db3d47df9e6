/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PROGRAMS_IO_CHECK_H
#define TESTS_PROGRAMS_IO_CHECK_H

#include "check.h"

/* What the programs about files share: every run has a folder of its own, $TMPDIR. */

/* The class of what a function returned; a file's errors return. */
static inline int class_of(int code)
{
	int error_class;

	MPI_Error_class(code, &error_class);
	return error_class;
}

static inline const char *path_of(const char *name)
{
	static char path[4096];
	const char *folder = getenv("TMPDIR");

	snprintf(path, sizeof path, "%s/mpi-io-%s", folder ? folder : ".", name);
	return path;
}

static inline MPI_File open_file(const char *name, int amode)
{
	MPI_File fh = MPI_FILE_NULL;

	CHECK_INT(MPI_File_open(MPI_COMM_WORLD, path_of(name), amode, MPI_INFO_NULL, &fh), MPI_SUCCESS);
	return fh;
}

/* A new, empty file. */
static inline MPI_File open_new(const char *name, int amode)
{
	MPI_File fh = open_file(name, MPI_MODE_CREATE | amode);

	CHECK_INT(MPI_File_set_size(fh, 0), MPI_SUCCESS);
	return fh;
}

static inline void close_and_delete(MPI_File *fh, const char *name)
{
	CHECK_INT(MPI_File_close(fh), MPI_SUCCESS);
	CHECK(*fh == MPI_FILE_NULL);
	if (me == 0)
		CHECK_INT(MPI_File_delete(path_of(name), MPI_INFO_NULL), MPI_SUCCESS);
	MPI_Barrier(MPI_COMM_WORLD);
}

static inline int count_of(const MPI_Status *status, MPI_Datatype type)
{
	int count;

	MPI_Get_count(status, type, &count);
	return count;
}

/* Everybody sees what all have written: the standard's sync, barrier, sync. */
static inline void settle(MPI_File fh)
{
	MPI_File_sync(fh);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_sync(fh);
}

static inline int size_of_file(MPI_File fh)
{
	MPI_Offset size = -1;

	MPI_File_get_size(fh, &size);
	return (int)size;
}

#endif
