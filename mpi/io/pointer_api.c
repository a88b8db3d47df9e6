/* SPDX-License-Identifier: BSD-3-Clause */
/* File pointers: where they are, and moving them. */
#include <errno.h>
#include <sys/stat.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/io/file.h"
#include "mpi/io/wait.h"

static int check_individual(struct mpi_rank *me, struct mpi_file *file)
{
	if (file->amode & MPI_MODE_SEQUENTIAL)
		return io_raise(me, file, MPI_ERR_UNSUPPORTED_OPERATION,
				"the file is open with MPI_MODE_SEQUENTIAL");
	return MPI_SUCCESS;
}

/* The etypes that the view shows of the file, a part of one counted whole. An error class. */
static int end_of(const struct mpi_file *file, int64_t *end)
{
	struct stat status;

	if (fstat(file->shared->fd, &status) < 0)
		return io_error_class(errno);
	*end = (io_view_size(&file->view, status.st_size) + file->view.etype_B - 1) /
	       file->view.etype_B;
	return MPI_SUCCESS;
}

/* Where the pointer goes, seen from `pointer`. MPI_SUCCESS, or what was raised. */
/* Where the pointer goes, seen from `pointer`. MPI_SUCCESS, or what was raised; *out is then as it
 * was. */
static int find(struct mpi_rank *me, struct mpi_file *file, MPI_Offset offset, int whence,
		int64_t pointer, int64_t *out)
{
	int64_t from = 0, to;
	int code = MPI_SUCCESS;

	if (whence == MPI_SEEK_CUR)
		from = pointer;
	else if (whence == MPI_SEEK_END)
		code = end_of(file, &from);
	else if (whence != MPI_SEEK_SET)
		return io_raise(me, file, MPI_ERR_ARG,
				"whence is %d, wanted MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END",
				whence);
	if (code != MPI_SUCCESS)
		return io_raise(me, file, code, "the file's end cannot be found");
	if (__builtin_add_overflow(from, offset, &to) || to < 0)
		return io_raise(me, file, MPI_ERR_ARG,
				"the pointer would be before the view's begin: offset is %lld",
				(long long)offset);
	*out = to;
	return MPI_SUCCESS;
}

int mpi_file_seek(struct mpi_rank *me, struct mpi_file *file, MPI_Offset offset, int whence)
{
	int code = check_individual(me, file);

	if (code == MPI_SUCCESS)
		code = find(me, file, offset, whence, file->pointer, &file->pointer);
	return code;
}

int mpi_file_get_position(struct mpi_rank *me, struct mpi_file *file, MPI_Offset *offset)
{
	int code = check_individual(me, file);

	if (code == MPI_SUCCESS)
		*offset = file->pointer;
	return code;
}

int mpi_file_get_byte_offset(struct mpi_rank *me, struct mpi_file *file, MPI_Offset offset,
			     MPI_Offset *disp)
{
	int64_t position_B;
	int code = check_individual(me, file);

	if (code != MPI_SUCCESS)
		return code;
	if (offset < 0 || __builtin_mul_overflow(offset, file->view.etype_B, &position_B))
		return io_raise(me, file, MPI_ERR_ARG,
				"offset is %lld, wanted at least 0 and a place in a file",
				(long long)offset);
	*disp = io_view_offset(&file->view, position_B);
	return MPI_SUCCESS;
}

int mpi_file_seek_shared(struct mpi_rank *me, struct mpi_file *file, MPI_Offset offset, int whence)
{
	int64_t pointer;
	bool is_first;
	int code = check_individual(me, file);

	if (code != MPI_SUCCESS)
		return code;
	code = io_agree(me, file, offset);
	if (code == MPI_SUCCESS)
		code = io_agree(me, file, whence);
	if (code != MPI_SUCCESS)
		return io_raise(me, file, code, "offset or whence differs between ranks");
	/* the first one moves it; the others only see whether that can be */
	is_first = io_is_first(file);
	if (is_first)
		file->shared->base = file->shared->pointer;
	code = find(me, file, offset, whence, file->shared->base, &pointer);
	if (code == MPI_SUCCESS && is_first)
		file->shared->pointer = pointer;
	return code;
}

int mpi_file_get_position_shared(struct mpi_rank *me, struct mpi_file *file, MPI_Offset *offset)
{
	io_wait_metadata(me, 1);
	*offset = file->shared->pointer;
	return MPI_SUCCESS;
}
