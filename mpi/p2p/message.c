/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/p2p/message.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/match.h"

static struct mpi_message *message_of(struct net_transfer *transfer)
{
	return (struct mpi_message *)((char *)transfer - offsetof(struct mpi_message, transfer));
}

static sim_time_ps now(const struct mpi_message *message)
{
	return message->dest->world->pd->engine.now;
}

static void start_transfer(struct mpi_message *message, const struct mpi_rank *from, const struct mpi_rank *to, int64_t size_B,
			   net_transfer_fn done)
{
	net_transfer_start(from->world->pd->model, &message->transfer, from->pd->node, to->pd->node, size_B, done);
}

void mpi_message_destroy(struct mpi_message *message)
{
	if (message->payload != message->inline_data)
		free(message->payload);
	util_pool_put(&message->dest->world->messages, message);
}

/* --- delivery of envelopes, in order per pair --- */

static void release_buffer(struct mpi_message *message)
{
	if (!message->buffered_B)
		return;
	message->source->endpoint->buffer_used_B -= message->buffered_B;
	message->buffered_B = 0;
	mpi_endpoint_wake(message->source);
}

static void deliver(struct mpi_message *message)
{
	struct mpi_rank *dest = message->dest;

	if (message->is_cancelled) {
		mpi_message_destroy(message);
		return;
	}
	message->is_delivered = true;
	if (!message->is_rendezvous)
		release_buffer(message);
	if (mpi_endpoint_create(dest) < 0)
		return; /* never received: out of memory shows as a deadlock of the receiver */
	mpi_match_message(message);
}

/* The envelope is here: its turn comes when all that the sender sent before has been delivered. */
static void envelope_arrived(struct net_transfer *transfer)
{
	struct mpi_message *message = message_of(transfer), *next;
	struct mpi_world *world = message->dest->world;

	message->is_at_hand = true;
	message->arrived = now(message);
	while (message->is_at_hand && !message->has_predecessor) {
		next = mpi_pair_advance(world, message);
		deliver(message);
		if (!next)
			break;
		next->has_predecessor = false;
		message = next;
	}
}

static void count(const struct mpi_message *message)
{
	struct mpi_world *world = message->source->world;

	if (message->context & CHANNEL_COLL) {
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
	start_transfer(message, message->source, message->dest,
		       message->is_rendezvous ? cluster->control_message_B : message->size_B, envelope_arrived);
}

/* --- after the match --- */

static void complete_send(struct mpi_message *message)
{
	struct mpi_request *send = message->send;

	if (!send)
		return;
	message->send = NULL;
	send->message = NULL;
	send->owner->endpoint->last_started = message->started;
	mpi_request_complete(send, MPI_SUCCESS);
}

/* Data that stayed with the sender (rendezvous, contiguous) is read where it lies now. */
static const void *data_of(const struct mpi_message *message)
{
	const struct mpi_request *send = message->send;

	if (message->payload)
		return message->payload;
	if (!send || pd_memory_is_absent(send->buf))
		return NULL;
	return pd_rank_memory(send->owner->pd, (const char *)send->buf + send->type->true_lb_B);
}

static void bulk_arrived(struct net_transfer *transfer)
{
	struct mpi_message *message = message_of(transfer);

	message->arrived = now(message);
	mpi_message_received(message);
}

static void clear_to_send_arrived(struct net_transfer *transfer)
{
	struct mpi_message *message = message_of(transfer);

	message->started = now(message);
	start_transfer(message, message->source, message->dest, message->size_B, bulk_arrived);
}

static void set_status(struct mpi_request *recv, const struct mpi_message *message)
{
	int64_t capacity_B = recv->count * recv->type->size_B;

	recv->status.MPI_SOURCE = message->source_rank;
	recv->status.MPI_TAG = message->tag;
	recv->status.MPI_ERROR = message->size_B > capacity_B ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
	mpi_status_set_bytes(&recv->status, message->size_B > capacity_B ? capacity_B : message->size_B);
}

void mpi_message_matched(struct mpi_message *message)
{
	set_status(message->recv, message);
	if (message->is_rendezvous) {
		start_transfer(message, message->dest, message->source, message->dest->world->pd->cluster->control_message_B,
			       clear_to_send_arrived);
		return;
	}
	complete_send(message); /* synchronous: the others are complete already */
	mpi_message_received(message);
}

/* Copies contiguous data straight to where it belongs; false: the receiver's own fiber must unpack. */
static bool copy_now(const struct mpi_request *recv, const struct mpi_message *message)
{
	int64_t size_B = mpi_status_bytes(&recv->status);
	const void *data = data_of(message);

	if (size_B == 0 || !data || pd_memory_is_absent(recv->buf))
		return true;
	if (!recv->type->is_contiguous)
		return false;
	memcpy(pd_rank_memory(recv->owner->pd, (char *)recv->buf + recv->type->true_lb_B), data, (size_t)size_B);
	return true;
}

static void record(const struct mpi_message *message)
{
	const struct sim_recorder *recorder = &message->dest->world->pd->recorder;
	struct sim_record_message entry;

	if (!recorder->message)
		return;
	entry = (struct sim_record_message){
		.source = message->source->rank,
		.dest = message->dest->rank,
		.tag = message->tag,
		.size_B = message->size_B,
		.sent = message->sent,
		.started = message->started,
		.arrived = message->arrived,
		.received = now(message),
		.in_collective = message->context & CHANNEL_COLL,
	};
	recorder->message(recorder->context, &entry);
}

/* The end of the message: the receive completes. */
static void finish(struct mpi_message *message)
{
	struct mpi_request *recv = message->recv;

	record(message);
	recv->message = NULL;
	recv->owner->endpoint->last_started = message->started;
	mpi_message_destroy(message);
	mpi_request_complete(recv, recv->status.MPI_ERROR);
}

/* The sender is about to go on: keeps what it sent until the receiver's fiber unpacks it. */
static int keep_data(struct mpi_message *message)
{
	struct pd_failure *failure = &message->dest->world->pd->failure;
	const void *data = data_of(message); /* still the sender's: the payload comes after it */

	message->payload = mpi_message_allocate(message, (size_t)message->size_B);
	if (message->payload) {
		memcpy(message->payload, data, (size_t)message->size_B);
		return 0;
	}
	*failure = (struct pd_failure){.kind = PD_FAILURE_MEMORY, .rank = message->dest->rank, .time = now(message)};
	snprintf(failure->text, sizeof failure->text, "out of memory for a message of %lld B", (long long)message->size_B);
	return UTIL_ENOMEM;
}

void mpi_message_received(struct mpi_message *message)
{
	struct mpi_request *recv = message->recv;
	bool is_copied = copy_now(recv, message);

	if (!is_copied && !message->payload && keep_data(message) < 0)
		return;
	complete_send(message);
	release_buffer(message);
	if (is_copied && recv->owner->world->pd->cluster->overhead_s == 0)
		finish(message);
	else
		mpi_request_arrived(recv);
}

void mpi_message_take(struct mpi_rank *me, struct mpi_request *recv)
{
	struct mpi_message *message = recv->message;
	int64_t size_B = mpi_status_bytes(&recv->status);

	if (!recv->type->is_contiguous && size_B > 0 && message->payload && !pd_memory_is_absent(recv->buf))
		mpi_datatype_unpack(recv->type, recv->buf, recv->count, message->payload, size_B);
	mpi_overhead(me);
	finish(message);
}

void mpi_overhead(struct mpi_rank *me)
{
	double overhead_s = me->world->pd->cluster->overhead_s;

	if (overhead_s > 0)
		sim_task_sleep(&me->pd->task, sim_time_from_s(overhead_s));
}

void *mpi_message_allocate(struct mpi_message *message, size_t size_B)
{
	return size_B <= MESSAGE_INLINE_B ? message->inline_data : malloc(size_B);
}
