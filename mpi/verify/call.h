/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_CALL_H
#define MPI_VERIFY_CALL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi/abi/call_info.h"
#include "mpi/p2p/request.h"

/* A call that verification looks at, before the real one and after it. */
struct mpi_shadow;
struct mpi_shadow_op;
struct mpi_shadow_plan;
struct mpi_shadow_step;

struct mpi_verify_call { /* under way */
	struct mpi_rank *me;
	struct mpi_shadow *shadow; /* NULL: nothing is looked at */
	const struct mpi_call_info *function;
	union mpi_value *values; /* of mpi/watch/call.h */
	MPI_Status *status;	 /* the program's, or `own`; NULL: the function has none */
	MPI_Status *statuses;	 /* the same of an array */
	MPI_Status own;
	MPI_Status *own_statuses;     /* malloc'd; NULL: none */
	struct mpi_shadow_plan *plan; /* what it does; NULL: nothing that is posted */
	struct mpi_shadow_op *ops[2]; /* that it has posted */
	int n_ops;
	struct mpi_shadow_step *step;	   /* in which it waits in the strict view; NULL: none */
	uint64_t *handles; /* [n_handles] the requests that it was given: indices of handles;
			      UINT64_MAX: none. `own_handles` where they fit */
	int n_handles;
	uint32_t context;		    /* of the communicator that it frees */
	struct mpi_memory_buffers *buffers; /* mpi/verify/memory.h; NULL: none */
	struct mpi_race_deed *deed;	    /* mpi/verify/order.c's own */
	uint64_t own_handles[16];
};

static inline bool mpi_verify_has(const struct mpi_verify_call *call, enum mpi_argument argument)
{
	return call->function->at[argument] > 0;
}

static inline union mpi_value mpi_verify_value(const struct mpi_verify_call *call,
					       enum mpi_argument argument)
{
	return mpi_value_at(call->function, call->values, argument);
}

#endif
