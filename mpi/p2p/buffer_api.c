/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers of the process (MPI_Buffer_*) and of communicators (MPI_Comm_*_buffer). */
#include "mpi/abi/mpi-calls.h"
#include "mpi/p2p/buffer.h"
#include "mpi/p2p/endpoint.h"

int mpi_process_attach_buffer(struct mpi_rank *me, void *buffer, MPI_Count size)
{
	return mpi_buffer_attach(me, MPI_ON_NONE, &me->endpoint->buffer, buffer, size);
}

int mpi_process_detach_buffer(struct mpi_rank *me, void *buffer_addr, MPI_Count *size)
{
	return mpi_buffer_detach(me, &me->endpoint->buffer, buffer_addr, size);
}

int mpi_process_flush_buffer(struct mpi_rank *me)
{
	return mpi_buffer_flush(me, me->endpoint->buffer);
}

int mpi_process_iflush_buffer(struct mpi_rank *me, MPI_Request *request)
{
	return mpi_buffer_iflush(me, me->endpoint->buffer, request);
}

int mpi_comm_attach_buffer(struct mpi_rank *me, struct mpi_comm *comm, void *buffer, MPI_Count size)
{
	return mpi_buffer_attach(me, mpi_on_comm(comm), &comm->buffer, buffer, size);
}

int mpi_comm_detach_buffer(struct mpi_rank *me, struct mpi_comm *comm, void *buffer_addr,
			   MPI_Count *size)
{
	return mpi_buffer_detach(me, &comm->buffer, buffer_addr, size);
}

int mpi_comm_flush_buffer(struct mpi_rank *me, struct mpi_comm *comm)
{
	return mpi_buffer_flush(me, comm->buffer);
}

int mpi_comm_iflush_buffer(struct mpi_rank *me, struct mpi_comm *comm, MPI_Request *request)
{
	return mpi_buffer_iflush(me, comm->buffer, request);
}
