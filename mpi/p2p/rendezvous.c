/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What becomes of a message whose life does not end with its match. Its ranks take steps in turn,
 * each when it is in MPI:
 *
 *   receiver, MATCHED         clear to send →     sender, CLEARED        starts the bulk
 *   receiver, OVER            confirmation →      sender, CONFIRMED      says that this was all
 *   receiver, ACKNOWLEDGING   acknowledgement →   sender, ACKNOWLEDGED   its send completes
 *
 * Below: the overheads that ranks spend.
 */
#include "mpi/p2p/message.h"

#include "mpi/p2p/causes.h"
#include "mpi/p2p/contact.h"

static sim_time_ps now(const struct mpi_message *message)
{
	return message->dest->world->pd->engine.now;
}

static const struct cluster *cluster_of(const struct mpi_message *message)
{
	return message->dest->world->pd->cluster;
}

/* The next step: at once, or when the rank whose it is is in MPI again. */
static void step(struct mpi_message *message);

/* --- steps --- */

/* A transfer to the sender, or from it. */
static void start_control(struct mpi_message *message, bool is_back, net_transfer_fn done)
{
	mpi_cause_transfer(message, is_back);
	mpi_message_start(message, is_back ? message->dest : message->source,
			  is_back ? message->source : message->dest, 0, 0, NULL, done);
}

static void sender_knows(struct net_transfer *transfer)
{
	struct mpi_message *message = mpi_message_of(transfer);

	message->stage++; /* of the receiver's three stages each is before the sender's */
	mpi_cause_arrived(message, transfer->size_B, true);
	step(message);
}

/* The bulk is there; with `rendezvous_end: acknowledged` the receiver tells the sender, and the end
 * comes here, too. */
static void bulk_arrived(struct net_transfer *transfer)
{
	struct mpi_message *message = mpi_message_of(transfer);

	message->arrived = now(message);
	mpi_cause_arrived(message, transfer->size_B, true);
	if (message->stage == MESSAGE_CLEARED && message->source != message->dest &&
	    cluster_of(message)->protocol.rendezvous_end != CLUSTER_RENDEZVOUS_ARRIVED) {
		message->stage = MESSAGE_OVER;
		step(message);
		return;
	}
	mpi_request_unlend(message->recv);
	mpi_message_received(message);
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
	int64_t buffer_B;
	bool has_mark;

	if (message->source->world->shortening)
		bulk_B = mpi_message_shorten(message, bulk_B, true);
	buffer_B = buffer_of(message, bulk_B);
	has_mark = buffer_B >= 0 && buffer_B < bulk_B && !mpi_message_is_copied_at_once(message);
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

static void step_now(struct mpi_message *message)
{
	switch (message->stage) {
	case MESSAGE_CLEARED:
		start_bulk(message);
		break;
	case MESSAGE_CONFIRMED:
		mpi_message_let_sender_go(message);
		start_control(message, false, bulk_arrived);
		break;
	case MESSAGE_ACKNOWLEDGED:
		mpi_message_complete_send(message);
		mpi_message_destroy(message);
		break;
	default:
		start_control(message, true, sender_knows);
	}
}

/* --- when they are taken --- */

/* Whose step is the next one? */
static struct mpi_rank *rank_of(const struct mpi_message *message)
{
	return message->stage == MESSAGE_CLEARED || message->stage == MESSAGE_CONFIRMED ||
		       message->stage == MESSAGE_ACKNOWLEDGED
		   ? message->source
		   : message->dest;
}

/* A rank that has left MPI has nothing else to do than to serve what it sent. */
static bool makes_progress(const struct mpi_rank *rank)
{
	const struct mpi_endpoint *endpoint = rank->endpoint;

	return rank->world->pd->cluster->protocol.progress == CLUSTER_PROGRESS_ASYNC ||
	       endpoint->is_blocked || mpi_rank_has_left(rank) ||
	       rank->world->pd->engine.running == &rank->pd->task;
}

static void step(struct mpi_message *message)
{
	message->dest->world->n_steps_in_mpi +=
	    cluster_of(message)->protocol.progress != CLUSTER_PROGRESS_ASYNC;
	if (makes_progress(rank_of(message)))
		step_now(message);
	else
		util_list_append(&rank_of(message)->endpoint->deferred, message);
}

void mpi_message_progress(struct mpi_rank *me)
{
	struct mpi_message *message;

	while ((message = util_list_pop(&me->endpoint->deferred)))
		step_now(message);
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
		util_list_append(&rank_of(message)->endpoint->deferred, message);
	else
		step(message);
}

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
	step(acknowledgement);
}

/* --- overheads --- */

static double cost_of(const struct cluster_protocol *protocol, enum mpi_cost cost,
		      const struct mpi_message *message)
{
	if (cost == MPI_COST_ISEND && protocol->isend_overhead_s < 0)
		cost = MPI_COST_SEND;
	switch (cost) {
	case MPI_COST_SEND:
		return cluster_cost(&protocol->send_costs, protocol->send_overhead_s,
				    message->size_B);
	case MPI_COST_ISEND:
		return cluster_cost(&protocol->isend_costs, protocol->isend_overhead_s,
				    message->size_B);
	default:
		return cluster_cost(&protocol->recv_costs, protocol->recv_overhead_s,
				    message->size_B) +
		       protocol->recv_overhead_per_B_s *
			   (double)mpi_message_early_size(message);
	}
}

void mpi_message_spend(struct mpi_rank *me, const struct mpi_message *message, enum mpi_cost cost)
{
	bool is_send = cost != MPI_COST_RECV;
	double overhead_s;
	sim_time_ps begin;

	if (me->world->contacts)
		mpi_contact_spend(me, message, is_send);
	begin = now(message);
	overhead_s = cost_of(&cluster_of(message)->protocol, cost, message);
	if (overhead_s <= 0)
		return;
	sim_task_sleep(&me->pd->task, sim_time_from_s(overhead_s));
	mpi_cause_overhead(me, is_send, mpi_message_early_size(message), begin);
}
