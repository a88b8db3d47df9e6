/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers of sessions (MPI_Session_*_buffer). */
#include "mpi/abi/mpi-calls.h"
#include "mpi/core/session.h"
#include "mpi/p2p/buffer.h"

int mpi_session_attach_buffer(struct mpi_rank *me, struct mpi_session *session, void *buffer,
			      MPI_Count size)
{
	return mpi_buffer_attach(me, mpi_on_session(session), &session->buffer, buffer, size);
}

int mpi_session_detach_buffer(struct mpi_rank *me, struct mpi_session *session, void *buffer_addr,
			      MPI_Count *size)
{
	return mpi_buffer_detach(me, &session->buffer, buffer_addr, size);
}

int mpi_session_flush_buffer(struct mpi_rank *me, struct mpi_session *session)
{
	return mpi_buffer_flush(me, session->buffer);
}

int mpi_session_iflush_buffer(struct mpi_rank *me, struct mpi_session *session,
			      MPI_Request *request)
{
	return mpi_buffer_iflush(me, session->buffer, request);
}
