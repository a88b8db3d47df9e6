/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_WATCH_WATCH_H
#define MPI_WATCH_WATCH_H

#include "mpi/core/rank.h"

/*
 * Tells watchers of each MPI call with its arguments, before it does anything and when it is over.
 * The program's calls are bound to generated functions around the real ones
 * (generate.py, from mpi/abi/functions.txt), so a run that nobody watches pays nothing. Calls from
 * within calls (callbacks) are not told, nor calls of libraries that the program is not linked with
 * statically.
 */
enum { MPI_WATCH_MAX_ARGUMENTS = 16 };

/* What an argument is; the letters stand in the generated table. */
enum mpi_watch_kind {
	MPI_WATCH_OTHER = '-', /* nothing is known of its value */
	MPI_WATCH_INT = 'i',
	MPI_WATCH_COUNT = 'n', /* of items of a datatype that goes with it */
	MPI_WATCH_PEER = 'p',  /* a rank of the communicator, or MPI_ANY_SOURCE, … */
	MPI_WATCH_TAG = 'k',
	MPI_WATCH_BUFFER = 'b',
	MPI_WATCH_COMM = 'c',
	MPI_WATCH_DATATYPE = 't',
	MPI_WATCH_OP = 'o',
	MPI_WATCH_WIN = 'w',
	MPI_WATCH_FILE = 'f',
	MPI_WATCH_REQUEST = 'r',       /* a handle */
	MPI_WATCH_REQUEST_PLACE = 'R', /* MPI_Request *, read or written */
	MPI_WATCH_REQUESTS = 'q',      /* an array; its length is the first argument */
	MPI_WATCH_COMM_PLACE = 'C',    /* MPI_Comm *, read or written */
	MPI_WATCH_TEXT = 's',	       /* const char * */
};

struct mpi_watch_function {
	const char *name;
	void (*function)(
	    void);	    /* of the type of the function it stands for; NULL: it is not watched */
	const char *kinds;  /* a letter for each argument */
	const char *names;  /* of the arguments, parted by spaces */
	bool is_local;	    /* it has no effect on times or other ranks */
	bool is_collective; /* all of a communicator, window or file have to call it */
};

union mpi_watch_value {
	int64_t number;
	const void *place;
	uintptr_t handle;
};

struct mpi_watch_call {
	const struct mpi_watch_function *function;
	struct mpi_rank *me;
	const void *site;
	union mpi_watch_value values[MPI_WATCH_MAX_ARGUMENTS];
};

struct mpi_watcher { /* NULL: not wanted */
	void *context;
	/* On the rank's fiber, in the call: the clock stands at its begin. May block the rank. */
	void (*enter)(void *context, const struct mpi_watch_call *call);
	void (*leave)(void *context, const struct mpi_watch_call *call, int code);
};

enum { MPI_WATCH_MOST = 2 };

struct mpi_watch {
	struct mpi_watcher of[MPI_WATCH_MOST];
	int n;
};

/* Before the ranks run, with mpi_watch_substitute as config->substitute. 0 or UTIL_ENOMEM. */
int mpi_watch_add(struct mpi_world *world, const struct mpi_watcher *watcher);
void mpi_watch_destroy(struct mpi_watch *watch); /* with the world; NULL is fine */
/* What the program gets for the MPI function `name`; NULL: the function itself. */
void *mpi_watch_substitute(const char *name);
/* All of them, by name. */
const struct mpi_watch_function *mpi_watch_functions(int *out_n);
/* The one of that name, also as PMPI_…; NULL: there is none. */
const struct mpi_watch_function *mpi_watch_function(const char *name);
/* The first argument of that kind; -1: there is none. */
int mpi_watch_find(const struct mpi_watch_call *call, enum mpi_watch_kind kind);
/* The communicator of the call, or that of its window or file; NULL: none. */
const struct mpi_comm *mpi_watch_comm(const struct mpi_watch_call *call);

/* --- for the generated functions --- */

/* Enters the call. False: nobody watches it, and it is not entered. */
bool mpi_watch_enter(struct mpi_watch_call *call, const struct mpi_watch_function *function,
		     const void *site);
int mpi_watch_leave(struct mpi_watch_call *call, int code);

/*
 * The same for functions that others have put around the real ones: the call is entered, `values` are
 * all of its arguments. What mpi_watch_begin returns is for mpi_watch_end; NULL where nobody watches.
 */
struct mpi_watch_call *mpi_watch_begin(struct mpi_rank *me, const char *name, const void *site,
				       const union mpi_watch_value values[]);
void mpi_watch_end(struct mpi_watch_call *call, int code);

#endif
