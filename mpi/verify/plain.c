/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/verify/plain.h"

#include <string.h>

#include "mpi/verify/direct.h"

static struct mpi_rank *rank_of(const struct mpi_shadow_rank *rank)
{
	return &rank->shadow->world->ranks[rank - rank->shadow->ranks];
}

static struct mpi_finding_call call_of(const struct mpi_shadow_plain *plain, int rank)
{
	return (struct mpi_finding_call){rank, mpi_direct_names[plain->call], plain->site};
}

static struct mpi_shadow_data data_of(const struct mpi_shadow_plain *plain, int rank)
{
	return (struct mpi_shadow_data){plain->type, plain->count, call_of(plain, rank)};
}

void mpi_plain_compare(struct mpi_rank *me, enum mpi_shadow_kind kind, const struct mpi_p2p_args *a,
		       int peer)
{
	struct mpi_shadow *shadow = me->shadow->shadow;
	struct mpi_shadow_data data[2];

	data[kind] =
	    (struct mpi_shadow_data){a->type, a->count, {me->rank, me->pd->function, me->pd->site}};
	data[!kind] = data_of(&shadow->ranks[peer].plain[!kind], peer);
	mpi_shadow_compare(shadow, &data[SHADOW_RECV], &data[SHADOW_SEND]);
}

/* --- what becomes of them --- */

/* Both of an MPI_Sendrecv are one step. */
static void wait_for(struct mpi_shadow_rank *rank, struct mpi_shadow_op *op,
		     const struct mpi_finding_call *call)
{
	struct mpi_shadow_step *step = rank->last;

	if (!op || mpi_shadow_is_done(op) || rank->shadow->is_given_up)
		return;
	if (!step) {
		step = mpi_shadow_wait(rank->shadow, rank_of(rank), 1, &op, false);
		step->call = *call;
	} else {
		step->ops[step->n++] = op;
		op->n_references++;
	}
}

static void make_op(struct mpi_shadow_rank *rank, enum mpi_shadow_kind kind)
{
	const struct mpi_shadow_plain *plain = &rank->plain[kind];
	struct mpi_rank *me = rank_of(rank);
	struct mpi_finding_call call = call_of(plain, me->rank);
	const struct mpi_p2p_args a = {.count = plain->count,
				       .type = plain->type,
				       .peer = plain->given_peer,
				       .tag = plain->tag,
				       .comm = plain->comm};
	struct mpi_shadow_op *op;

	mpi_plain_leave(rank, kind);
	op = mpi_shadow_settled(rank->shadow, me, kind, &a, &call);
	wait_for(rank, op, &call);
	if (op && op->is_wild)
		rank->wild = op;
	else
		mpi_shadow_release(rank->shadow, op);
}

void mpi_shadow_settle_for(struct mpi_shadow_rank *rank)
{
	struct mpi_shadow_rank *sender = rank->senders, *next;

	if (rank->has_plain[SHADOW_RECV])
		make_op(rank, SHADOW_RECV);
	while (sender && sender->plain[SHADOW_SEND].next)
		sender = sender->plain[SHADOW_SEND].next;
	for (; sender; sender = next) { /* the first one first */
		next = sender->plain[SHADOW_SEND].prev;
		make_op(sender, SHADOW_SEND);
	}
}

void mpi_shadow_settle(struct mpi_shadow_rank *rank)
{
	if (rank->has_plain[SHADOW_RECV])
		mpi_shadow_settle_for(rank);
	if (rank->has_plain[SHADOW_SEND])
		mpi_shadow_settle_for(&rank->shadow->ranks[rank->plain[SHADOW_SEND].peer]);
}

void mpi_shadow_settle_all(struct mpi_shadow *shadow)
{
	for (int rank = 0; rank < shadow->world->n_ranks; rank++)
		mpi_shadow_settle(&shadow->ranks[rank]);
}

/* The message was sent by a rank that is as far as in the run, too: it meets the receive. */
static bool meet_sender(struct mpi_shadow_rank *mine, int rank, int source, int tag)
{
	struct mpi_shadow *shadow = mine->shadow;
	struct mpi_shadow_rank *other = &shadow->ranks[source];
	const struct mpi_shadow_plain *recv = &mine->plain[SHADOW_RECV];
	const struct mpi_shadow_plain *send = &other->plain[SHADOW_SEND];
	struct mpi_shadow_queue *queue =
	    recv->context < mine->n_queues ? mine->queues[recv->context] : NULL;
	struct mpi_shadow_data in = data_of(recv, rank), out;
	struct mpi_shadow_op *op = NULL;

	if (other->has_plain[SHADOW_SEND] && send->peer == rank && send->tag == tag &&
	    send->context == recv->context) {
		out = data_of(send, source);
		mpi_plain_leave(other, SHADOW_SEND);
	} else {
		op = queue ? mpi_shadow_find(queue, SHADOW_SEND, source, tag) : NULL;
		if (!op || !op->is_posted)
			return false;
		out = mpi_shadow_data_of(op);
	}
	mpi_shadow_compare(shadow, &in, &out);
	if (op) {
		mpi_shadow_set_met(op);
		mpi_shadow_look_for(shadow, op);
		mpi_shadow_take_out(shadow, queue, op);
	}
	mine->has_plain[SHADOW_RECV] = false;
	return true;
}

void mpi_shadow_received_plain(struct mpi_shadow_rank *mine, const MPI_Status *status)
{
	struct mpi_shadow *shadow = mine->shadow;

	if (mine->has_plain[SHADOW_RECV]) {
		const struct mpi_comm *comm = mine->plain[SHADOW_RECV].comm;

		if (status->MPI_SOURCE >= 0 &&
		    meet_sender(mine, rank_of(mine)->rank, mpi_comm_peer(comm, status->MPI_SOURCE),
				status->MPI_TAG))
			return;
		mpi_shadow_settle(mine);
	}
	if (mine->wild)
		mpi_shadow_resolve(shadow, mine->wild, status);
	mpi_shadow_release(shadow, mine->wild);
	mine->wild = NULL;
}

/* Whether what is plain is of the call that the rank is in: the one before has been settled else. */
static bool is_under_way(const struct mpi_rank *me, const struct mpi_shadow_plain *plain)
{
	return me->pd->function && me->pd->site == plain->site &&
	       strcmp(me->pd->function, mpi_direct_names[plain->call]) == 0;
}

void mpi_shadow_forget_plain(struct mpi_rank *me)
{
	struct mpi_shadow_rank *mine = me->shadow;

	for (int kind = 0; kind < 2; kind++)
		if (mine->has_plain[kind] && is_under_way(me, &mine->plain[kind]))
			mpi_plain_leave(mine, kind);
	if (mine->wild)
		mpi_shadow_kill(mine->shadow, mine->wild);
	mpi_shadow_release(mine->shadow, mine->wild);
	mine->wild = NULL;
}
