/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_File_open, MPI_File_close, MPI_File_delete. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/info/info.h"
#include "mpi/io/effects.h"
#include "mpi/io/wait.h"

#define ACCESS_MODES (MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY)
#define ALL_MODES                                                                      \
	(ACCESS_MODES | MPI_MODE_APPEND | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | \
	 MPI_MODE_EXCL | MPI_MODE_SEQUENTIAL | MPI_MODE_UNIQUE_OPEN)
#define DEFAULT_PERMISSIONS 0666

/* What is wrong with an access mode; NULL: nothing. */
static const char *amode_problem(int amode)
{
	int access = amode & ACCESS_MODES;

	if (amode & ~ALL_MODES)
		return "has bits that no MPI_MODE_ of files has";
	if (access != MPI_MODE_RDONLY && access != MPI_MODE_RDWR && access != MPI_MODE_WRONLY)
		return "needs one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY";
	if (access == MPI_MODE_RDONLY && amode & (MPI_MODE_CREATE | MPI_MODE_EXCL))
		return "combines MPI_MODE_RDONLY with MPI_MODE_CREATE or MPI_MODE_EXCL";
	if (access == MPI_MODE_RDWR && amode & MPI_MODE_SEQUENTIAL)
		return "combines MPI_MODE_RDWR with MPI_MODE_SEQUENTIAL";
	return NULL;
}

struct opening {
	const char *filename;
	int amode;
};

static int check(struct mpi_rank *me, const char *filename, int amode)
{
	const char *problem = amode_problem(amode);

	if (!filename[0])
		return io_raise_null(me, MPI_ERR_BAD_FILE, "filename is empty");
	if (problem)
		return io_raise_null(me, MPI_ERR_AMODE, "amode %d %s", amode, problem);
	return MPI_SUCCESS;
}

static int flags_of(int amode)
{
	int flags = O_CLOEXEC;

	flags |= amode & MPI_MODE_RDWR ? O_RDWR : amode & MPI_MODE_WRONLY ? O_WRONLY : O_RDONLY;
	if (amode & MPI_MODE_CREATE)
		flags |= O_CREAT;
	if (amode & MPI_MODE_EXCL)
		flags |= O_EXCL;
	return flags;
}

static int number_of(const struct mpi_file *file, const char *key)
{
	const char *value = mpi_info_value(file->info, key);
	long number = value ? strtol(value, NULL, 10) : 0;

	return number > 0 && number <= INT32_MAX ? (int)number : 0;
}

/* Rank 0's part of the opening: an error class. */
static int open_file(struct mpi_rank *me, struct mpi_file *file, const struct opening *what)
{
	struct io_shared *shared = file->shared;
	const char *permissions = mpi_info_value(file->info, "file_perm");
	int n_servers = number_of(file, "striping_factor"),
	    stripe_B = number_of(file, "striping_unit");
	long mode = permissions ? strtol(permissions, NULL, 8) : DEFAULT_PERMISSIONS;

	io_wait_metadata(me, 1);
	shared->path = strdup(what->filename);
	if (!shared->path)
		return MPI_ERR_NO_MEM;
	io_tell_stripes(me, file, what->filename, n_servers, stripe_B);
	shared->stripes =
	    net_storage_stripes(me->world->pd->cluster, what->filename, n_servers, stripe_B);
	shared->fd = open(what->filename, flags_of(what->amode),
			  (mode_t)(mode > 0 && mode <= 07777 ? mode : DEFAULT_PERMISSIONS));
	if (shared->fd < 0)
		return io_error_class(errno);
	shared->found = realpath(what->filename, NULL);
	return shared->found ? MPI_SUCCESS : io_error_class(errno);
}

/* A directory can be opened for reading, as a file it cannot be read. */
static int check_kind(const struct io_shared *shared, int64_t *size_B)
{
	struct stat status;

	if (fstat(shared->fd, &status) < 0)
		return io_error_class(errno);
	*size_B = status.st_size;
	return S_ISDIR(status.st_mode) ? MPI_ERR_BAD_FILE : MPI_SUCCESS;
}

/* Both pointers begin at the file's end with MPI_MODE_APPEND. */
static int open_together(struct mpi_rank *me, struct mpi_file *file, const struct opening *what)
{
	int64_t size_B = 0;
	int outcome = MPI_SUCCESS, code = io_agree(me, file, what->amode);

	if (code != MPI_SUCCESS)
		return code;
	if (file->comm->rank == 0)
		outcome = open_file(me, file, what);
	if (outcome == MPI_SUCCESS && file->comm->rank == 0)
		outcome = check_kind(file->shared, &size_B);
	if (file->comm->rank == 0 && what->amode & MPI_MODE_APPEND)
		file->shared->pointer = file->shared->opened_at = size_B;
	code = io_from_first(me, file, &outcome);
	if (code == MPI_SUCCESS)
		code = outcome;
	file->pointer = file->shared->opened_at; /* others may have written since */
	return code;
}

/* MPI_SUCCESS with a handle, or an error class that is yet to be raised. */
static int make_handle(struct mpi_rank *me, struct mpi_file *file, const struct opening *what,
		       const struct mpi_info *info)
{
	int code = io_hints_set(file, info);

	if (code == MPI_SUCCESS)
		code = open_together(me, file, what);
	if (code != MPI_SUCCESS)
		return code;
	file->handle = (MPI_File)mpi_handle_create(me, KIND_FILE, file);
	return file->handle ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int mpi_file_open(struct mpi_rank *me, struct mpi_comm *comm, const char *filename, int amode,
		  struct mpi_info *info, MPI_File *fh)
{
	const struct opening what = {.filename = filename, .amode = amode};
	struct mpi_file *file;
	int code = check(me, filename, amode);

	if (code != MPI_SUCCESS)
		return code;
	*fh = MPI_FILE_NULL;
	code = io_file_create(me, comm, amode, &file);
	if (code != MPI_SUCCESS)
		return io_raise_null(me, code, "the file could not be made%s",
				     code == MPI_ERR_NO_MEM ? ": out of memory" : "");
	code = make_handle(me, file, &what, info);
	if (code != MPI_SUCCESS) {
		io_file_destroy(me, file);
		return io_raise_null(me, code, "%.200s cannot be opened%s", filename,
				     code == MPI_ERR_NOT_SAME ? ": amode differs between ranks"
							      : "");
	}
	*fh = file->handle;
	return MPI_SUCCESS;
}

/* When all have come the first one closes it for all. */
static int close_together(struct mpi_rank *me, struct mpi_file *file)
{
	struct io_shared *shared = file->shared;
	bool is_deleted = file->amode & MPI_MODE_DELETE_ON_CLOSE;
	int code = io_agree(me, file, 0);

	if (code != MPI_SUCCESS)
		return code;
	if (io_is_first(file)) {
		if (is_deleted && unlink(shared->found) < 0)
			code = io_error_class(errno);
		if (close(shared->fd) < 0 && code == MPI_SUCCESS)
			code = io_error_class(errno);
		shared->fd = -1;
	}
	if (is_deleted && file->comm->rank == 0)
		io_wait_metadata(me, 1);
	return code;
}

int mpi_file_close(struct mpi_rank *me, struct mpi_file *file, MPI_File *place)
{
	int code;

	if (file->split.is_active || file->n_pending > 0)
		return io_raise(me, file, MPI_ERR_REQUEST, "accesses to the file are under way");
	code = close_together(me, file);
	if (code != MPI_SUCCESS)
		code = io_raise(me, file, code, "%.200s could not be closed", file->shared->path);
	io_file_destroy(me, file);
	*place = MPI_FILE_NULL;
	return code;
}

int mpi_file_delete(struct mpi_rank *me, const char *filename, struct mpi_info *info)
{
	if (!filename[0])
		return io_raise_null(me, MPI_ERR_BAD_FILE, "filename is empty");
	io_wait_metadata(me, 1);
	if (unlink(filename) < 0)
		return io_raise_null(me, io_error_class(errno), "%.200s cannot be deleted",
				     filename);
	return MPI_SUCCESS;
}
