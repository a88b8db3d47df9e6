/* SPDX-License-Identifier: BSD-3-Clause */
/* Life of files, and what their members agree on. */
#include "mpi/io/file.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpi/coll/coll.h"
#include "mpi/create/create.h"
#include "mpi/core/errhandler.h"
#include "mpi/info/info.h"
#include "mpi/io/datarep.h"
#include "mpi/io/effects.h"
#include "mpi/io/io.h"
#include "mpi/io/wait.h"

int mpi_io_create(struct mpi_world *world)
{
	world->io = calloc(1, sizeof(struct io_world));
	return world->io ? 0 : UTIL_ENOMEM;
}

struct io_rank *io_rank(struct mpi_rank *me)
{
	struct io_rank *io = me->io;

	if (io)
		return io;
	io = calloc(1, sizeof *io);
	if (!io)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for files");
	io->errhandler = mpi_errhandler_get(me, MPI_ERRORS_RETURN);
	me->io = io;
	return io;
}

int io_check_file(struct mpi_rank *me, MPI_File handle, struct mpi_file **out)
{
	*out = mpi_handle_object(me, KIND_FILE, (uintptr_t)handle);
	if (*out)
		return MPI_SUCCESS;
	return io_raise_null(me, MPI_ERR_FILE, "fh is %s",
			     handle == MPI_FILE_NULL ? "MPI_FILE_NULL" : "not a file");
}

int io_error_class(int error_number)
{
	switch (error_number) {
	case 0:
		return MPI_SUCCESS;
	case ENOENT:
		return MPI_ERR_NO_SUCH_FILE;
	case EEXIST:
		return MPI_ERR_FILE_EXISTS;
	case EACCES:
	case EPERM:
		return MPI_ERR_ACCESS;
	case EROFS:
		return MPI_ERR_READ_ONLY;
	case ENOSPC:
		return MPI_ERR_NO_SPACE;
	case EDQUOT:
		return MPI_ERR_QUOTA;
	case ENAMETOOLONG:
	case ENOTDIR:
	case EISDIR:
	case ELOOP:
		return MPI_ERR_BAD_FILE;
	case ETXTBSY:
		return MPI_ERR_FILE_IN_USE;
	case ENOMEM:
		return MPI_ERR_NO_MEM;
	default:
		return MPI_ERR_IO;
	}
}

/* --- members --- */

static void finish(void *members)
{
	struct io_shared *shared = members;

	if (shared->fd >= 0)
		close(shared->fd);
	free(shared->path);
	free(shared->found);
}

/* What the members of `comm` share; the first to come makes it. NULL: out of memory. */
static struct io_shared *join(struct mpi_rank *me, const struct mpi_comm *comm)
{
	const struct mpi_meeting_key key = {.kind = MPI_MEETING_FILE, .context = comm->context};
	struct io_shared *shared = mpi_meeting_join(me->world, key, sizeof *shared, finish);

	if (shared && shared->meeting.n_left == 0) {
		shared->meeting.n_left = comm->size;
		shared->fd = -1;
	}
	return shared;
}

static int64_t free_number(const struct io_rank *io)
{
	int64_t number = 1;

	for (const struct mpi_file *file = io->files.first; file;) {
		if (file->number == number) {
			number++;
			file = io->files.first;
		} else {
			file = file->link.next;
		}
	}
	return number;
}

static struct mpi_file *create_member(struct mpi_rank *me, struct mpi_comm *comm, int amode,
				      struct io_shared *shared)
{
	struct io_rank *io = io_rank(me);
	struct mpi_file *file = calloc(1, sizeof *file);

	if (!file)
		return NULL;
	file->shared = shared;
	file->owner = me;
	file->comm = comm;
	file->amode = amode;
	file->errhandler = io->errhandler;
	mpi_errhandler_retain(file->errhandler);
	io_view_init(me, &file->view);
	file->number = free_number(io);
	util_list_prepend(&io->files, file);
	return file;
}

int io_file_create(struct mpi_rank *me, struct mpi_comm *comm, int amode, struct mpi_file **out)
{
	struct mpi_comm *own;
	struct io_shared *shared;
	int code = mpi_comm_duplicate(me, comm, true, &own);

	if (code != MPI_SUCCESS)
		return code;
	shared = join(me, own);
	*out = shared ? create_member(me, own, amode, shared) : NULL;
	if (*out) {
		io_tell(me, *out, IO_EFFECT_CREATE, NULL);
		return MPI_SUCCESS;
	}
	mpi_comm_release(me, own);
	return MPI_ERR_NO_MEM;
}

void io_file_destroy(struct mpi_rank *me, struct mpi_file *file)
{
	io_tell(me, file, IO_EFFECT_DESTROY, NULL);
	util_list_remove(&io_rank(me)->files, file);
	if (file->handle)
		mpi_handle_destroy(me, (uintptr_t)file->handle);
	io_view_finish(me, &file->view);
	mpi_errhandler_release(me, file->errhandler);
	mpi_info_destroy(file->info);
	mpi_comm_release(me, file->comm);
	mpi_meeting_leave(me->world, &file->shared->meeting);
	free(file);
}

static void destroy_rank(struct mpi_rank *me)
{
	struct io_rank *io = me->io;
	struct io_datarep *datarep;

	if (!io)
		return;
	io->effects = NULL;
	while (io->files.first)
		io_file_destroy(me, io->files.first);
	mpi_errhandler_release(me, io->errhandler);
	while ((datarep = util_list_pop(&io->datareps)))
		free(datarep);
	free(io);
	me->io = NULL;
}

void mpi_io_destroy(struct mpi_world *world)
{
	struct io_world *io = world->io;

	if (!io)
		return;
	for (int i = 0; world->ranks && i < world->n_ranks; i++)
		destroy_rank(&world->ranks[i]);
	while (io->ops)
		io_op_destroy(io->ops);
	net_storage_destroy(io->storage);
	free(io);
	world->io = NULL;
}

/* --- agreement --- */

bool io_is_first(struct mpi_file *file)
{
	if (file->shared->n_steps >= ++file->n_steps)
		return false;
	file->shared->n_steps = file->n_steps;
	return true;
}

int io_agree(struct mpi_rank *me, struct mpi_file *file, int64_t value)
{
	/* the least value, and the least of their negatives: of the greatest */
	int64_t bounds[2] = {value, value == INT64_MIN ? INT64_MAX : -value}, least[2];
	int code;

	io_tell(me, file, IO_EFFECT_AGREE, NULL);
	code = mpi_coll_allreduce(me, bounds, least, 2, mpi_datatype_get(me, MPI_INT64_T),
				  mpi_op_get(me, MPI_MIN), file->comm);
	if (code != MPI_SUCCESS)
		return code;
	return least[0] == bounds[0] && least[1] == bounds[1] ? MPI_SUCCESS : MPI_ERR_NOT_SAME;
}

int io_from_first(struct mpi_rank *me, struct mpi_file *file, int *value)
{
	io_tell(me, file, IO_EFFECT_FROM_FIRST, NULL);
	return mpi_coll_bcast(me, value, 1, mpi_datatype_get(me, MPI_INT), 0, file->comm);
}
