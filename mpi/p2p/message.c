/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/p2p/message.h"

#include <string.h>

#include "mpi/p2p/buffer.h"
#include "mpi/p2p/causes.h"
#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/lend.h"
#include "mpi/p2p/match.h"
#include "mpi/p2p/pair.h"
#include "mpi/p2p/rendezvous.h"

/* Part of its callers: every message passes here. */
#define HOT inline __attribute__((always_inline))

static sim_time_ps now(const struct mpi_message *message)
{
	return message->dest->world->pd->engine.now;
}

/* With a mark, if any, where all but the last `last_B` are there. */
static inline __attribute__((always_inline)) void start(struct mpi_message *message,
							struct mpi_rank *from, struct mpi_rank *to,
							int64_t size_B, int64_t last_B,
							net_transfer_fn mark, net_transfer_fn done)
{
	struct net_model *model = from->world->pd->model;
	struct net_transfer *transfer = &message->transfer;
	int source = from->pd->node, dest = to->pd->node;
	struct net_stream *stream =
	    from->world->streams ? mpi_stream_get(from->world, from, to, size_B) : NULL;

	if (mpi_message_is_copied_at_once(message)) {
		transfer->size_B = size_B;
		done(transfer);
	} else if (stream) {
		net_transfer_start_in_stream(model, stream, transfer, source, dest, size_B, last_B,
					     mark, done);
	} else if (mark) {
		net_transfer_start_marked(model, transfer, source, dest, size_B, last_B, mark,
					  done);
	} else {
		net_transfer_start(model, transfer, source, dest, size_B, done);
	}
}

void mpi_message_start(struct mpi_message *message, struct mpi_rank *from, struct mpi_rank *to,
		       int64_t size_B, int64_t last_B, net_transfer_fn mark, net_transfer_fn done)
{
	start(message, from, to, size_B, last_B, mark, done);
}

void mpi_message_destroy(struct mpi_message *message)
{
	mpi_cause_end(message);
	if (message->is_lent_copy)
		mpi_lent_copy_free(message->payload);
	else if (message->payload != message->inline_data)
		mpi_payload_put(&message->dest->world->payloads, message->payload,
				(size_t)message->size_B);
	util_pool_put(message->has_inline ? &message->dest->world->messages
					  : &message->dest->world->bare_messages,
		      message);
}

/* --- delivery of envelopes, in order per pair --- */
static inline void release_buffer(struct mpi_message *message)
{
	if (message->buffer)
		mpi_buffer_leave(message);
}

static HOT void deliver(struct mpi_message *message)
{
	struct mpi_rank *dest = message->dest;

	if (message->is_cancelled) {
		mpi_message_destroy(message);
		return;
	}
	message->is_delivered = true;
	if (!message->is_rendezvous)
		release_buffer(message);
	if (!dest->endpoint && mpi_endpoint_create(dest) < 0)
		return; /* never received: out of memory shows as a deadlock of the receiver */
	mpi_match_message(message);
}

/* The envelope is here: its turn comes when all that the sender sent before has been delivered. */
static void envelope_arrived(struct net_transfer *transfer)
{
	struct mpi_message *message = mpi_message_of(transfer), *next;
	struct mpi_world *world = message->dest->world;

	message->is_at_hand = true;
	message->arrived = now(message);
	mpi_cause_arrived(message, transfer->size_B, true);
	while (message->is_at_hand && !message->has_predecessor) {
		next = mpi_pair_advance(world, message);
		if (next && next->is_at_hand)
			mpi_cause_follow(next, message);
		deliver(message);
		if (!next)
			break;
		next->has_predecessor = false;
		message = next;
	}
}

static HOT void count(const struct mpi_message *message)
{
	struct mpi_world *world = message->source->world;
	int channel = (int)(message->context & CHANNEL_COLL);

	message->source->n_sent[channel]++;
	message->source->sent_B[channel] += (uint64_t)message->size_B;
	if (channel == CHANNEL_COLL) {
		world->n_collective_messages++;
		world->n_collective_bytes += (uint64_t)message->size_B;
	} else {
		world->n_messages++;
		world->n_bytes += (uint64_t)message->size_B;
	}
}

void mpi_message_launch(struct mpi_message *message)
{
	struct mpi_world *world = message->source->world;
	const struct net_cluster *cluster = world->pd->cluster;

	count(message);
	message->has_predecessor = mpi_pair_append(world, message);
	message->started = now(message);
	mpi_cause_launch(message);
	mpi_cause_transfer(message, false);
	start(message, message->source, message->dest,
	      message->is_rendezvous ? cluster->control_message_B + mpi_message_early_size(message)
				     : message->size_B,
	      0, NULL, envelope_arrived);
}

/* --- after the match --- */
static void complete_send_now(struct mpi_message *message)
{
	struct mpi_request *send = message->send;

	if (message->is_lent) {
		mpi_message_give_back(message);
		return;
	}
	message->send = NULL;
	send->message = NULL;
	mpi_request_unlend(send);
	send->owner->endpoint->last_started = message->started;
	send->cause_mark = mpi_cause_released(message, send->owner);
	mpi_request_complete(send, MPI_SUCCESS);
}

static inline void complete_send(struct mpi_message *message)
{
	if (message->send)
		complete_send_now(message);
}

void mpi_message_complete_send(struct mpi_message *message)
{
	complete_send(message);
}

/* Copies contiguous data to where it belongs; false: the receiver's own fiber must unpack. */
static inline __attribute__((always_inline)) bool copy_now(const struct mpi_request *recv,
							   const struct mpi_message *message)
{
	int64_t size_B = mpi_status_bytes(&recv->status);
	const void *data = mpi_message_data(message);

	if (size_B == 0 || !data || pd_memory_is_absent(recv->buf))
		return true;
	if (!recv->type->is_contiguous)
		return false;
	recv->owner->pd->world->receiver = recv->owner->pd;
	mpi_message_copy(pd_rank_memory(recv->owner->pd, (char *)recv->buf + recv->type->true_lb_B),
			 data, (size_t)size_B);
	recv->owner->pd->world->receiver = NULL;
	return true;
}

/* The send completes before the receiver has everything: its data must not be needed any more. */
__attribute__((cold)) void mpi_message_let_sender_go(struct mpi_message *message)
{
	if (!message->send)
		return;
	if (copy_now(message->recv, message) || message->payload || mpi_message_keep(message) == 0)
		complete_send(message);
}

/* A rank that posts a receive knows only of messages that came before it looked last. */
static bool is_unknown(const struct mpi_message *message)
{
	const struct mpi_rank *dest = message->dest;

	return dest->world->pd->cluster->progress != NET_PROGRESS_ASYNC &&
	       message->source != dest && dest->world->pd->engine.running == &dest->pd->task &&
	       message->arrived > dest->endpoint->last_look;
}

static HOT void set_status(struct mpi_request *recv, const struct mpi_message *message)
{
	int64_t capacity_B;

	if (__builtin_mul_overflow(recv->count, recv->type->size_B, &capacity_B))
		capacity_B = INT64_MAX;
	recv->status.MPI_SOURCE = message->source_rank;
	recv->status.MPI_TAG = message->tag;
	recv->status.MPI_ERROR = message->size_B > capacity_B ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
	mpi_status_set_bytes(&recv->status,
			     message->size_B > capacity_B ? capacity_B : message->size_B);
}

/* A synchronous send learns of the match from the receiver. */
static __attribute__((cold, noinline)) void acknowledge(struct mpi_message *message)
{
	struct mpi_message *acknowledgement = mpi_message_get(message->dest->world, false);

	if (!acknowledgement) {
		complete_send(message);
		return;
	}
	memset(acknowledgement, 0, offsetof(struct mpi_message, has_inline));
	acknowledgement->source = message->source;
	acknowledgement->dest = message->dest;
	acknowledgement->started = message->started;
	acknowledgement->is_acknowledgement = true;
	acknowledgement->send = message->send;
	acknowledgement->send->message = acknowledgement;
	message->send = NULL;
	mpi_message_step(message->dest, acknowledgement);
}

static inline void record(const struct mpi_message *message)
{
	if (__builtin_expect(message->dest->world->pd->recorder.tally != NULL, 1))
		sim_tally_add_message(message->source->tally, message->dest->tally, message->size_B,
				      (int)(message->context & CHANNEL_COLL));
	else
		mpi_message_record(message);
}

/* The end of the message: the receive completes. */
static HOT void finish(struct mpi_message *message)
{
	struct mpi_request *recv = message->recv;

	record(message);
	recv->message = NULL;
	recv->owner->endpoint->last_started = message->started;
	recv->cause_mark = mpi_cause_released(message, recv->owner);
	mpi_message_destroy(message);
	mpi_request_complete(recv, recv->status.MPI_ERROR);
}

static HOT void receive(struct mpi_message *message)
{
	const struct net_cluster *cluster = message->dest->world->pd->cluster;
	struct mpi_request *recv = message->recv;
	bool is_copied = copy_now(recv, message);

	if (!is_copied && !message->payload && mpi_message_keep(message) < 0)
		return;
	complete_send(message);
	release_buffer(message);
	if (is_copied && (mpi_message_is_copied_at_once(message) ||
			  (cluster->recv_overhead_s == 0 && cluster->recv_overhead_per_B_s == 0)))
		finish(message);
	else
		mpi_request_arrived(recv);
}

void mpi_message_received(struct mpi_message *message)
{
	receive(message);
}

void mpi_message_matched(struct mpi_message *message)
{
	set_status(message->recv, message);
	mpi_cause_matched(message);
	if (message->is_rendezvous) {
		mpi_request_lend(message->recv);
		if (is_unknown(message))
			mpi_message_defer(message->dest, message);
		else
			mpi_message_step(message->dest, message);
		return;
	}
	if (message->send && !message->is_lent &&
	    message->dest->world->pd->cluster->synchronous == NET_SYNCHRONOUS_ACKNOWLEDGED)
		acknowledge(message);
	else if (!message->is_lent)
		complete_send(message); /* synchronous: the others are complete already */
	receive(message);
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

void mpi_message_spend_send(struct mpi_rank *me, const struct mpi_message *message)
{
	const struct net_cluster *cluster = me->world->pd->cluster;

	spend(me, message, cluster->send_overhead_s, cluster->send_overhead_per_B_s);
}

void mpi_message_take(struct mpi_rank *me, struct mpi_request *recv)
{
	struct mpi_message *message = recv->message;
	int64_t size_B = mpi_status_bytes(&recv->status);
	const struct net_cluster *cluster = me->world->pd->cluster;

	if (!recv->type->is_contiguous && size_B > 0 && message->payload &&
	    !pd_memory_is_absent(recv->buf))
		mpi_datatype_unpack(recv->type, recv->buf, recv->count, message->payload, size_B);
	if (!mpi_message_is_copied_at_once(message))
		spend(me, message, cluster->recv_overhead_s, cluster->recv_overhead_per_B_s);
	finish(message);
}
