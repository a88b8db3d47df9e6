/* SPDX-License-Identifier: BSD-3-Clause */
/* What only some messages need: steps after the match, overheads. */
#include "mpi/p2p/message.h"

#include <stddef.h>
#include <string.h>

#include "mpi/p2p/causes.h"
#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/launch.h"
#include "mpi/p2p/lend.h"

void mpi_message_start(struct mpi_message *message, struct mpi_rank *from, struct mpi_rank *to,
		       int64_t size_B, int64_t last_B, net_transfer_fn mark, net_transfer_fn done)
{
	mpi_launch_start(message, from, to, size_B, last_B, mark, done);
}

/* A rank that posts a receive knows only of messages that came before it looked last. */
static bool is_unknown(const struct mpi_message *message)
{
	const struct mpi_rank *dest = message->dest;

	return dest->world->pd->cluster->protocol.progress != CLUSTER_PROGRESS_ASYNC &&
	       message->source != dest && dest->world->pd->engine.running == &dest->pd->task &&
	       message->arrived > dest->endpoint->last_look;
}

void mpi_message_answer(struct mpi_message *message)
{
	if (is_unknown(message))
		mpi_message_defer(message->dest, message);
	else
		mpi_message_step(message->dest, message);
}

/* A synchronous send learns of the match from the receiver. */
void mpi_message_acknowledge(struct mpi_message *message)
{
	struct mpi_message *acknowledgement =
	    util_pool_get(mpi_message_pool(message->dest->world, 0));

	if (!acknowledgement) {
		mpi_message_complete_send(message);
		return;
	}
	memset(acknowledgement, 0, offsetof(struct mpi_message, inline_data));
	acknowledgement->source = message->source;
	acknowledgement->dest = message->dest;
	acknowledgement->started = message->started;
	acknowledgement->stage = MESSAGE_ACKNOWLEDGING;
	mpi_message_join_send(acknowledgement, mpi_message_leave_send(message));
	mpi_message_step(message->dest, acknowledgement);
}

static inline void spend(struct mpi_rank *me, const struct mpi_message *message, double overhead_s,
			 double per_B_s)
{
	sim_time_ps begin = me->pd->world->engine.now;

	if (per_B_s > 0)
		overhead_s += per_B_s * (double)mpi_message_early_size(message);
	if (overhead_s <= 0)
		return;
	sim_task_sleep(&me->pd->task, sim_time_from_s(overhead_s));
	mpi_cause_overhead(me, message->source == me && !message->recv,
			   mpi_message_early_size(message), begin);
}

void mpi_message_spend_recv(struct mpi_rank *me, const struct mpi_message *message)
{
	const struct cluster *cluster = me->world->pd->cluster;

	spend(me, message, cluster->protocol.recv_overhead_s,
	      cluster->protocol.recv_overhead_per_B_s);
}

void mpi_message_spend_send(struct mpi_rank *me, const struct mpi_message *message)
{
	const struct cluster *cluster = me->world->pd->cluster;

	spend(me, message, cluster->protocol.send_overhead_s,
	      cluster->protocol.send_overhead_per_B_s);
}
