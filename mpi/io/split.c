/* SPDX-License-Identifier: BSD-3-Clause */
/* Split collectives: an access between its two halves. */
#include "mpi/core/status.h"
#include "mpi/io/access.h"
#include "mpi/io/effects.h"

/* Every …_begin has its own …_end. */
int io_split_kind(const struct io_call *call)
{
	return (int)call->place << 1 | (call->is_write ? 1 : 0);
}

void io_split_begin(struct mpi_file *file, int kind, struct mpi_request *request,
		    const MPI_Status *status)
{
	file->split.is_active = true;
	file->split.kind = kind;
	file->split.request = request;
	file->split.status = *status;
}

int io_access_end(struct mpi_rank *me, const struct io_call *call)
{
	struct mpi_file *file;
	int code = io_check_file(me, call->fh, &file);

	if (code != MPI_SUCCESS)
		return code;
	if (!file->split.is_active || file->split.kind != io_split_kind(call))
		return io_raise(me, file, MPI_ERR_IO, "%s",
				file->split.is_active ? "another split collective is under way"
						      : "no split collective is under way");
	io_tell(me, file, IO_EFFECT_WAIT_SPLIT, NULL);
	io_op_wait(me, file->split.request);
	file->split.request = NULL;
	file->split.is_active = false;
	mpi_status_give(call->status, &file->split.status);
	return MPI_SUCCESS;
}
