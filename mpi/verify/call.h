/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_CALL_H
#define MPI_VERIFY_CALL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi/p2p/request.h"

/*
 * The functions that a verified program calls instead of MPI's (mpi/verify/generate.py): each gives
 * its arguments to what looks at the call before and after the real one.
 */
enum mpi_verify_argument { /* parameters by their names; an argument that a function has not is 0 */
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
	MPI_CALL_INIT,
	MPI_CALL_FINALIZE,
	MPI_CALL_MEMORY, /* of none of these: its buffers are looked at, or its window */
};

enum mpi_verify_form { MPI_FORM_BLOCKING, MPI_FORM_NONBLOCKING, MPI_FORM_PERSISTENT };

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
	enum mpi_verify_form form;
	enum mpi_send_mode mode;
	bool is_large;	/* counts in arrays are MPI_Count */
	uint64_t given; /* the arguments that it has, as bits */
};
const struct mpi_verify_function *mpi_verify_functions(int *out_n); /* by name */

struct mpi_verify_op;

struct mpi_verify_call { /* under way */
	struct mpi_rank *me;
	const struct mpi_verify_function *function;
	/* [MPI_N_ARGS], behind them all arguments by their places, and the caller's frame */
	const union mpi_verify_value *values;
	MPI_Status *status;   /* the program's, or `own`; NULL: the function has none */
	MPI_Status *statuses; /* the same of an array */
	MPI_Status own;
	MPI_Status *own_statuses;     /* malloc'd; NULL: none */
	bool is_tracked;	      /* the arguments are right as far as they are looked at */
	struct mpi_verify_op *ops[2]; /* that it has posted, on the shadow of the matching */
	int n_ops;
	struct mpi_memory_buffers *buffers; /* mpi/verify/memory.h; NULL: none */
	struct deed *deed;		    /* mpi/verify/order.c's own */
};

/* Enters the call and looks at its arguments. False within a callback of another one: nothing is
 * looked at then, nor entered. */
bool mpi_verify_begin(struct mpi_verify_call *call, const struct mpi_verify_function *function,
		      const union mpi_verify_value values[], const void *site);
/* The memory that stands for the buffer `given`, which is argument `place`. */
void *mpi_verify_buffer(struct mpi_verify_call *call, int place, const void *given);
/* The statuses of the call: the program's, or its own where the program wants none. */
MPI_Status *mpi_verify_status(struct mpi_verify_call *call, MPI_Status *status);
MPI_Status *mpi_verify_statuses(struct mpi_verify_call *call, int n, MPI_Status statuses[]);
/* Looks at what the call gave, and leaves it. Returns `code`. */
int mpi_verify_end_call(struct mpi_verify_call *call, int code);

#endif
