/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_WATCH_WATCH_H
#define MPI_WATCH_WATCH_H

#include "mpi/core/rank.h"
#include "mpi/watch/call.h"

/*
 * Tells watchers of each MPI call with its arguments, before it does anything and when it is over: recording,
 * verification, the graph, the debugger. The program's calls are bound to generated functions around the real ones
 * (mpi/abi/wrappers.py), so a run that nobody watches pays nothing. So are those of
 * libraries (pdexec/rebind.h). Calls from within calls (callbacks) are not told.
 */
struct mpi_watcher {
	void *context;
	/* On the rank's fiber, in the call: the clock stands at its begin. May block the rank. */
	void (*enter)(void *context, struct mpi_watch_call *call);
	/* Polls that mpi/p2p/poll.h answers quickly need not be told: the next call has their number. */
	bool skips_polls;
	/* Returns the code for those who come after, at last the program. NULL: not wanted. */
	int (*leave)(void *context, struct mpi_watch_call *call, int code);
};

enum { MPI_WATCH_MOST = 3 };

struct mpi_watch {
	struct mpi_watcher of[MPI_WATCH_MOST];
	int n;
};

/* Before the ranks run, with config->substitute that binds the calls. 0 or UTIL_ENOMEM. */
int mpi_watch_add(struct mpi_world *world, const struct mpi_watcher *watcher);
/* Those with this context are told no more. */
void mpi_watch_remove(struct mpi_world *world, const void *context);
void mpi_watch_destroy(struct mpi_watch *watch); /* with the world; NULL is fine */

/* What the program gets for the MPI function `name`, also PMPI_…; NULL: the function itself. */
void *mpi_watch_substitute(const char *name);
/* The generated function around `function`; NULL: there is none. */
void *mpi_watch_address(const struct mpi_call_info *function);
/* By index of mpi_call_infos; NULL: none. */
extern void (*const mpi_wrappers[])(void);

/* The function of this name, also as PMPI_…, if calls of it are told; else NULL. */
const struct mpi_call_info *mpi_watched(const char *name);

/* It has no effect on times or other ranks. */
static inline bool mpi_watch_is_local(const struct mpi_call_info *function)
{
	return function->record == RECORD_LOCAL;
}

/* All of a communicator, window or file have to call it. */
bool mpi_watch_is_collective(const struct mpi_call_info *function);
/* The communicator of the call, or that of its window or file; NULL: none. */
const struct mpi_comm *mpi_watch_comm(const struct mpi_watch_call *call);

#endif
