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
	void *data = mpi_message_allocate(message, size_B);

	if (__builtin_expect(!data, 0))
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a message of %lld B",
			(long long)size_B);
	if (__builtin_expect(a->type->is_contiguous, 1))
		mpi_message_copy(data, (const char *)a->buf + a->type->true_lb_B, size_B);
	else
		mpi_datatype_pack(a->type, a->buf, a->count, data);
}

static MPI_HOT struct mpi_rank *mpi_eager_dest(const struct mpi_rank *me,
					       const struct mpi_p2p_args *a)
{
	return &me->world->ranks[mpi_comm_peer(a->comm, a->peer)];
}

/* An eager message to `dest`, whom the arguments mean, without its data and not under way. */
static MPI_HOT struct mpi_message *mpi_eager_message(struct mpi_rank *me, struct mpi_rank *dest,
						     const struct mpi_p2p_args *a, int64_t size_B,
						     enum mpi_channel channel)
{
	struct mpi_message *message = util_pool_get(mpi_message_pool(me->world, size_B));

	if (__builtin_expect(!message, 0))
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a message");
	/* its transfer begins anew with every step */
	memset(&message->pair_next, 0,
	       offsetof(struct mpi_message, inline_data) - offsetof(struct mpi_message, pair_next));
	message->source = me;
	message->dest = dest;
	message->context = mpi_message_context(a->comm, channel);
	message->source_rank = a->comm->rank;
	message->tag = a->tag;
	message->size_B = size_B;
	message->sent = me->call_begin;
	message->site = me->pd->site;
	return message;
}

/*
 * Sends off a plain message: of world->plain_B bytes at most, by a standard send that has no
 * request. Nobody but its receiver waits for it, it costs the ranks no time, and nothing but its
 * links decides when it arrives.
 */
static MPI_HOT void mpi_eager_send_plain(struct mpi_rank *me, const struct mpi_p2p_args *a,
					 int64_t size_B, enum mpi_channel channel)
{
	struct pd_world *world = me->world->pd;
	struct mpi_rank *dest = mpi_eager_dest(me, a);
	net_transfer_fn arrived = mpi_message_plain_arrived;
	struct mpi_message *message;

	if (size_B > MESSAGE_INLINE_B)
		__builtin_unreachable();
	message = mpi_eager_message(me, dest, a, size_B, channel);
	if (mpi_eager_has_data(a, size_B))
		mpi_eager_attach(me, a, message, (size_t)size_B);
	me->endpoint->n_polls = 0;
	mpi_launch_count(me, channel, size_B);
	message->started = world->engine.now;
	if (mpi_pair_append(me, message)) {
		message->stage = MESSAGE_BEHIND;
		arrived = mpi_message_envelope_arrived;
	}
	net_transfer_start(world->model, &message->transfer, me->pd->node, dest->pd->node, size_B,
			   arrived);
}
/*
 * The same for all other standard sends that complete without their receives. False: it is none of
 * those, and nothing happened.
 */
bool mpi_eager_send_other(struct mpi_rank *me, const struct mpi_p2p_args *a);

#endif
