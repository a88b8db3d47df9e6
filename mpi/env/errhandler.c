/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/abi/mpi-calls.h"
#include "mpi/comm/comm.h"
#include "mpi/core/errhandler.h"

int mpi_comm_set_errhandler(struct mpi_rank *me, struct mpi_comm *comm, MPI_Errhandler errhandler)
{
	return mpi_errhandler_set(me, KIND_COMM, (uintptr_t)comm->handle, errhandler,
				  &comm->errhandler);
}

int mpi_comm_get_errhandler(struct mpi_rank *me, struct mpi_comm *comm, MPI_Errhandler *errhandler)
{
	return mpi_errhandler_give(comm->errhandler, errhandler);
}

int mpi_comm_call_errhandler(struct mpi_rank *me, struct mpi_comm *comm, int errorcode)
{
	mpi_raise(me, comm, errorcode, "the program called the error handler with code %d",
		  errorcode);
	return MPI_SUCCESS;
}

int mpi_errhandler_free(struct mpi_rank *me, MPI_Errhandler *errhandler)
{
	struct mpi_errhandler *handler = mpi_errhandler_get(me, *errhandler);

	if (!handler || (handler->kind == ERRHANDLER_USER && handler->n_held == 0))
		return mpi_raise(me, NULL, MPI_ERR_ERRHANDLER,
				 handler ? "errhandler was freed already"
					 : "errhandler is not an error handler");
	if (handler->kind == ERRHANDLER_USER)
		handler->n_held--;
	mpi_errhandler_release(me, handler);
	*errhandler = MPI_ERRHANDLER_NULL;
	return MPI_SUCCESS;
}
