/* SPDX-License-Identifier: BSD-3-Clause */
/* The way of a message: to its target, served there in order, and back. */
#include "mpi/rma/operation.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/p2p/endpoint.h"
#include "mpi/rma/causes.h"
#include "mpi/rma/design.h"
#include "mpi/rma/host.h"
#include "pdexec/cores.h"

static sim_time_ps now(const struct rma_op *op)
{
	return op->origin->owner->world->pd->engine.now;
}

static const struct cluster *cluster_of(const struct rma_op *op)
{
	return op->origin->owner->world->pd->cluster;
}

static struct rma_op *op_of(struct net_transfer *transfer)
{
	return (struct rma_op *)((char *)transfer - offsetof(struct rma_op, transfer));
}

struct rma_op *rma_op_create(struct mpi_win *win, enum rma_kind kind, int target)
{
	struct rma_world *rma = win->owner->world->rma;
	struct rma_op *op = util_pool_get(&rma->ops);

	if (!op)
		pd_fail(win->owner->pd, PD_FAILURE_MEMORY, "out of memory for an operation");
	/* its transfer begins anew with every message */
	memset(&op->next, 0, sizeof *op - offsetof(struct rma_op, next));
	op->kind = kind;
	op->origin = win;
	op->target = rma_member(win, target);
	op->peer = rma_peer(win, target);
	return op;
}

static void destroy(struct rma_op *op)
{
	struct mpi_rank *me = op->origin->owner;
	struct rma_world *rma = me->world->rma;

	rma_cause_end(op);
	mpi_datatype_release(me, op->from.type);
	mpi_datatype_release(me, op->to.type);
	mpi_datatype_release(me, op->result.type);
	free(op->operand);
	free(op->fetched);
	util_pool_put(&rma->ops, op);
}

/* Notices are not waited for by the calls that make accesses complete. */
static bool is_notice(enum rma_kind kind)
{
	return kind >= RMA_UNLOCK;
}

static bool fetches(enum rma_kind kind)
{
	return kind == RMA_GET || kind == RMA_GET_ACCUMULATE || kind == RMA_COMPARE_AND_SWAP;
}

static void complete_request(struct rma_op *op)
{
	struct mpi_request *request = op->request;

	op->request = NULL;
	if (!request)
		return;
	request->owner->endpoint->last_started = op->started;
	request->cause_mark = rma_cause_released(op, op->origin);
	mpi_request_complete(request, MPI_SUCCESS);
}

void rma_op_complete_locally(struct rma_op *op)
{
	if (op->is_local || is_notice(op->kind) || fetches(op->kind))
		return;
	op->is_local = true;
	if (op->kind > RMA_COMPARE_AND_SWAP)
		return;
	op->peer->n_local--;
	op->origin->n_local--;
	complete_request(op);
	rma_changed(op->origin, op->started, rma_cause_released(op, op->origin));
}

static void arrived(struct net_transfer *transfer)
{
	struct rma_op *op = op_of(transfer), *first;
	struct rma_peer *peer = op->peer;

	op->has_arrived = true;
	rma_cause_arrived(op);
	if (op != peer->first) { /* its data is here, its turn has not come */
		rma_keep_operand(op);
		rma_op_complete_locally(op);
		return;
	}
	while ((first = peer->first) && first->has_arrived) {
		peer->first = first->next;
		if (!first->next)
			peer->last = NULL;
		first->next = NULL;
		rma_host_serve(first);
	}
}

/* What travels to the target. */
static int64_t size_there(const struct rma_op *op)
{
	switch (op->kind) {
	case RMA_PUT:
	case RMA_ACCUMULATE:
		return op->size_B;
	case RMA_GET_ACCUMULATE:
		return op->from.type ? op->size_B : 0; /* none with MPI_NO_OP */
	case RMA_COMPARE_AND_SWAP:
		return 2 * op->size_B;
	default:
		return 0;
	}
}

static void count_start(struct rma_op *op)
{
	if (is_notice(op->kind)) {
		op->origin->n_notices++;
		return;
	}
	if (op->kind > RMA_COMPARE_AND_SWAP) /* locks have waits of their own */
		return;
	op->peer->n_remote++;
	op->peer->n_local++;
	op->origin->n_remote++;
	op->origin->n_local++;
}

static void transfer(struct rma_op *op, const struct mpi_win *from, const struct mpi_win *to,
		     int64_t size_B, net_transfer_fn done)
{
	struct net_place source = pd_cores_of(from->owner->pd), dest = pd_cores_of(to->owner->pd);

	net_transfer_start_between(op->origin->owner->world->pd->model, &op->transfer, &source,
				   &dest, size_B, 0, NULL, done);
}

static void launch(struct rma_op *op)
{
	op->peer->n_under_way++;
	op->started = now(op);
	rma_cause_transfer(op, false);
	transfer(op, op->origin, op->target, size_there(op), arrived);
}

/* A message to the peer is over: the next one that waits for its place goes. */
static void launch_next(struct rma_peer *peer)
{
	struct rma_op *op = peer->unsent;

	peer->n_under_way--;
	if (!op)
		return;
	peer->unsent = op->next;
	launch(op);
}

void rma_op_start(struct mpi_rank *me, struct rma_op *op)
{
	double overhead_s = cluster_of(op)->protocol.send_overhead_s;
	struct rma_peer *peer = op->peer;
	sim_time_ps begin;

	me->endpoint->n_polls = 0;
	rma_design_register(me, op);
	begin = now(op);
	count_start(op);
	if (overhead_s > 0) {
		sim_task_sleep(&me->pd->task, sim_time_from_s(overhead_s));
		mpi_cause_overhead(me, true, 0, begin);
	}
	rma_cause_begin(op);
	*(peer->last ? &peer->last->next : &peer->first) = op;
	peer->last = op;
	if (peer->n_under_way < cluster_of(op)->rma.queue_depth)
		launch(op);
	else if (!peer->unsent)
		peer->unsent = op;
}

void rma_notify(struct mpi_rank *me, struct mpi_win *win, enum rma_kind kind, int target,
		int lock_type)
{
	struct rma_op *op = rma_op_create(win, kind, target);

	op->lock_type = lock_type;
	rma_op_start(me, op);
}

/* --- at the target --- */

static void take_notice(struct rma_op *op)
{
	struct mpi_win *origin = op->origin, *target = op->target;
	struct rma_peer *peer = rma_peer(target, origin->rank);
	sim_time_ps started = op->started;
	int64_t at_target = rma_cause_released(op, target);
	int64_t at_origin = rma_cause_released(op, origin);

	if (op->kind == RMA_POST) { /* the exposer is the one that sends */
		peer->n_posts++;
		if (peer->is_awaited) {
			peer->is_awaited = false;
			target->n_awaited_posts--;
		}
	} else if (op->kind == RMA_COMPLETE && peer->is_exposed_to) {
		peer->is_exposed_to = false;
		target->n_awaited_completes--;
	} else if (op->kind == RMA_UNLOCK || op->kind == RMA_UNLOCK_ALL) {
		rma_lock_release(op);
	}
	origin->n_notices--;
	launch_next(op->peer);
	destroy(op);
	rma_changed(target, started, at_target);
	rma_changed(origin, started, at_origin);
}

void rma_op_serve(struct rma_op *op)
{
	if (op->kind == RMA_LOCK || op->kind == RMA_LOCK_ALL) {
		rma_lock_request(op);
		return;
	}
	if (is_notice(op->kind)) {
		take_notice(op);
		return;
	}
	rma_apply(op);
	rma_op_complete_locally(op);
	rma_op_answer(op, fetches(op->kind) ? op->size_B : 0);
}

/* --- back at the origin --- */

static void answered(struct net_transfer *transfer)
{
	struct rma_op *op = op_of(transfer);
	struct mpi_win *origin = op->origin;
	sim_time_ps started = op->started;
	int64_t mark;

	rma_cause_arrived(op);
	mark = rma_cause_released(op, origin);
	if (op->kind == RMA_LOCK) {
		op->peer->is_granted = true;
	} else if (op->kind == RMA_LOCK_ALL) {
		origin->is_all_granted = true;
	} else {
		rma_deliver_result(op);
		if (!op->is_local) {
			op->peer->n_local--;
			origin->n_local--;
		}
		op->peer->n_remote--;
		origin->n_remote--;
		complete_request(op);
	}
	launch_next(op->peer);
	destroy(op);
	rma_changed(origin, started, mark);
}

void rma_op_answer(struct rma_op *op, int64_t size_B)
{
	op->started = now(op);
	rma_cause_transfer(op, true);
	transfer(op, op->target, op->origin, size_B, answered);
}
