/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_CALL_H
#define MPI_VERIFY_CALL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi/abi/call_info.h"
#include "mpi/p2p/request.h"

/*
 * The functions that a verified program calls instead of MPI's (mpi/verify/generate.py): each gives
 * its arguments to what looks at the call before and after the real one.
 */
/* Parameters by their names; an argument that a function has not is 0. */
enum mpi_verify_argument {
	MPI_ARG_BUF,
	MPI_ARG_BUFFER,
	MPI_ARG_SENDBUF,
	MPI_ARG_RECVBUF,
	MPI_ARG_COUNT,
	MPI_ARG_SENDCOUNT,
	MPI_ARG_SENDCOUNTS,
	MPI_ARG_RECVCOUNT,
	MPI_ARG_RECVCOUNTS,
	MPI_ARG_PARTITIONS,
	MPI_ARG_DISPLS,
	MPI_ARG_SDISPLS,
	MPI_ARG_RDISPLS,
	MPI_ARG_DATATYPE,
	MPI_ARG_SENDTYPE,
	MPI_ARG_SENDTYPES,
	MPI_ARG_RECVTYPE,
	MPI_ARG_RECVTYPES,
	MPI_ARG_DEST,
	MPI_ARG_SOURCE,
	MPI_ARG_TAG,
	MPI_ARG_SENDTAG,
	MPI_ARG_RECVTAG,
	MPI_ARG_COMM,
	MPI_ARG_ROOT,
	MPI_ARG_OP,
	MPI_ARG_REQUEST,
	MPI_ARG_ARRAY_OF_REQUESTS,
	MPI_ARG_INCOUNT,
	MPI_ARG_INDX,
	MPI_ARG_OUTCOUNT,
	MPI_ARG_ARRAY_OF_INDICES,
	MPI_ARG_FLAG,
	MPI_ARG_MESSAGE,
	MPI_ARG_NEWCOMM,
	MPI_ARG_WIN,
	MPI_ARG_ASSERT,
	MPI_ARG_ORIGIN_ADDR,
	MPI_ARG_RESULT_ADDR,
	MPI_N_ARGS,
};

enum mpi_verify_kind {
	MPI_CALL_SEND,
	MPI_CALL_RECV,
	MPI_CALL_SENDRECV,
	MPI_CALL_PARTITIONED,
	MPI_CALL_COLL,
	MPI_CALL_TOGETHER,     /* collective over comm, but of no chapter of collectives */
	MPI_CALL_TOGETHER_WIN, /* over the window's group */
	MPI_CALL_WAIT,
	MPI_CALL_TEST,
	MPI_CALL_START,
	MPI_CALL_FREE,
	MPI_CALL_CANCEL,
	MPI_CALL_PROBE,
	MPI_CALL_MPROBE,
	MPI_CALL_MRECV,
	MPI_CALL_COMM_FREE,
	MPI_CALL_LOCK,
	MPI_CALL_INIT,
	MPI_CALL_FINALIZE,
	MPI_CALL_MEMORY, /* of none of these: its buffers are looked at, or its window */
};

union mpi_verify_value {
	const void *p; /* pointers and handles */
	int64_t i;
};

struct mpi_verify_function {
	const char *name;
	void (*function)(void); /* of the type of the function it stands for */
	const char
	    *operation; /* of collectives: "Bcast", whatever its form; else the name without MPI_ */
	enum mpi_verify_kind kind;
	enum mpi_form form;
	enum mpi_send_mode mode;
	bool is_large;		/* counts in arrays are MPI_Count */
	bool values_are_places; /* comm or win is a pointer to the handle */
	signed char at
	    [MPI_N_ARGS]; /* where an argument stands among the function's, from 1; 0: it has none */
};
const struct mpi_verify_function *mpi_verify_functions(int *out_n); /* by name */

struct mpi_shadow;
struct mpi_shadow_op;
struct mpi_shadow_plan;
struct mpi_shadow_step;

struct mpi_verify_call { /* under way */
	struct mpi_rank *me;
	struct mpi_shadow *shadow; /* NULL: nothing is looked at */
	struct mpi_watch_call *watched; /* NULL: nobody watches */
	const struct mpi_verify_function *function;
	const union mpi_verify_value *values; /* the arguments, as they stand; then the caller's
						 frame */
	MPI_Status *status;   /* the program's, or `own`; NULL: the function has none */
	MPI_Status *statuses; /* the same of an array */
	MPI_Status own;
	MPI_Status *own_statuses;     /* malloc'd; NULL: none */
	struct mpi_shadow_plan *plan; /* what it does; NULL: nothing that is posted */
	struct mpi_shadow_op *ops[2]; /* that it has posted */
	int n_ops;
	struct mpi_shadow_step *step;	   /* in which it waits in the strict view; NULL: none */
	uint64_t *handles, own_handles[4]; /* [n_handles] the requests that it was given: indices of
						handles; UINT64_MAX: none */
	int n_handles;
	uint32_t context; /* of the communicator that it frees */
	struct mpi_memory_buffers *buffers; /* mpi/verify/memory.h; NULL: none */
	struct deed *deed;		    /* mpi/verify/order.c's own */
};

static inline bool mpi_verify_has(const struct mpi_verify_call *call,
				  enum mpi_verify_argument argument)
{
	return call->function->at[argument] > 0;
}

static inline union mpi_verify_value mpi_verify_value(const struct mpi_verify_call *call,
						      enum mpi_verify_argument argument)
{
	int at = call->function->at[argument];

	return at > 0 ? call->values[at - 1] : (union mpi_verify_value){.p = NULL};
}

/* Enters the call and looks at its arguments. False within a callback of another one: nothing is
 * looked at then, nor entered. */
bool mpi_verify_begin(struct mpi_verify_call *call, const struct mpi_verify_function *function,
		      const union mpi_verify_value values[], const void *site);
/* The memory that stands for the buffer `given`, which is argument `place`. */
void *mpi_memory_instead(const struct mpi_verify_call *call, int place, const void *given);
static inline void *mpi_verify_buffer(const struct mpi_verify_call *call, int place,
				      const void *given)
{
	return call->buffers ? mpi_memory_instead(call, place, given) : (void *)(uintptr_t)given;
}
/* The statuses of the call: the program's, or its own where the program wants none. */
MPI_Status *mpi_verify_status(struct mpi_verify_call *call, MPI_Status *status);
MPI_Status *mpi_verify_statuses(struct mpi_verify_call *call, int n, MPI_Status statuses[]);
/* Looks at what the call gave, and leaves it. Returns `code`. */
int mpi_verify_end_call(struct mpi_verify_call *call, int code);

#endif
