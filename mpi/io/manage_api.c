/* SPDX-License-Identifier: BSD-3-Clause */
/* Size, group, atomicity and consistency of files. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/io/file.h"
#include "mpi/io/wait.h"

int mpi_file_get_group(struct mpi_rank *me, struct mpi_file *fh, MPI_Group *group)
{
	return mpi_group_publish(me, fh->comm->group, group);
}

static int check_writable(struct mpi_rank *me, struct mpi_file *file)
{
	if (file->amode & MPI_MODE_RDONLY)
		return io_raise(me, file, MPI_ERR_READ_ONLY, "the file is open for reading only");
	return MPI_SUCCESS;
}

/* Collective calls that concern the whole file: not with MPI_MODE_SEQUENTIAL, nor between the
 * halves of a split collective. */
static int check_whole(struct mpi_rank *me, struct mpi_file *file)
{
	if (file->amode & MPI_MODE_SEQUENTIAL)
		return io_raise(me, file, MPI_ERR_UNSUPPORTED_OPERATION,
				"the file is open with MPI_MODE_SEQUENTIAL");
	if (file->split.is_active || file->n_pending > 0)
		return io_raise(me, file, MPI_ERR_IO, "accesses to the file are under way");
	return check_writable(me, file);
}

/* Rank 0 does it, all know how it went: an error class. */
static int change_size(struct mpi_rank *me, struct mpi_file *file, int64_t size_B,
		       bool is_allocation)
{
	int fd = file->shared->fd, outcome = MPI_SUCCESS, code;
	struct stat status;

	if (file->comm->rank == 0) {
		io_wait_metadata(me, 1);
		if (!is_allocation && ftruncate(fd, size_B) < 0)
			outcome = io_error_class(errno);
		if (is_allocation && fstat(fd, &status) == 0 && status.st_size < size_B)
			outcome = io_error_class(posix_fallocate(fd, 0, size_B));
	}
	code = io_from_first(me, file, &outcome);
	return code == MPI_SUCCESS ? outcome : code;
}

int mpi_file_set_size(struct mpi_rank *me, int is_allocation, struct mpi_file *file,
		      MPI_Offset size)
{
	int code;

	if (size < 0)
		return io_raise(me, file, MPI_ERR_ARG, "size is %lld, wanted at least 0",
				(long long)size);
	code = check_whole(me, file);
	if (code != MPI_SUCCESS)
		return code;
	code = io_agree(me, file, size);
	if (code == MPI_SUCCESS)
		code = change_size(me, file, size, is_allocation);
	if (code != MPI_SUCCESS)
		code = io_raise(me, file, code, "%.200s cannot have %lld bytes%s",
				file->shared->path, (long long)size,
				code == MPI_ERR_NOT_SAME ? ": size differs between ranks" : "");
	return code;
}

int mpi_file_get_size(struct mpi_rank *me, struct mpi_file *file, MPI_Offset *size)
{
	struct stat status;

	io_wait_metadata(me, 1);
	if (fstat(file->shared->fd, &status) < 0)
		return io_raise(me, file, io_error_class(errno),
				"the size of %.200s cannot be found", file->shared->path);
	*size = status.st_size;
	return MPI_SUCCESS;
}

int mpi_file_set_atomicity(struct mpi_rank *me, struct mpi_file *file, int flag)
{
	int code = io_agree(me, file, flag != 0);

	if (code == MPI_SUCCESS)
		file->is_atomic = flag;
	else
		code = io_raise(me, file, code, "flag differs between ranks");
	return code;
}

int mpi_file_get_atomicity(struct mpi_rank *me, struct mpi_file *file, int *flag)
{
	*flag = file->is_atomic;
	return MPI_SUCCESS;
}

/*
 * Every access takes effect at once and for all ranks, so there is nothing to be done but to wait
 * for each other: what the storage needs to make it last is an operation on metadata.
 */
int mpi_file_sync(struct mpi_rank *me, struct mpi_file *file)
{
	int outcome = MPI_SUCCESS, code;

	if (file->split.is_active || file->n_pending > 0)
		return io_raise(me, file, MPI_ERR_IO, "accesses to the file are under way");
	code = io_agree(me, file, 0);
	if (code == MPI_SUCCESS && file->comm->rank == 0)
		io_wait_metadata(me, 1);
	if (code == MPI_SUCCESS)
		code = io_from_first(me, file, &outcome);
	if (code != MPI_SUCCESS)
		code = io_raise(me, file, code, "the ranks cannot wait for each other");
	return code;
}
