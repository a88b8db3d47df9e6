/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_TOOL_PVAR_H
#define MPI_TOOL_PVAR_H

#include "mpi/tool/tool.h"
#include "util/list.h"

/* A performance variable as one tool looks at it: 0 at first, counts while it is started. */
struct tool_pvar_handle {
	struct util_link link; /* of its session */
	MPI_T_pvar_handle handle;
	struct tool_pvar_session *session;
	const struct tool_pvar *pvar;
	bool is_started;
	union tool_value begin; /* of the variable, when it was started */
	union tool_value sum;	/* of the times before that */
};

struct tool_pvar_session {
	struct util_list handles;
};

/* MPI_SUCCESS and the object, or MPI_T_ERR_INVALID_SESSION. */
int tool_pvar_session_check(const struct mpi_rank *me, MPI_T_pvar_session handle,
			    struct tool_pvar_session **session);
/* That, or MPI_T_ERR_INVALID_HANDLE, also for another session's. */
int tool_pvar_check(const struct mpi_rank *me, MPI_T_pvar_session session, MPI_T_pvar_handle handle,
		    struct tool_pvar_handle **object);

#endif
