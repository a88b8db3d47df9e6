/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_PLAIN_H
#define MPI_VERIFY_PLAIN_H

#include "mpi/core/entry.h"
#include "mpi/verify/shadow.h"

/* Plain messages (struct mpi_shadow_plain): how they meet, as a part of the call. */

/* No other send to the rank, nor receive of it, waits for its match. */
static MPI_HOT bool mpi_plain_is_alone(const struct mpi_shadow_rank *r, uint32_t context)
{
	const struct mpi_shadow_queue *queue = context < r->n_queues ? r->queues[context] : NULL;

	return !queue || (!queue->of[SHADOW_SEND].first && !queue->of[SHADOW_RECV].first);
}

static MPI_HOT void mpi_plain_enter(struct mpi_shadow *shadow, struct mpi_shadow_rank *rank)
{
	struct mpi_shadow_rank *dest;

	rank->plain.is_there = true;
	if (rank->plain.kind != SHADOW_SEND)
		return;
	dest = &shadow->ranks[rank->plain.peer];
	rank->prev_sender = NULL;
	rank->next_sender = dest->senders;
	if (rank->next_sender)
		rank->next_sender->prev_sender = rank;
	dest->senders = rank;
}

static MPI_HOT void mpi_plain_leave(struct mpi_shadow *shadow, struct mpi_shadow_rank *rank)
{
	rank->plain.is_there = false;
	if (rank->plain.kind != SHADOW_SEND)
		return;
	if (rank->next_sender)
		rank->next_sender->prev_sender = rank->prev_sender;
	if (rank->prev_sender)
		rank->prev_sender->next_sender = rank->next_sender;
	else
		shadow->ranks[rank->plain.peer].senders = rank->next_sender;
}

/* The datatypes of a call and of the plain one that it meets differ. */
void mpi_plain_compare(struct mpi_shadow *shadow, const struct mpi_shadow_plain *mine, int rank,
		       const struct mpi_shadow_plain *theirs);

/*
 * MPI_Send or MPI_Recv with right arguments: `plain` has all but peer. False: the rank is not as
 * far as in the run, or others may take part in the match, and nothing happened.
 */
static MPI_HOT bool mpi_plain_meet(struct mpi_shadow *shadow, int rank,
				   struct mpi_shadow_plain plain)
{
	struct mpi_shadow_rank *mine = &shadow->ranks[rank], *other;
	struct mpi_shadow_plain *theirs;

	if (plain.given_peer < 0 || plain.tag < 0 || mine->first || shadow->is_given_up ||
	    !plain.type->is_predefined)
		return false;
	plain.peer = mpi_comm_peer(plain.comm, plain.given_peer);
	other = &shadow->ranks[plain.peer];
	if (!mpi_plain_is_alone(plain.kind == SHADOW_SEND ? other : mine, plain.comm->context))
		return false;
	theirs = &other->plain;
	if (theirs->is_there && theirs->kind != plain.kind && theirs->peer == rank &&
	    theirs->tag == plain.tag && theirs->comm->context == plain.comm->context) {
		if (theirs->type != plain.type)
			mpi_plain_compare(shadow, &plain, rank, theirs);
		mpi_plain_leave(shadow, other);
		return true;
	}
	mine->plain = plain;
	mpi_plain_enter(shadow, mine);
	return true;
}

/* MPI_Recv from any source: the same, but that whom it meets is known when it is over. */
static inline bool mpi_plain_await(struct mpi_shadow *shadow, int rank,
				   struct mpi_shadow_plain plain)
{
	struct mpi_shadow_rank *mine = &shadow->ranks[rank];
	uint32_t context = plain.comm->context;

	if (plain.given_peer != MPI_ANY_SOURCE || mine->first || shadow->is_given_up ||
	    !plain.type->is_predefined ||
	    (context < mine->n_queues && mine->queues[context] &&
	     mine->queues[context]->of[SHADOW_RECV].first))
		return false;
	plain.peer = MPI_ANY_SOURCE;
	plain.is_there = true;
	mine->plain = plain;
	return true;
}

static inline struct mpi_shadow_message mpi_plain_message(const struct mpi_shadow_plain *plain)
{
	return (struct mpi_shadow_message){.is_there = true,
					   .count = plain->count,
					   .type = plain->type,
					   .peer = plain->given_peer,
					   .tag = plain->tag};
}

/* Whether the buffer of the call, with that request, is apart from those of other requests. */
static MPI_HOT void mpi_plain_post_buffer(struct mpi_shadow *shadow, struct mpi_rank *me,
					  const void *buf, const struct mpi_shadow_message *message,
					  bool is_receive, uintptr_t request)
{
	const struct mpi_apart_buffer buffer = {.buf = buf,
						.count = message->count,
						.type = message->type,
						.peer = message->peer,
						.tag = message->tag,
						.is_receive = is_receive};

	if (shadow->looks_at_buffers)
		mpi_apart_post(me, &shadow->ranks[me->rank].apart, &buffer, request);
}
/* The same without one. */
void mpi_plain_post_blocking(struct mpi_shadow *shadow, struct mpi_rank *me, const void *buf,
			     const struct mpi_shadow_plain *plain);

#endif
