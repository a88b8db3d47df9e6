/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers of sessions (MPI_Session_*_buffer). Errors go to the session, so that they are found
 * here and not below. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/core/session.h"
#include "mpi/p2p/buffer.h"

int mpi_session_attach_buffer(struct mpi_rank *me, struct mpi_session *session, void *buffer,
			      MPI_Count size)
{
	if (size < 0)
		return mpi_session_raise(me, session, MPI_ERR_ARG, "size is negative");
	if (session->buffer)
		return mpi_session_raise(me, session, MPI_ERR_BUFFER,
					 "a buffer is attached already");
	return mpi_buffer_attach(me, NULL, &session->buffer, buffer, size);
}

int mpi_session_detach_buffer(struct mpi_rank *me, struct mpi_session *session, void *buffer_addr,
			      MPI_Count *size)
{
	return mpi_buffer_detach(me, NULL, &session->buffer, buffer_addr, size);
}

int mpi_session_flush_buffer(struct mpi_rank *me, struct mpi_session *session)
{
	return mpi_buffer_flush(me, session->buffer);
}

int mpi_session_iflush_buffer(struct mpi_rank *me, struct mpi_session *session,
			      MPI_Request *request)
{
	return mpi_buffer_iflush(me, NULL, session->buffer, request);
}
