/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers of the process (MPI_Buffer_*) and of communicators (MPI_Comm_*_buffer). */
#include <limits.h>

#include "mpi/p2p/buffer.h"
#include "mpi/p2p/endpoint.h"

/* MPI_SUCCESS and *comm, or the error. */
static int check(struct mpi_rank *me, MPI_Comm handle, struct mpi_comm **comm)
{
	*comm = mpi_comm_get(me, handle);
	if (*comm)
		return MPI_SUCCESS;
	return mpi_raise(me, NULL, MPI_ERR_COMM, "comm is %s",
			 handle == MPI_COMM_NULL ? "MPI_COMM_NULL" : "not a communicator");
}

/* As an int. */
static int give_size(int code, MPI_Count large, int *size)
{
	if (code == MPI_SUCCESS)
		*size = large > INT_MAX ? MPI_UNDEFINED : (int)large;
	return code;
}

static int attach_to_process(struct mpi_rank *me, void *buffer, MPI_Count size)
{
	return mpi_leave(me, mpi_buffer_attach(me, NULL, &me->endpoint->buffer, buffer, size));
}

int MPI_Buffer_attach(void *buffer, int size)
{
	return attach_to_process(MPI_ENTER(), buffer, size);
}

int MPI_Buffer_attach_c(void *buffer, MPI_Count size)
{
	return attach_to_process(MPI_ENTER(), buffer, size);
}

int MPI_Buffer_detach_c(void *buffer_addr, MPI_Count *size)
{
	struct mpi_rank *me = MPI_ENTER();

	return mpi_leave(me, mpi_buffer_detach(me, NULL, &me->endpoint->buffer, buffer_addr, size));
}

int MPI_Buffer_detach(void *buffer_addr, int *size)
{
	struct mpi_rank *me = MPI_ENTER();
	MPI_Count large = 0;
	int code =
	    mpi_buffer_detach(me, NULL, &me->endpoint->buffer, buffer_addr, size ? &large : NULL);

	return mpi_leave(me, give_size(code, large, size));
}

int MPI_Buffer_flush(void)
{
	struct mpi_rank *me = MPI_ENTER();

	return mpi_leave(me, mpi_buffer_flush(me, me->endpoint->buffer));
}

int MPI_Buffer_iflush(MPI_Request *request)
{
	struct mpi_rank *me = MPI_ENTER();

	return mpi_leave(me, mpi_buffer_iflush(me, NULL, me->endpoint->buffer, request));
}

static int attach_to_comm(struct mpi_rank *me, MPI_Comm comm, void *buffer, MPI_Count size)
{
	struct mpi_comm *c;
	int code = check(me, comm, &c);

	if (code == MPI_SUCCESS)
		code = mpi_buffer_attach(me, c, &c->buffer, buffer, size);
	return mpi_leave(me, code);
}

int MPI_Comm_attach_buffer(MPI_Comm comm, void *buffer, int size)
{
	return attach_to_comm(MPI_ENTER(), comm, buffer, size);
}

int MPI_Comm_attach_buffer_c(MPI_Comm comm, void *buffer, MPI_Count size)
{
	return attach_to_comm(MPI_ENTER(), comm, buffer, size);
}

int MPI_Comm_detach_buffer_c(MPI_Comm comm, void *buffer_addr, MPI_Count *size)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int code = check(me, comm, &c);

	if (code == MPI_SUCCESS)
		code = mpi_buffer_detach(me, c, &c->buffer, buffer_addr, size);
	return mpi_leave(me, code);
}

int MPI_Comm_detach_buffer(MPI_Comm comm, void *buffer_addr, int *size)
{
	struct mpi_rank *me = MPI_ENTER();
	MPI_Count large = 0;
	struct mpi_comm *c;
	int code = check(me, comm, &c);

	if (code == MPI_SUCCESS)
		code = mpi_buffer_detach(me, c, &c->buffer, buffer_addr, size ? &large : NULL);
	return mpi_leave(me, give_size(code, large, size));
}

int MPI_Comm_flush_buffer(MPI_Comm comm)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int code = check(me, comm, &c);

	if (code == MPI_SUCCESS)
		code = mpi_buffer_flush(me, c->buffer);
	return mpi_leave(me, code);
}

int MPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request *request)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int code = check(me, comm, &c);

	if (code == MPI_SUCCESS)
		code = mpi_buffer_iflush(me, c, c->buffer, request);
	return mpi_leave(me, code);
}
