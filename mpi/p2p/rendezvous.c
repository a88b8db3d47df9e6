/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps that ranks take for a message after its match: the clear to send, the bulk, what ends a
 * rendezvous, the acknowledgement of a synchronous send. */
#include "mpi/p2p/rendezvous.h"

#include "mpi/p2p/causes.h"

static sim_time_ps now(const struct mpi_message *message)
{
	return message->dest->world->pd->engine.now;
}

static const struct cluster *cluster_of(const struct mpi_message *message)
{
	return message->dest->world->pd->cluster;
}

static void end_receive(struct mpi_message *message)
{
	mpi_request_unlend(message->recv);
	mpi_message_received(message);
}

/* --- the bulk --- */

static void bulk_arrived(struct net_transfer *transfer)
{
	struct mpi_message *message = mpi_message_of(transfer);

	message->arrived = now(message);
	mpi_cause_arrived(message, transfer->size_B, true);
	if (cluster_of(message)->protocol.rendezvous_end == CLUSTER_RENDEZVOUS_ARRIVED ||
	    message->source == message->dest) {
		end_receive(message);
		return;
	}
	message->stage = MESSAGE_OVER;
	mpi_message_step(message->dest, message);
}

static void all_but_buffered_arrived(struct net_transfer *transfer)
{
	struct mpi_message *message = mpi_message_of(transfer);

	mpi_cause_arrived(message, transfer->size_B - message->buffered_B, false);
	mpi_message_let_sender_go(message);
}

/* The send ends when its connection has handed the bulk over. */
static bool is_handed_over(const struct mpi_message *message)
{
	return cluster_of(message)->protocol.send_buffer_is_unattended &&
	       message->source->pd->node != message->dest->pd->node;
}

/* How much of the bulk may be missing when the send returns; negative: nothing. */
static int64_t buffer_of(const struct mpi_message *message, int64_t bulk_B)
{
	const struct cluster *cluster = cluster_of(message);

	if (is_handed_over(message))
		return -1;
	if (cluster->protocol.send_buffer_is_unattended) /* within a node: as on a new connection */
		return bulk_B - cluster_handed_when(cluster, 0, bulk_B);
	return cluster_send_buffer(cluster, message->size_B);
}

static void start_bulk(struct mpi_message *message)
{
	int64_t bulk_B = message->size_B - mpi_message_early_size(message);
	int64_t buffer_B = buffer_of(message, bulk_B);
	bool has_mark =
	    buffer_B >= 0 && buffer_B < bulk_B && !mpi_message_is_copied_at_once(message);

	message->started = now(message);
	message->buffered_B = buffer_B;
	mpi_cause_transfer(message, false);
	if (buffer_B >= bulk_B)
		mpi_message_let_sender_go(message);
	mpi_message_start(message, message->source, message->dest, bulk_B, has_mark ? buffer_B : 0,
			  has_mark ? all_but_buffered_arrived : NULL, bulk_arrived);
	if (is_handed_over(message) && !mpi_connection_keeps(message, NULL))
		mpi_message_let_sender_go(message);
}

/* --- control messages --- */

/* To the sender, or from it. */
static void start_control(struct mpi_message *message, bool is_back, net_transfer_fn done)
{
	mpi_cause_transfer(message, is_back);
	mpi_message_start(message, is_back ? message->dest : message->source,
			  is_back ? message->source : message->dest,
			  cluster_of(message)->protocol.control_message_B, 0, NULL, done);
}

static void answer_arrived(struct net_transfer *transfer)
{
	struct mpi_message *message = mpi_message_of(transfer);

	message->stage++; /* CLEARED, CONFIRMED, ACKNOWLEDGED */
	mpi_cause_arrived(message, transfer->size_B, true);
	mpi_message_step(message->source, message);
}

static void end_arrived(struct net_transfer *transfer)
{
	struct mpi_message *message = mpi_message_of(transfer);

	message->arrived = now(message);
	mpi_cause_arrived(message, transfer->size_B, true);
	end_receive(message);
}

/* --- steps --- */

static void step_now(struct mpi_message *message)
{
	switch (message->stage) {
	case MESSAGE_CLEARED:
		start_bulk(message);
		break;
	case MESSAGE_CONFIRMED:
		mpi_message_let_sender_go(message);
		start_control(message, false, end_arrived);
		break;
	case MESSAGE_ACKNOWLEDGED:
		mpi_message_complete_send(message);
		mpi_message_destroy(message);
		break;
	default: /* MATCHED, OVER, ACKNOWLEDGING: the receiver tells the sender */
		start_control(message, true, answer_arrived);
	}
}

/* A rank that has left MPI has nothing else to do than to serve what it sent. */
static bool makes_progress(const struct mpi_rank *rank)
{
	const struct mpi_endpoint *endpoint = rank->endpoint;

	return rank->world->pd->cluster->protocol.progress == CLUSTER_PROGRESS_ASYNC ||
	       endpoint->is_blocked || mpi_rank_has_left(rank) ||
	       rank->world->pd->engine.running == &rank->pd->task;
}

void mpi_message_defer(struct mpi_rank *rank, struct mpi_message *message)
{
	struct mpi_endpoint *endpoint = rank->endpoint;

	message->next = NULL;
	*(endpoint->deferred_last ? &endpoint->deferred_last->next : &endpoint->deferred_first) =
	    message;
	endpoint->deferred_last = message;
}

void mpi_message_step(struct mpi_rank *rank, struct mpi_message *message)
{
	rank->world->n_steps_in_mpi +=
	    cluster_of(message)->protocol.progress != CLUSTER_PROGRESS_ASYNC;
	if (makes_progress(rank))
		step_now(message);
	else
		mpi_message_defer(rank, message);
}

void mpi_message_progress(struct mpi_rank *me)
{
	struct mpi_endpoint *endpoint = me->endpoint;
	struct mpi_message *message;

	while ((message = endpoint->deferred_first)) {
		endpoint->deferred_first = message->next;
		if (!message->next)
			endpoint->deferred_last = NULL;
		message->next = NULL;
		step_now(message);
	}
}
