/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MPI_IO_CASES_H
#define TESTS_MPI_IO_CASES_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/mpi/cases.h"

/* What cases of files share: one file of all ranks in the folder for temporary files. */
enum { N = 8 };

static int global[N];
static char path[4096];
static MPI_File fh;
static MPI_Status status;

static inline const char *path_of(const char *name)
{
	const char *folder = getenv("TMPDIR");

	snprintf(path, sizeof path, "%s/semantics-io-%d%s", folder ? folder : "/tmp", (int)getpid(),
		 name);
	return path;
}

static inline int open_with(MPI_Comm comm, const char *name, int amode)
{
	return MPI_File_open(comm, path_of(name), amode, MPI_INFO_NULL, &fh);
}

static inline void begin(void)
{
	expect("open",
	       open_with(MPI_COMM_WORLD, "",
			 MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE),
	       MPI_SUCCESS);
	for (int i = 0; i < N; i++)
		global[i] = 10 * rank + i;
}

static inline void end(void)
{
	expect("close", MPI_File_close(&fh), MPI_SUCCESS);
}

static inline int count_of(MPI_Datatype type)
{
	int count;

	MPI_Get_count(&status, type, &count);
	return count;
}

#endif
