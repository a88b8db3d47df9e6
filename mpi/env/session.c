/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions: from MPI_Session_init to MPI_Session_finalize, their error handlers. */
#include "mpi/core/session.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/env/env.h"
#include "mpi/info/info.h"
#include "mpi/p2p/buffer.h"

static const struct {
	const char *name;
	int level;
} levels[] = {
    {"MPI_THREAD_SINGLE", MPI_THREAD_SINGLE},
    {"MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED},
    {"MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED},
    {"MPI_THREAD_MULTIPLE", MPI_THREAD_MULTIPLE},
};
#define N_LEVELS (sizeof levels / sizeof levels[0])

/* What *info* of MPI_Session_init asks for, as far as there is more than one; MPI_INFO_NULL: the
 * least. Negative: asks for no level that there is. */
static int thread_level_of(struct mpi_rank *me, MPI_Info info)
{
	const struct mpi_info *hints = mpi_info_get(me, info);
	const char *wanted = hints ? mpi_info_value(hints, "thread_level") : NULL;

	if (hints && !wanted) /* so MPI 4.1 calls it */
		wanted = mpi_info_value(hints, "mpi_thread_support_level");
	if (!wanted)
		return MPI_THREAD_SINGLE;
	for (size_t i = 0; i < N_LEVELS; i++)
		if (strcmp(levels[i].name, wanted) == 0)
			return mpi_env_thread_level(levels[i].level);
	return -1;
}

const char *mpi_session_thread_name(int thread_level)
{
	size_t i = 0;

	while (i + 1 < N_LEVELS && levels[i].level != thread_level)
		i++;
	return levels[i].name;
}

static struct mpi_session *create(struct mpi_rank *me, struct mpi_errhandler *handler, int level)
{
	struct mpi_session *session = calloc(1, sizeof *session);

	if (!session)
		return NULL;
	session->handle = (MPI_Session)mpi_handle_create(me, KIND_SESSION, session);
	if (!session->handle) {
		free(session);
		return NULL;
	}
	session->thread_level = level;
	session->errhandler = handler;
	mpi_errhandler_retain(handler);
	return session;
}

/* Errors before there is a session go to the handler that it was to have. */
int mpi_session_init(struct mpi_rank *me, MPI_Info info, MPI_Errhandler errhandler,
		     MPI_Session *out)
{
	struct mpi_errhandler *handler = mpi_errhandler_get(me, errhandler);
	uintptr_t none = (uintptr_t)MPI_SESSION_NULL;
	struct mpi_session *session;
	int level;

	if (!handler || (handler->kind == ERRHANDLER_USER && handler->object != KIND_SESSION))
		return mpi_raise(me, NULL, MPI_ERR_ERRHANDLER,
				 "errhandler is not an error handler of sessions");
	if (!out)
		return mpi_raise_on(me, handler, none, MPI_ERR_ARG, "session is NULL");
	*out = MPI_SESSION_NULL;
	if (info != MPI_INFO_NULL && !mpi_info_get(me, info))
		return mpi_raise_on(me, handler, none, MPI_ERR_INFO, "info is not an info object");
	level = thread_level_of(me, info);
	if (level < 0)
		return mpi_raise_on(me, handler, none, MPI_ERR_INFO_VALUE,
				    "thread_level in info is no level of thread support");
	session = create(me, handler, level);
	if (!session)
		return mpi_raise_on(me, handler, none, MPI_ERR_NO_MEM,
				    "out of memory for a session");
	mpi_env_open(me);
	*out = session->handle;
	return MPI_SUCCESS;
}

int mpi_session_finalize(struct mpi_rank *me, struct mpi_session *session, MPI_Session *place)
{
	mpi_buffer_flush(me, session->buffer);
	mpi_buffer_abandon(session->buffer);
	mpi_handle_destroy(me, (uintptr_t)session->handle);
	mpi_errhandler_release(me, session->errhandler);
	free(session);
	mpi_env_close(me);
	*place = MPI_SESSION_NULL;
	return MPI_SUCCESS;
}

/* --- error handlers --- */

int mpi_session_set_errhandler(struct mpi_rank *me, struct mpi_session *session,
			       MPI_Errhandler errhandler)
{
	return mpi_errhandler_set(me, KIND_SESSION, (uintptr_t)session->handle, errhandler,
				  &session->errhandler);
}

int mpi_session_get_errhandler(struct mpi_rank *me, struct mpi_session *session,
			       MPI_Errhandler *errhandler)
{
	return mpi_errhandler_give(session->errhandler, errhandler);
}

int mpi_session_call_errhandler(struct mpi_rank *me, struct mpi_session *session, int errorcode)
{
	mpi_raise_on(me, session->errhandler, (uintptr_t)session->handle, errorcode,
		     "the program called the error handler with code %d", errorcode);
	return MPI_SUCCESS;
}
