/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/verify/plain.h"

static struct mpi_finding_call call_of(const struct mpi_shadow_plain *plain, int rank)
{
	return (struct mpi_finding_call){rank, plain->kind == SHADOW_SEND ? "MPI_Send" : "MPI_Recv",
					 plain->site};
}

void mpi_plain_compare(struct mpi_shadow *shadow, const struct mpi_shadow_plain *mine, int rank,
		       const struct mpi_shadow_plain *theirs)
{
	struct mpi_shadow_data a = {mine->type, mine->count, call_of(mine, rank)};
	struct mpi_shadow_data b = {theirs->type, theirs->count, call_of(theirs, mine->peer)};

	mpi_shadow_compare(shadow, mine->kind == SHADOW_RECV ? &a : &b,
			   mine->kind == SHADOW_RECV ? &b : &a);
}

void mpi_shadow_settle(struct mpi_shadow *shadow, struct mpi_shadow_rank *rank)
{
	struct mpi_shadow_plain plain = rank->plain;
	struct mpi_rank *me = &shadow->world->ranks[rank - shadow->ranks];
	struct mpi_finding_call call = call_of(&plain, me->rank);
	struct mpi_shadow_message message = mpi_plain_message(&plain);
	struct mpi_shadow_step *step;
	struct mpi_shadow_op *op;

	message.call = &call;
	mpi_plain_leave(shadow, rank);
	op = plain.kind == SHADOW_SEND
		 ? mpi_shadow_send(shadow, me, &message, plain.comm, SEND_STANDARD)
		 : mpi_shadow_recv(shadow, me, &message, plain.comm);
	mpi_shadow_post(shadow, me, op);
	step = mpi_shadow_wait(shadow, me, 1, &op, false);
	if (step)
		step->call = call;
	if (op && op->is_wild)
		rank->wild = op;
	else
		mpi_shadow_release(shadow, op);
}

/* The message was sent by a rank that is as far as in the run, too: it meets the receive. */
static bool meet_sender(struct mpi_shadow *shadow, struct mpi_shadow_rank *mine, int rank,
			int source, int tag)
{
	struct mpi_shadow_rank *other = &shadow->ranks[source];
	const struct mpi_shadow_plain *recv = &mine->plain, *send = &other->plain;
	struct mpi_shadow_data in = {recv->type, recv->count, call_of(recv, rank)}, out;
	uint32_t context = recv->comm->context;
	struct mpi_shadow_queue *queue = context < mine->n_queues ? mine->queues[context] : NULL;
	struct mpi_shadow_op *op = NULL;

	if (send->is_there && send->kind == SHADOW_SEND && send->peer == rank && send->tag == tag &&
	    send->comm->context == context) {
		out = (struct mpi_shadow_data){send->type, send->count, call_of(send, source)};
		mpi_plain_leave(shadow, other);
	} else {
		op = queue ? mpi_shadow_find(queue, SHADOW_SEND, source, tag) : NULL;
		if (!op || !op->is_posted)
			return false;
		out = mpi_shadow_data_of(op);
	}
	mpi_shadow_compare(shadow, &in, &out);
	if (op) {
		op->is_met = true;
		mpi_shadow_look_for(shadow, op);
		mpi_shadow_take_out(shadow, queue, op);
	}
	mine->plain.is_there = false;
	return true;
}

void mpi_shadow_received_plain(struct mpi_shadow *shadow, int rank, const MPI_Status *status)
{
	struct mpi_shadow_rank *mine = &shadow->ranks[rank];
	const struct mpi_comm *comm = mine->plain.comm;

	if (mine->plain.is_there && status->MPI_SOURCE >= 0 &&
	    meet_sender(shadow, mine, rank, mpi_comm_peer(comm, status->MPI_SOURCE),
			status->MPI_TAG))
		return;
	if (mine->plain.is_there)
		mpi_shadow_settle(shadow, mine);
	if (mine->wild)
		mpi_shadow_resolve(shadow, mine->wild, status);
	mpi_shadow_release(shadow, mine->wild);
	mine->wild = NULL;
}

void mpi_shadow_forget_plain(struct mpi_shadow *shadow, int rank)
{
	struct mpi_shadow_rank *mine = &shadow->ranks[rank];

	if (mine->plain.is_there)
		mpi_plain_leave(shadow, mine);
	if (mine->wild)
		mpi_shadow_kill(shadow, mine->wild);
	mpi_shadow_release(shadow, mine->wild);
	mine->wild = NULL;
}

void mpi_shadow_settle_all(struct mpi_shadow *shadow)
{
	for (int rank = 0; rank < shadow->n_ranks; rank++)
		if (shadow->ranks[rank].plain.is_there)
			mpi_shadow_settle(shadow, &shadow->ranks[rank]);
}

void mpi_plain_post_blocking(struct mpi_shadow *shadow, struct mpi_rank *me, const void *buf,
			     const struct mpi_shadow_plain *plain)
{
	const struct mpi_shadow_message message = mpi_plain_message(plain);

	mpi_plain_post_buffer(shadow, me, buf, &message, plain->kind == SHADOW_RECV, 0);
}
