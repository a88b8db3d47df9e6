/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Most messages are blocking ones between two ranks that are, in the strict view, as far as in the
 * run. Whoever comes second to such a match finds the other side in the queue: neither an operation
 * nor a step has to be kept for it.
 */
#include "mpi/verify/request.h"

static bool is_plain_call(const struct mpi_shadow *shadow, const struct mpi_verify_call *call)
{
	enum mpi_verify_kind kind = call->function->kind;

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

bool mpi_shadow_before_plain(struct mpi_shadow *shadow, struct mpi_verify_call *call)
{
	bool is_send = call->function->kind == MPI_CALL_SEND;
	struct mpi_rank *me = call->me;
	struct mpi_shadow_data mine, other;
	struct mpi_shadow_queue *queue;
	struct mpi_shadow_op *op;
	const struct mpi_comm *comm;
	int64_t peer, tag;

	if (!is_plain_call(shadow, call))
		return false;
	comm = mpi_comm_get(me, (MPI_Comm)(uintptr_t)mpi_verify_value(call, MPI_ARG_COMM).p);
	peer = mpi_verify_value(call, is_send ? MPI_ARG_DEST : MPI_ARG_SOURCE).i;
	tag = mpi_verify_value(call, MPI_ARG_TAG).i;
	if (!comm || peer < 0 || peer >= mpi_comm_n_peers(comm) || tag < 0)
		return false;
	peer = mpi_comm_peer(comm, (int)peer);
	queue = mpi_shadow_queue(shadow, is_send ? (int)peer : me->rank, comm->context);
	op = find(queue, is_send ? SHADOW_RECV : SHADOW_SEND, is_send ? me->rank : (int)peer,
		  (int)tag);
	mine.type = mpi_datatype_get(
	    me, (MPI_Datatype)(uintptr_t)mpi_verify_value(call, MPI_ARG_DATATYPE).p);
	mine.count = mpi_verify_value(call, MPI_ARG_COUNT).i;
	if (!op || !mine.type || mine.count < 0 || !op->type)
		return false;
	mine.call = (struct mpi_finding_call){me->rank, me->pd->function, me->pd->site};
	other = mpi_shadow_data_of(op);
	mpi_shadow_compare(shadow, is_send ? &other : &mine, is_send ? &mine : &other);
	meet(shadow, queue, op);
	return true;
}
