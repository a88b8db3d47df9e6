/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/abi/mpi-calls.h"
#include "mpi/env/errhandler.h"

#include <stdlib.h>

#include "mpi/comm/comm.h"

/* Predefined handlers are never freed or changed: reference counts pass them by. */
static struct mpi_errhandler predefined[] = {
    {.handle = MPI_ERRORS_ARE_FATAL, .kind = ERRHANDLER_FATAL},
    {.handle = MPI_ERRORS_ABORT, .kind = ERRHANDLER_ABORT},
    {.handle = MPI_ERRORS_RETURN, .kind = ERRHANDLER_RETURN},
};

struct mpi_errhandler *mpi_errhandler_fatal(void)
{
	return &predefined[0];
}

struct mpi_errhandler *mpi_errhandler_get(const struct mpi_rank *me, MPI_Errhandler handle)
{
	for (size_t i = 0; i < sizeof predefined / sizeof predefined[0]; i++)
		if (predefined[i].handle == handle)
			return &predefined[i];
	return mpi_handle_object(me, KIND_ERRHANDLER, (uintptr_t)handle);
}

void mpi_errhandler_retain(struct mpi_errhandler *handler)
{
	if (handler->kind == ERRHANDLER_USER)
		handler->n_references++;
}

void mpi_errhandler_release(struct mpi_rank *me, struct mpi_errhandler *handler)
{
	if (!handler || handler->kind != ERRHANDLER_USER || --handler->n_references > 0)
		return;
	mpi_handle_destroy(me, (uintptr_t)handler->handle);
	free(handler);
}

int mpi_errhandler_create(struct mpi_rank *me, int object, void (*user)(void), MPI_Errhandler *out)
{
	struct mpi_errhandler *handler;

	if (!user)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "the function is NULL");
	handler = calloc(1, sizeof *handler);
	if (!handler)
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for an error handler");
	handler->n_references = 1;
	handler->n_held = 1;
	handler->kind = ERRHANDLER_USER;
	handler->object = object;
	handler->user = user;
	handler->language = mpi_foreign_take_language(me);
	handler->handle = (MPI_Errhandler)mpi_handle_create(me, KIND_ERRHANDLER, handler);
	*out = handler->handle;
	return MPI_SUCCESS;
}

int mpi_errhandler_set(struct mpi_rank *me, enum mpi_kind object, MPI_Errhandler handle,
		       struct mpi_errhandler **slot)
{
	struct mpi_errhandler *handler = mpi_errhandler_get(me, handle);

	if (!handler || (handler->kind == ERRHANDLER_USER && handler->object != object))
		return MPI_ERR_ERRHANDLER;
	mpi_errhandler_retain(handler);
	mpi_errhandler_release(me, *slot);
	*slot = handler;
	return MPI_SUCCESS;
}

int mpi_errhandler_give(struct mpi_errhandler *handler, MPI_Errhandler *out)
{
	mpi_errhandler_retain(handler); /* the caller frees what it got */
	if (handler->kind == ERRHANDLER_USER)
		handler->n_held++;
	*out = handler->handle;
	return MPI_SUCCESS;
}

int mpi_comm_set_errhandler(struct mpi_rank *me, struct mpi_comm *comm, MPI_Errhandler errhandler)
{
	int code = mpi_errhandler_set(me, KIND_COMM, errhandler, &comm->errhandler);

	if (code != MPI_SUCCESS)
		code = mpi_raise(me, comm, code,
				 "errhandler is not an error handler of communicators");
	return code;
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
