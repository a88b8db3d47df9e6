/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_EAGER_H
#define MPI_P2P_EAGER_H

#include "mpi/p2p/buffer.h"
#include "mpi/p2p/internal.h"
#include "mpi/p2p/launch.h"

/* Making messages, and sending those off that need no request: for the files that most pass. */

static MPI_HOT bool mpi_eager_has_data(const struct mpi_p2p_args *a, int64_t size_B)
{
	return size_B != 0 && !pd_memory_is_absent(a->buf);
}

static MPI_HOT void mpi_eager_attach(struct mpi_rank *me, const struct mpi_p2p_args *a,
				     struct mpi_message *message, size_t size_B)
{
	message->payload = mpi_message_allocate(message, size_B);
	if (__builtin_expect(!message->payload, 0))
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a message of %lld B",
			(long long)size_B);
	if (__builtin_expect(a->type->is_contiguous, 1))
		mpi_message_copy(message->payload, (const char *)a->buf + a->type->true_lb_B,
				 size_B);
	else
		mpi_datatype_pack(a->type, a->buf, a->count, message->payload);
}

static MPI_HOT struct mpi_rank *mpi_eager_dest(const struct mpi_rank *me,
					       const struct mpi_p2p_args *a)
{
	return &me->world->ranks[mpi_comm_peer(a->comm, a->peer)];
}

/* A message to `dest`, whom the arguments mean, that is not under way. */
static MPI_HOT struct mpi_message *mpi_eager_message(struct mpi_rank *me, struct mpi_rank *dest,
						     const struct mpi_p2p_args *a, int64_t size_B,
						     enum mpi_send_mode mode,
						     enum mpi_channel channel, bool is_rendezvous,
						     bool has_payload)
{
	struct mpi_message *message =
	    mpi_message_get(me->world, has_payload && size_B <= MESSAGE_INLINE_B);

	if (__builtin_expect(!message, 0))
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a message");
	/* its transfer begins anew with every step */
	memset(&message->pair_next, 0,
	       offsetof(struct mpi_message, has_inline) - offsetof(struct mpi_message, pair_next));
	message->source = me;
	message->dest = dest;
	message->context = mpi_message_context(a->comm, channel);
	message->source_rank = a->comm->rank;
	message->tag = a->tag;
	message->size_B = size_B;
	message->sent = me->call_begin;
	message->site = me->pd->site;
	message->is_rendezvous = is_rendezvous;
	if (mode == SEND_BUFFERED)
		mpi_buffer_enter(mpi_buffer_of(me, a->comm), message);
	if (has_payload)
		mpi_eager_attach(me, a, message, (size_t)size_B);
	return message;
}

/* Sends off what completes without its receive. */
static MPI_HOT struct mpi_rank *mpi_eager_send_off(struct mpi_rank *me,
						   const struct mpi_p2p_args *a, int64_t size_B,
						   enum mpi_channel channel)
{
	struct mpi_rank *dest = mpi_eager_dest(me, a);
	struct mpi_message *message = mpi_eager_message(me, dest, a, size_B, SEND_STANDARD, channel,
							false, mpi_eager_has_data(a, size_B));

	me->endpoint->n_polls = 0;
	mpi_message_send_overhead(me, message);
	mpi_launch(message, me, dest, size_B, channel, false);
	return dest;
}

/*
 * A standard send that completes without its receive, to a peer that is not MPI_PROC_NULL: sends it
 * off, no request needed. False: it is none of those, and nothing happened.
 */
static MPI_HOT bool mpi_eager_send(struct mpi_rank *me, const struct mpi_p2p_args *a)
{
	int64_t size_B = a->count * a->type->size_B;

	if (__builtin_expect(!mpi_match_buffers(me, size_B), 0))
		return false;
	mpi_connection_flush(me, mpi_eager_send_off(me, a, size_B, CHANNEL_P2P));
	return true;
}

#endif
