/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_CORE_SESSION_H
#define MPI_CORE_SESSION_H

#include "mpi/core/rank.h"
#include "mpi/core/errhandler.h"

struct mpi_buffer;

/* A session of one rank: another way into MPI than MPI_Init, as often as the program likes. */
struct mpi_session {
	MPI_Session handle;
	struct mpi_errhandler *errhandler;
	struct mpi_buffer *buffer; /* MPI_Session_attach_buffer; NULL: none */
	int thread_level;
};

/* NULL when the handle is none, or its session has ended. O(1). */
static inline struct mpi_session *mpi_session_get(const struct mpi_rank *me, MPI_Session handle)
{
	return mpi_handle_object(me, KIND_SESSION, (uintptr_t)handle);
}
/* "MPI_THREAD_SINGLE" and the like. */
const char *mpi_session_thread_name(int thread_level);

#endif
