/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/core/errhandler.h"

#include <stdlib.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/core/foreign.h"

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

int mpi_errhandler_create(struct mpi_rank *me, int kind, void (*user)(void), MPI_Errhandler *out)
{
	struct mpi_errhandler *handler;

	if (!user)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "the function is NULL");
	handler = calloc(1, sizeof *handler);
	if (!handler)
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory");
	handler->n_references = 1;
	handler->n_held = 1;
	handler->kind = ERRHANDLER_USER;
	handler->object = kind;
	handler->user = user;
	handler->language = mpi_foreign_take_language(me);
	handler->handle = (MPI_Errhandler)mpi_handle_create(me, KIND_ERRHANDLER, handler);
	*out = handler->handle;
	return MPI_SUCCESS;
}

int mpi_errhandler_set(struct mpi_rank *me, enum mpi_kind kind, uintptr_t object,
		       MPI_Errhandler handle, struct mpi_errhandler **slot)
{
	static const char *const objects[] = {[KIND_COMM] = "communicators",
					      [KIND_WIN] = "windows",
					      [KIND_FILE] = "files",
					      [KIND_SESSION] = "sessions"};
	struct mpi_errhandler *handler = mpi_errhandler_get(me, handle);

	if (!handler || (handler->kind == ERRHANDLER_USER && handler->object != kind))
		return mpi_raise_on(me, *slot, object, MPI_ERR_ERRHANDLER,
				    "errhandler is not an error handler of %s", objects[kind]);
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
