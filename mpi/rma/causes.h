/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_RMA_CAUSES_H
#define MPI_RMA_CAUSES_H

#include "mpi/p2p/causes.h"
#include "mpi/rma/operation.h"
#include "pdexec/cores.h"

/* What one-sided communication tells `sim_observer.causes`: an operation, with its answer, is one
 * message there. Without an observer of causes each of these is a load and a branch. */

/* On the origin's fiber. */
static inline void rma_cause_begin(struct rma_op *op)
{
	const struct mpi_rank *me = op->origin->owner;
	const struct sim_causes *causes = mpi_causes_of(me);
	struct sim_cause_message entry;

	if (__builtin_expect(!causes, 1))
		return;
	entry = (struct sim_cause_message){
	    .sender = mpi_cause_place(me),
	    .dest = op->target->owner->pd->rank,
	    .size_B = op->size_B,
	    .sent = me->call_begin,
	    .level = pd_level_between(me->pd, op->target->owner->pd),
	};
	op->cause = causes->message_begin(causes->context, &entry, mpi_causes_now(me));
}

static inline void rma_cause_transfer(struct rma_op *op, bool is_back)
{
	const struct mpi_rank *me = op->origin->owner;
	const struct sim_causes *causes = mpi_causes_of(me);

	if (__builtin_expect(op->cause != NULL, 0))
		causes->transfer_begin(causes->context, op->cause, mpi_cause_rank(me), is_back,
				       mpi_causes_now(me));
}

static inline void rma_cause_arrived(struct rma_op *op)
{
	const struct mpi_rank *me = op->origin->owner;
	const struct sim_causes *causes = mpi_causes_of(me);

	if (__builtin_expect(op->cause != NULL, 0))
		causes->transfer_end(causes->context, op->cause, op->transfer.size_B, 1,
				     mpi_causes_now(me));
}

/* `win`'s rank may wait for what has happened. */
static inline int64_t rma_cause_released(const struct rma_op *op, const struct mpi_win *win)
{
	const struct sim_causes *causes = mpi_causes_of(win->owner);

	return __builtin_expect(!op->cause, 1)
		   ? 0
		   : causes->released(causes->context, op->cause, win->owner->pd->rank,
				      mpi_causes_now(win->owner));
}

static inline void rma_cause_end(struct rma_op *op)
{
	const struct sim_causes *causes = mpi_causes_of(op->origin->owner);

	if (__builtin_expect(op->cause != NULL, 0))
		causes->message_end(causes->context, op->cause);
	op->cause = NULL;
}

#endif
