/* SPDX-License-Identifier: BSD-3-Clause */
/* Between memory and the real file. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi/io/access.h"
#include "mpi/io/datarep.h"
#include "mpi/io/effects.h"

struct move {
	const struct mpi_file *file;
	struct io_op *op;
	bool is_write;
	char *bytes;	 /* as in the file, one behind the other; NULL: there is no memory */
	int64_t moved_B; /* so far */
	int64_t file_B;	 /* no memory: the file's size */
	int error_class;
};

/* Bytes of one run: fewer at the file's end. Negative: errno says why. */
static int64_t move_run(int fd, bool is_write, char *bytes, int64_t offset_B, int64_t length_B)
{
	int64_t done_B = 0;

	while (done_B < length_B) {
		size_t rest_B = (size_t)(length_B - done_B);
		ssize_t n = is_write ? pwrite(fd, bytes + done_B, rest_B, offset_B + done_B)
				     : pread(fd, bytes + done_B, rest_B, offset_B + done_B);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n == 0)
			break;
		if (n > 0)
			done_B += n;
	}
	return done_B;
}

/* Without memory: what the file has of a run, or has when it was written. */
static int64_t move_nothing(struct move *move, int64_t offset_B, int64_t length_B)
{
	int64_t there_B = move->file_B - offset_B;

	if (!move->is_write)
		return there_B < 0 ? 0 : there_B < length_B ? there_B : length_B;
	if (there_B < length_B) {
		if (ftruncate(move->file->shared->fd, offset_B + length_B) < 0)
			return -1;
		move->file_B = offset_B + length_B;
	}
	return length_B;
}

/* io_run_fn */
static bool visit(void *context, int64_t offset_B, int64_t length_B)
{
	struct move *move = context;
	const struct io_shared *shared = move->file->shared;
	int64_t done_B;

	if (move->bytes)
		done_B = move_run(shared->fd, move->is_write, move->bytes + move->moved_B, offset_B,
				  length_B);
	else
		done_B = move_nothing(move, offset_B, length_B);
	if (done_B < 0) {
		move->error_class = io_error_class(errno);
		return false;
	}
	net_storage_add(&move->op->storage, shared->stripes, offset_B, done_B);
	io_tell_bytes(move->file->owner, move->file, offset_B, done_B);
	move->moved_B += done_B;
	return done_B == length_B;
}

static int move_all(const struct io_access *access, struct io_op *op, char *bytes, int64_t *moved_B)
{
	struct move move = {.file = access->file,
			    .op = op,
			    .is_write = access->is_write,
			    .bytes = bytes,
			    .error_class = MPI_SUCCESS};
	struct stat status;

	if (!bytes) {
		if (fstat(access->file->shared->fd, &status) < 0)
			return io_error_class(errno);
		move.file_B = status.st_size;
	}
	io_view_visit(&access->file->view, access->position_B, access->size_B, visit, &move);
	*moved_B = move.moved_B;
	return move.error_class;
}

/* Items that lie in memory as they do in the file. */
static bool is_plain(const struct io_access *access)
{
	return access->type->is_contiguous && access->file->view.datarep->kind == DATAREP_NATIVE;
}

/* Memory that is not there has the size that it would have. */
static int move_absent(struct mpi_rank *me, const struct io_access *access, struct io_op *op,
		       int64_t *moved_B)
{
	int64_t in_file_B;
	int code = move_all(access, op, NULL, &in_file_B);

	if (code == MPI_SUCCESS)
		code = io_datarep_in_memory(me, access->file->view.datarep, access->type, in_file_B,
					    moved_B);
	return code;
}

static int write_converted(struct mpi_rank *me, const struct io_access *access, struct io_op *op,
			   int64_t *moved_B)
{
	int64_t size_B, in_file_B;
	char *bytes;
	int code = io_datarep_write(me, access->file->view.datarep, access->buf, access->count,
				    access->type, &bytes, &size_B);

	if (code != MPI_SUCCESS)
		return code;
	code = move_all(access, op, bytes, &in_file_B);
	free(bytes);
	*moved_B = access->count * access->type->size_B;
	return code;
}

static int read_converted(struct mpi_rank *me, const struct io_access *access, struct io_op *op,
			  int64_t *moved_B)
{
	char *bytes = malloc((size_t)access->size_B);
	int64_t in_file_B;
	int code;

	if (!bytes)
		return MPI_ERR_NO_MEM;
	code = move_all(access, op, bytes, &in_file_B);
	if (code == MPI_SUCCESS)
		code = io_datarep_read(me, access->file->view.datarep, access->buf, access->count,
				       access->type, bytes, in_file_B, moved_B);
	free(bytes);
	return code;
}

int io_move(struct mpi_rank *me, const struct io_access *access, struct io_op *op, int64_t *moved_B)
{
	*moved_B = 0;
	if (access->size_B == 0)
		return MPI_SUCCESS;
	if (pd_memory_is_absent(access->buf))
		return move_absent(me, access, op, moved_B);
	if (is_plain(access))
		return move_all(
		    access, op,
		    (char *)((uintptr_t)access->buf + (uintptr_t)access->type->true_lb_B), moved_B);
	return access->is_write ? write_converted(me, access, op, moved_B)
				: read_converted(me, access, op, moved_B);
}
