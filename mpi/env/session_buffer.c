/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers of sessions (MPI_Session_*_buffer). Errors go to the session, so that they are found
 * here and not below. */
#include <limits.h>

#include "mpi/core/session.h"
#include "mpi/p2p/buffer.h"

static int attach(struct mpi_rank *me, MPI_Session session, void *buffer, MPI_Count size)
{
	struct mpi_session *object;
	int code = mpi_session_check(me, session, &object);

	if (code == MPI_SUCCESS && size < 0)
		code = mpi_session_raise(me, object, MPI_ERR_ARG, "size is negative");
	if (code == MPI_SUCCESS && object->buffer)
		code =
		    mpi_session_raise(me, object, MPI_ERR_BUFFER, "a buffer is attached already");
	if (code == MPI_SUCCESS)
		code = mpi_buffer_attach(me, NULL, &object->buffer, buffer, size);
	return mpi_leave(me, code);
}

int MPI_Session_attach_buffer(MPI_Session session, void *buffer, int size)
{
	return attach(MPI_ENTER(), session, buffer, size);
}

int MPI_Session_attach_buffer_c(MPI_Session session, void *buffer, MPI_Count size)
{
	return attach(MPI_ENTER(), session, buffer, size);
}

static int detach(struct mpi_rank *me, MPI_Session session, void *buffer_addr, bool has_size,
		  MPI_Count *size)
{
	struct mpi_session *object;
	int code = mpi_session_check(me, session, &object);

	if (code == MPI_SUCCESS && (!buffer_addr || !has_size))
		code = mpi_session_raise(me, object, MPI_ERR_ARG, "an output argument is NULL");
	if (code == MPI_SUCCESS)
		code = mpi_buffer_detach(me, NULL, &object->buffer, buffer_addr, size);
	return code;
}

int MPI_Session_detach_buffer_c(MPI_Session session, void *buffer_addr, MPI_Count *size)
{
	struct mpi_rank *me = MPI_ENTER();

	return mpi_leave(me, detach(me, session, buffer_addr, size != NULL, size));
}

int MPI_Session_detach_buffer(MPI_Session session, void *buffer_addr, int *size)
{
	struct mpi_rank *me = MPI_ENTER();
	MPI_Count large = 0;
	int code = detach(me, session, buffer_addr, size != NULL, &large);

	if (code == MPI_SUCCESS)
		*size = large > INT_MAX ? MPI_UNDEFINED : (int)large;
	return mpi_leave(me, code);
}

int MPI_Session_flush_buffer(MPI_Session session)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_session *object;
	int code = mpi_session_check(me, session, &object);

	if (code == MPI_SUCCESS)
		code = mpi_buffer_flush(me, object->buffer);
	return mpi_leave(me, code);
}

int MPI_Session_iflush_buffer(MPI_Session session, MPI_Request *request)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_session *object;
	int code = mpi_session_check(me, session, &object);

	if (code == MPI_SUCCESS && !request)
		code = mpi_session_raise(me, object, MPI_ERR_ARG, "request is NULL");
	if (code == MPI_SUCCESS)
		code = mpi_buffer_iflush(me, NULL, object->buffer, request);
	return mpi_leave(me, code);
}
