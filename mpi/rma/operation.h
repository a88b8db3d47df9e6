/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_RMA_OPERATION_H
#define MPI_RMA_OPERATION_H

#include "mpi/op/op.h"
#include "mpi/rma/window.h"
#include "netmodel/model.h"

/*
 * Everything that one member does to another is a message to it, which is served there, and in most
 * cases an answer (docs/model.md §8):
 *
 *   put, accumulate          data →          ← acknowledgement
 *   get                      request →       ← data
 *   fetching accumulates     operands →      ← data
 *   lock                     request →       ← grant, when nobody is in the way
 *   unlock, post, complete   notice →
 *
 * Messages of one member to another over one window are served in the order in which they started.
 * With `rma.progress: nic` they are served when they are there, by the network interface; with
 * `in_mpi` when their receiver is in a call that makes progress, at the cost of a receive overhead.
 */
enum rma_kind {
	RMA_PUT,
	RMA_GET,
	RMA_ACCUMULATE,
	RMA_GET_ACCUMULATE, /* MPI_Fetch_and_op too */
	RMA_COMPARE_AND_SWAP,
	RMA_LOCK,
	RMA_LOCK_ALL,
	RMA_UNLOCK,
	RMA_UNLOCK_ALL,
	RMA_POST,
	RMA_COMPLETE,
};

/* `count` items of `type` at `addr`. */
struct rma_data {
	char *addr;
	MPI_Count count;
	struct mpi_datatype *type; /* retained by operations; NULL: there is none */
};

struct rma_op {
	struct net_transfer transfer; /* the one that is under way */
	struct rma_op
	    *next; /* to the same peer; among those that wait to be served; among waiters */
	enum rma_kind kind;
	struct mpi_win *origin, *target;
	struct rma_peer *peer; /* of the origin */
	struct rma_data from, to,
	    result;	     /* the origin's data, the target's, where fetched data go */
	const void *compare; /* of the origin */
	struct mpi_op *op;
	int64_t size_B; /* of the data */
	void *operand;	/* packed copy of `from` (and `compare`); NULL: still with the origin */
	void *fetched;	/* packed data for `result`; NULL: none */
	int lock_type;	/* RMA_LOCK, RMA_UNLOCK */
	int n_bypassed; /* RMA_LOCK…: how often others were let through while it waited */
	bool has_arrived, is_local;  /* is_local: the origin's buffers are not in use any more */
	struct mpi_request *request; /* MPI_Rput and the like; NULL: none */
	sim_time_ps started;
	void *cause; /* the token of mpi/rma/causes.h; NULL: nobody asks */
};

/* A message of `win` to member `target`, all zero else; fails the run when out of memory. */
struct rma_op *rma_op_create(struct mpi_win *win, enum rma_kind kind, int target);
/* Spends the send overhead and sends it off. On the origin's fiber. */
void rma_op_start(struct mpi_rank *me, struct rma_op *op);
/* The answer of `size_B` bytes; its arrival completes the operation. From anywhere. */
void rma_op_answer(struct rma_op *op, int64_t size_B);
/* The origin's buffers are not needed any more, or never were. */
void rma_op_complete_locally(struct rma_op *op);
/* Creates and starts a message without data. */
void rma_notify(struct mpi_rank *me, struct mpi_win *win, enum rma_kind kind, int target,
		int lock_type);

/* --- effects at the target, at the time at which it is served --- */

/* Moves the data of an operation; what was fetched is in op->fetched. */
void rma_apply(struct rma_op *op);
/* Takes a copy of what the origin lends, so that the origin may go on. */
void rma_keep_operand(struct rma_op *op);
/* Puts what was fetched where it belongs. */
void rma_deliver_result(struct rma_op *op);

/* --- locks (lock.c) --- */

/* Grants the lock that `op` asks for, at once or later. */
void rma_lock_request(struct rma_op *op);
/* Releases what `op` gives back, and grants what was waiting for it. */
void rma_lock_release(struct rma_op *op);

/* --- waiting (wait.c) --- */

/* Blocks until what is waited for is so; `rank` -1: for all. On the rank's fiber. */
void rma_wait_for(struct mpi_rank *me, struct mpi_win *win, enum rma_wait wait, int rank);
/* Is what `wait` stands for so? */
bool rma_is_so(const struct mpi_win *win, enum rma_wait wait, int rank);
/* Something has changed for `win`: its rank goes on if it waited for that. `started`: when the
 * message that changed it entered the network; `cause_mark`: of rma_cause_released. From anywhere. */
void rma_changed(struct mpi_win *win, sim_time_ps started, int64_t cause_mark);

#endif
