/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_PLAIN_H
#define MPI_VERIFY_PLAIN_H

#include "mpi/core/entry.h"
#include "mpi/p2p/internal.h"
#include "mpi/verify/internal.h"
#include "mpi/verify/shadow.h"

/* Plain messages (struct mpi_shadow_plain): how they meet, as a part of the call. */

/* No other send to the rank, nor receive of it, waits for its match. */
static MPI_HOT bool mpi_plain_is_alone(const struct mpi_shadow_rank *r, uint32_t context)
{
	const struct mpi_shadow_queue *queue = context < r->n_queues ? r->queues[context] : NULL;

	return !queue || (!queue->of[SHADOW_SEND].first && !queue->of[SHADOW_RECV].first);
}

static MPI_HOT void mpi_plain_leave(struct mpi_shadow_rank *rank, enum mpi_shadow_kind kind)
{
	struct mpi_shadow_plain *plain = &rank->plain[kind];

	rank->has_plain[kind] = false;
	if (kind != SHADOW_SEND)
		return;
	if (plain->next)
		plain->next->plain[SHADOW_SEND].prev = plain->prev;
	if (plain->prev)
		plain->prev->plain[SHADOW_SEND].next = plain->next;
	else
		rank->shadow->ranks[plain->peer].senders = plain->next;
}

/* Of the call that `me` is in. */
static MPI_HOT void mpi_plain_enter(const struct mpi_rank *me, enum mpi_shadow_kind kind,
				    enum mpi_verify_direct call, const struct mpi_p2p_args *a,
				    int peer)
{
	struct mpi_shadow_rank *mine = me->shadow;
	struct mpi_shadow_plain *plain = &mine->plain[kind];
	struct mpi_shadow_rank *dest;

	plain->call = (uint8_t)call;
	plain->peer = peer;
	plain->given_peer = a->peer;
	plain->tag = a->tag;
	plain->count = (int)a->count;
	plain->context = a->comm->context;
	plain->type = a->type;
	plain->comm = a->comm;
	plain->site = me->pd->site;
	mine->has_plain[kind] = true;
	if (kind != SHADOW_SEND)
		return;
	dest = &mine->shadow->ranks[peer];
	plain->prev = NULL;
	plain->next = dest->senders;
	if (plain->next)
		plain->next->plain[SHADOW_SEND].prev = mine;
	dest->senders = mine;
}

/* The datatypes of the call that `me` is in and of the plain one of `peer` that it meets differ. */
void mpi_plain_compare(struct mpi_rank *me, enum mpi_shadow_kind kind, const struct mpi_p2p_args *a,
		       int peer);

/* Whether a send or receive can be plain: the rank is as far as in the run, and no others may take
 * part in the match. Its arguments are plain. */
static MPI_HOT bool mpi_plain_may(const struct mpi_rank *me, enum mpi_shadow_kind kind,
				  const struct mpi_p2p_args *a)
{
	const struct mpi_shadow_rank *mine = me->shadow;
	const struct mpi_shadow *shadow = mine->shadow;

	return !mine->first && !shadow->is_given_up && a->type->is_predefined &&
	       mpi_plain_is_alone(
		   kind == SHADOW_SEND ? &shadow->ranks[mpi_comm_peer(a->comm, a->peer)] : mine,
		   a->comm->context);
}

/* It meets the other side, or waits for it. */
static MPI_HOT void mpi_plain_meet(struct mpi_rank *me, enum mpi_shadow_kind kind,
				   enum mpi_verify_direct call, const struct mpi_p2p_args *a)
{
	int peer = mpi_comm_peer(a->comm, a->peer);
	struct mpi_shadow_rank *other = &me->shadow->shadow->ranks[peer];
	const struct mpi_shadow_plain *theirs = &other->plain[!kind];

	if (!other->has_plain[!kind] || theirs->peer != me->rank || theirs->tag != a->tag ||
	    theirs->context != a->comm->context) {
		mpi_plain_enter(me, kind, call, a, peer);
		return;
	}
	if (__builtin_expect(theirs->type != a->type, 0)) {
		const struct mpi_p2p_args given = *a; /* stands in registers else */

		mpi_plain_compare(me, kind, &given, peer);
	}
	mpi_plain_leave(other, !kind);
}

/* MPI_Recv from any source with right arguments: the same, but that whom it meets is known when it
 * is over. False: it cannot be plain, and nothing happened. */
static inline bool mpi_plain_await(const struct mpi_rank *me, const struct mpi_p2p_args *a)
{
	const struct mpi_shadow_rank *mine = me->shadow;
	uint32_t context = a->comm->context;

	if (mine->first || mine->shadow->is_given_up || !a->type->is_predefined ||
	    (context < mine->n_queues && mine->queues[context] &&
	     mine->queues[context]->of[SHADOW_RECV].first))
		return false;
	mpi_plain_enter(me, SHADOW_RECV, DIRECT_RECV, a, MPI_ANY_SOURCE);
	return true;
}

/* Whether the buffer of the call, with that request (0: none), is apart from those of others. */
static MPI_HOT void mpi_plain_post_buffer(struct mpi_rank *me, const struct mpi_p2p_args *a,
					  bool is_receive, uintptr_t request)
{
	const struct mpi_apart_buffer buffer = {.buf = a->buf,
						.count = a->count,
						.type = a->type,
						.peer = a->peer,
						.tag = a->tag,
						.is_receive = is_receive};

	if (me->shadow->shadow->looks_at_buffers)
		mpi_apart_post(me, &me->shadow->apart, &buffer, request);
}

#endif
