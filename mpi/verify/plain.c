/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Most messages are blocking ones between two ranks that are, in the strict view, as far as in the
 * run. Whoever comes second to such a match finds the other side in the queue: neither an operation
 * nor a step has to be kept for it.
 */
#include "mpi/verify/request.h"

static bool is_plain_call(const struct mpi_shadow *shadow, const struct mpi_verify_call *call)
{
	enum mpi_call_kind kind = call->function->kind;

	return (kind == MPI_CALL_SEND || kind == MPI_CALL_RECV) &&
	       call->function->mode != SEND_BUFFERED && !shadow->ranks[call->me->rank].first &&
	       !shadow->is_given_up;
}

static bool fits(const struct mpi_shadow_op *op, int peer, int tag)
{
	return (op->kind == SHADOW_SEND ? op->rank : op->peer) == peer && op->tag == tag;
}

/* The first of the other side that may match: only if it does without doubt. */
static struct mpi_shadow_op *find(const struct mpi_shadow_queue *queue, int side, int peer, int tag)
{
	struct mpi_shadow_op *op = queue->first[side];

	if (!op || queue->n_wild > 0 || op->next || !op->is_posted)
		return NULL;
	return fits(op, peer, tag) ? op : NULL;
}

/* The other side is done. */
static void meet(struct mpi_shadow *shadow, struct mpi_shadow_queue *queue,
		 struct mpi_shadow_op *op)
{
	op->is_met = true;
	mpi_shadow_look_at(shadow, op->rank);
	mpi_shadow_take_out(shadow, queue, op);
}

/* Nobody is there yet. */
static void come_first(struct mpi_shadow *shadow, struct mpi_verify_call *call,
		       struct mpi_comm *comm, const struct mpi_shadow_message *message)
{
	bool is_send = call->function->kind == MPI_CALL_SEND;

	call->ops[0] = is_send
			   ? mpi_shadow_send(shadow, call->me, message, comm, call->function->mode)
			   : mpi_shadow_recv(shadow, call->me, message, comm);
	call->n_ops = 1;
	mpi_shadow_post(shadow, call->me, call->ops[0]);
	mpi_shadow_wait(shadow, call->me, 1, call->ops, false);
}

/* The arguments of the send or receive; false: there is something about them. */
static bool take_message(const struct mpi_verify_call *call, const struct mpi_comm *comm,
			 struct mpi_shadow_message *out)
{
	bool is_send = call->function->kind == MPI_CALL_SEND;
	const void *type = mpi_verify_value(call, MPI_ARG_DATATYPE).p;
	int64_t peer = mpi_verify_value(call, is_send ? MPI_ARG_DEST : MPI_ARG_SOURCE).i;

	out->is_there = true;
	out->count = mpi_verify_value(call, MPI_ARG_COUNT).i;
	out->type = mpi_datatype_get(call->me, (MPI_Datatype)(uintptr_t)type);
	out->peer = (int)peer;
	out->tag = (int)mpi_verify_value(call, MPI_ARG_TAG).i;
	return peer >= 0 && peer < mpi_comm_n_peers(comm) && out->tag >= 0 && out->type &&
	       out->type->is_committed && out->count >= 0;
}

bool mpi_shadow_before_plain(struct mpi_shadow *shadow, struct mpi_verify_call *call)
{
	bool is_send = call->function->kind == MPI_CALL_SEND;
	int other_side = is_send ? SHADOW_RECV : SHADOW_SEND, peer;
	struct mpi_rank *me = call->me;
	struct mpi_shadow_message message;
	struct mpi_shadow_data mine, other;
	struct mpi_shadow_queue *queue;
	struct mpi_shadow_op *op;
	struct mpi_comm *comm;

	if (!is_plain_call(shadow, call))
		return false;
	comm = mpi_comm_get(me, (MPI_Comm)(uintptr_t)mpi_verify_value(call, MPI_ARG_COMM).p);
	if (!comm || !take_message(call, comm, &message))
		return false;
	peer = mpi_comm_peer(comm, message.peer);
	queue = mpi_shadow_queue(shadow, is_send ? peer : me->rank, comm->context);
	if (!queue->first[other_side]) {
		come_first(shadow, call, comm, &message);
		return true;
	}
	op = find(queue, other_side, is_send ? me->rank : peer, message.tag);
	if (!op || !op->type)
		return false;
	mine = (struct mpi_shadow_data){
	    message.type, message.count, {me->rank, me->pd->function, me->pd->site}};
	other = mpi_shadow_data_of(op);
	mpi_shadow_compare(shadow, is_send ? &other : &mine, is_send ? &mine : &other);
	meet(shadow, queue, op);
	return true;
}
