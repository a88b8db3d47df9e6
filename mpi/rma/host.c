/* SPDX-License-Identifier: BSD-3-Clause */
/* Who serves messages at the target: the network interface, or the rank itself while it is in MPI.
 */
#include "mpi/rma/host.h"

#include <stdlib.h>

#include "mpi/p2p/causes.h"
#include "mpi/rma/design.h"
#include "mpi/rma/operation.h"

static const struct cluster *cluster_of(const struct mpi_rank *me)
{
	return me->world->pd->cluster;
}

/* mpi_progress.advance: stays linked as long as the rank is in MPI, so that nothing needs to be
 * linked from elsewhere. */
static bool advance(struct mpi_rank *me, struct mpi_progress *progress)
{
	struct rma_host *host = (struct rma_host *)progress;
	double overhead_s = cluster_of(me)->protocol.recv_overhead_s;
	struct rma_op *op;

	while ((op = host->first)) {
		host->first = op->next;
		if (!op->next)
			host->last = NULL;
		op->next = NULL;
		if (overhead_s > 0) {
			sim_time_ps begin = me->world->pd->engine.now;

			sim_task_sleep(&me->pd->task, sim_time_from_s(overhead_s));
			mpi_cause_overhead(me, false, 0, begin);
		}
		rma_design_copy(me, op);
		rma_op_serve(op);
	}
	return false;
}

struct rma_host *rma_host(struct mpi_rank *me)
{
	struct rma_host *host = me->rma;

	if (host)
		return host;
	host = calloc(1, sizeof *host);
	if (!host)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for windows");
	me->rma = host;
	host->progress.advance = advance;
	if (rma_is_served_in_mpi(me))
		mpi_progress_add(me, &host->progress);
	rma_design_begin(me);
	return host;
}

/* The rank serves it on its own fiber: now if it is blocked in MPI, else when it is there again. */
static void queue(struct mpi_rank *target, struct rma_op *op)
{
	struct rma_host *host = target->rma;

	rma_keep_operand(op);
	rma_op_complete_locally(op);
	op->next = NULL;
	*(host->last ? &host->last->next : &host->first) = op;
	host->last = op;
	target->endpoint->has_progressed = true;
	mpi_endpoint_wake(target);
}

void rma_host_serve(struct rma_op *op)
{
	struct mpi_rank *target = op->target->owner;

	if (rma_is_served_in_mpi(target) && target->n_open > 0)
		queue(target, op);
	else if (!rma_design_takes(op))
		rma_op_serve(op);
}
