/* SPDX-License-Identifier: BSD-3-Clause */
/* What all reading and writing has in common: checks, the place in the file, the data, the time. */
#include "mpi/io/access.h"

#include "mpi/create/board.h"
#include "mpi/core/status.h"
#include "mpi/io/datarep.h"
#include "mpi/io/effects.h"

static int check_mode(struct mpi_rank *me, struct mpi_file *file, const struct io_call *call)
{
	if (call->is_write && file->amode & MPI_MODE_RDONLY)
		return io_raise(me, file, MPI_ERR_READ_ONLY, "the file is open for reading only");
	if (!call->is_write && file->amode & MPI_MODE_WRONLY) {
		me->world->failure_class = "wrong-call"; /* no file that is protected */
		return io_raise(me, file, MPI_ERR_ACCESS, "the file is open for writing only");
	}
	if (file->amode & MPI_MODE_SEQUENTIAL &&
	    (call->place == IO_AT || call->place == IO_INDIVIDUAL))
		return io_raise(
		    me, file, MPI_ERR_UNSUPPORTED_OPERATION,
		    "the file is open with MPI_MODE_SEQUENTIAL, wanted a shared file pointer");
	if (file->split.is_active && call->is_collective)
		return io_raise(me, file, MPI_ERR_IO, "a split collective is under way");
	if (call->is_nonblocking && !call->request)
		return io_raise(me, file, MPI_ERR_ARG, "request is NULL");
	if (call->place == IO_AT && call->offset < 0)
		return io_raise(me, file, MPI_ERR_ARG, "offset is %lld, wanted at least 0",
				(long long)call->offset);
	return MPI_SUCCESS;
}

static int check_memory(struct mpi_rank *me, struct mpi_file *file, const struct io_call *call,
			struct io_access *out)
{
	struct mpi_datatype *type = mpi_datatype_get(me, call->datatype);

	if (call->count < 0)
		return io_raise(me, file, MPI_ERR_COUNT, "count is %lld, wanted at least 0",
				(long long)call->count);
	if (!type || !type->is_committed)
		return io_raise(me, file, MPI_ERR_TYPE, "datatype is %s",
				type				      ? "not committed"
				: call->datatype == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL"
								      : "not a datatype");
	if (call->buf == MPI_IN_PLACE ||
	    (!call->buf && call->count > 0 && type->size_B > 0 && mpi_datatype_is_relative(type)))
		return io_raise(me, file, MPI_ERR_BUFFER, "the buffer is %s for %lld items",
				call->buf ? "MPI_IN_PLACE" : "NULL", (long long)call->count);
	*out = (struct io_access){.file = file,
				  .is_write = call->is_write,
				  .buf = call->buf,
				  .count = call->count,
				  .type = type};
	return MPI_SUCCESS;
}

/* Whole etypes only, and somewhere for them to go. */
static int check_size(struct mpi_rank *me, struct mpi_file *file, struct io_access *out)
{
	MPI_Count item_B;
	int code = io_datarep_item(me, file->view.datarep, out->type, &item_B);

	if (code != MPI_SUCCESS)
		return io_raise(me, file, code, "the size of datatype in the file cannot be found");
	if (__builtin_mul_overflow(out->count, item_B, &out->size_B))
		return io_raise(me, file, MPI_ERR_VALUE_TOO_LARGE,
				"the access has more bytes than MPI_Count counts");
	if (out->size_B % file->view.etype_B != 0)
		return io_raise(me, file, MPI_ERR_IO,
				"%lld bytes are no whole etypes of %lld bytes",
				(long long)out->size_B, (long long)file->view.etype_B);
	if (out->size_B > 0 && file->view.tile->size_B == 0)
		return io_raise(me, file, MPI_ERR_IO, "the filetype of the view has no data");
	if (out->is_write && out->size_B > file->view.tile->size_B &&
	    file->view.tile->true_extent_B > file->view.tile->extent_B)
		return io_raise(me, file, MPI_ERR_IO,
				"%lld bytes repeat the filetype of the view, whose items overlap",
				(long long)out->size_B);
	return MPI_SUCCESS;
}

static int check(struct mpi_rank *me, const struct io_call *call, struct io_access *out)
{
	struct mpi_file *file;
	int code = io_check_file(me, call->fh, &file);

	if (code == MPI_SUCCESS)
		code = check_mode(me, file, call);
	if (code == MPI_SUCCESS)
		code = check_memory(me, file, call, out);
	if (code == MPI_SUCCESS)
		code = check_size(me, file, out);
	return code;
}

/* --- the place in the file --- */

/*
 * Collective accesses begin with the exchange of where everybody's bytes lie, as two-phase
 * libraries do: nobody goes on before all have come.
 */
int io_exchange(struct mpi_rank *me, const struct mpi_file *file, int64_t position, int64_t length,
		struct mpi_birth **all)
{
	const int64_t mine[2] = {position, length};

	io_tell(me, file, IO_EFFECT_EXCHANGE, NULL);
	return mpi_board_share(me, file->comm, MPI_INT64_T, mine, all);
}

/* The data of lower ranks come first; the pointer moves behind those of all. */
static int64_t take_ordered(struct mpi_file *file, const struct mpi_board *all)
{
	int64_t before = 0, sum = 0;

	for (int i = 0; i < file->comm->size; i++) {
		if (i == file->comm->rank)
			before = sum;
		sum += all->entries[i].numbers[1];
	}
	if (io_is_first(file)) {
		file->shared->base = file->shared->pointer;
		file->shared->pointer += sum;
	}
	return file->shared->base + before;
}

/* Sets the access's position and moves the pointer behind it, by what is wanted. */
static int find_place(struct mpi_rank *me, const struct io_call *call, struct io_access *access)
{
	struct mpi_file *file = access->file;
	int64_t n_etypes = access->size_B / file->view.etype_B;
	int64_t position = call->place == IO_AT ? call->offset : file->pointer;
	struct mpi_birth *all = NULL;
	int code = MPI_SUCCESS;

	if (call->is_collective && !call->is_nonblocking)
		code = io_exchange(me, file, position, n_etypes, &all);
	if (code == MPI_SUCCESS && call->place == IO_INDIVIDUAL) {
		file->pointer += n_etypes;
	} else if (code == MPI_SUCCESS && call->place == IO_SHARED) {
		position = file->shared->pointer;
		file->shared->pointer += n_etypes;
	} else if (code == MPI_SUCCESS && call->place == IO_ORDERED) {
		position = take_ordered(file, mpi_board_of(all));
	}
	if (all)
		mpi_birth_leave(me->world, all);
	if (code == MPI_SUCCESS &&
	    __builtin_mul_overflow(position, file->view.etype_B, &access->position_B))
		code = MPI_ERR_ARG;
	return code;
}

/* --- from entry to return --- */

/* The data are moved and the time begins: a request, and the status that the program gets. */
static int begin(struct mpi_rank *me, const struct io_call *call, struct io_access *access,
		 struct mpi_request **out)
{
	struct io_op *op;
	int64_t moved_B;
	int code = find_place(me, call, access);

	if (code != MPI_SUCCESS)
		return io_raise(me, access->file, code, "the place in the file cannot be found");
	op = io_op_create(me);
	code = io_move(me, access, op, &moved_B);
	if (code != MPI_SUCCESS) {
		io_op_destroy(op);
		io_tell(me, access->file, IO_EFFECT_DROP, NULL);
		return io_raise(me, access->file, code, "%.200s cannot be %s",
				access->file->shared->path, call->is_write ? "written" : "read");
	}
	io_tell(me, access->file, IO_EFFECT_START,
		(const int64_t[]){call->is_write, call->place == IO_SHARED, call->is_nonblocking});
	*out = io_op_start(me, op, call->is_nonblocking ? access->file : NULL, call->is_write,
			   call->place == IO_SHARED ? 1 : 0);
	mpi_status_set_bytes(&(*out)->status, moved_B);
	return MPI_SUCCESS;
}

int io_access(struct mpi_rank *me, const struct io_call *call)
{
	struct io_access access;
	struct mpi_request *request = NULL;
	MPI_Status status;
	int code = check(me, call, &access);

	if (code == MPI_SUCCESS)
		code = begin(me, call, &access, &request);
	if (code != MPI_SUCCESS)
		return code;
	if (call->is_nonblocking) {
		*call->request = mpi_request_publish(me, request);
		return MPI_SUCCESS;
	}
	status = request->status;
	io_tell(me, access.file, call->is_split ? IO_EFFECT_SPLIT : IO_EFFECT_WAIT, NULL);
	if (call->is_split) {
		io_split_begin(access.file, io_split_kind(call), request, &status);
		return MPI_SUCCESS;
	}
	io_op_wait(me, request);
	mpi_status_give(call->status, &status);
	return MPI_SUCCESS;
}
