/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the arrival of an envelope to the end of its receive. Most messages are plain: small ones
 * that nobody but their receiver waits for. What they pass is compiled twice, once with `is_plain`
 * constant, so that they pass none of the questions that only others answer with yes.
 */
#include "mpi/p2p/message.h"

#include "mpi/p2p/buffer.h"
#include "mpi/p2p/causes.h"
#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/pair.h"
#include "mpi/p2p/match.h"
#include "mpi/p2p/pieces.h"

static MPI_HOT void deliver(struct mpi_rank *dest, struct mpi_message *message, bool is_plain);
static MPI_HOT void match(struct mpi_rank *dest, struct mpi_message *message, bool is_plain);
static MPI_HOT void finish(struct mpi_rank *me, struct mpi_message *message,
			   struct mpi_request *recv, bool is_plain);

/* --- it is delivered in its turn --- */

/* The envelope is here: its turn comes when all that the sender sent before has been delivered. */
void mpi_message_envelope_arrived(struct net_transfer *transfer)
{
	struct mpi_message *message = mpi_message_of(transfer), *next;
	struct mpi_world *world = message->dest->world;

	message->arrived = world->pd->engine.now;
	mpi_cause_arrived(message, transfer->size_B, true);
	if (message->stage == MESSAGE_BEHIND) {
		message->stage = MESSAGE_AT_HAND;
		return;
	}
	do {
		next = mpi_pair_advance(world, message);
		if (next && next->stage == MESSAGE_AT_HAND)
			mpi_cause_follow(next, message);
		deliver(message->dest, message, false);
		message = next;
	} while (message && message->stage == MESSAGE_AT_HAND);
	if (message)
		message->stage = MESSAGE_NEXT;
}

void mpi_message_plain_arrived(struct net_transfer *transfer)
{
	struct mpi_message *message = mpi_message_of(transfer);
	struct mpi_rank *dest = message->dest;

	if (__builtin_expect(message->pair_next != NULL, 0)) {
		mpi_message_envelope_arrived(transfer);
		return;
	}
	message->arrived = dest->world->pd->engine.now;
	mpi_pair_advance(dest->world, message);
	deliver(dest, message, true);
}

static MPI_HOT void deliver(struct mpi_rank *dest, struct mpi_message *message, bool is_plain)
{
	if (!is_plain) {
		if (message->data == MESSAGE_WITHDRAWN) {
			mpi_message_destroy(message);
			return;
		}
		if (message->buffer && !message->is_rendezvous)
			mpi_buffer_leave(message);
	}
	if (!dest->endpoint && mpi_endpoint_create(dest) < 0)
		return; /* never received: out of memory shows as a deadlock of the receiver */
	match(dest, message, is_plain);
}

/* --- it is matched --- */

static MPI_HOT void set_status(struct mpi_request *recv, const struct mpi_message *message)
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

/* Copies contiguous data, NULL: none, to where it belongs; false: the receiver's own fiber must
 * unpack, or would have to if the data had memory. */
static MPI_HOT bool copy_now(const struct mpi_request *recv, const void *data)
{
	int64_t size_B = mpi_status_bytes(&recv->status);
	struct pd_rank *receiver = recv->owner->pd;
	struct pd_world *world = receiver->world;

	if (size_B == 0)
		return true;
	if (!recv->type->is_contiguous)
		return false;
	if (__builtin_expect(pd_memory_is_reserved(recv->buf), 0)) {
		if (data)
			mpi_pieces_give(NULL, data, recv);
		return !mpi_pieces_are_staged(recv);
	}
	if (!data)
		return true;
	world->receiver = receiver;
	mpi_message_copy(pd_rank_memory(receiver, (char *)recv->buf + recv->type->true_lb_B), data,
			 (size_t)size_B);
	world->receiver = NULL;
	return true;
}

/* The same where somebody is told. */
static __attribute__((cold, noinline)) bool copy_and_tell(const struct mpi_request *recv,
							  const void *data)
{
	mpi_receiving_fn *receiving = recv->owner->world->receiving;
	bool is_copied;

	if (!receiving(recv, false))
		return true;
	is_copied = copy_now(recv, data);
	receiving(recv, true);
	return is_copied;
}

/* The same for data of any size. */
static inline __attribute__((always_inline)) bool copy_any_now(const struct mpi_request *recv,
							       const void *data)
{
	return __builtin_expect(recv->owner->world->receiving == NULL, 1)
		   ? copy_now(recv, data)
		   : copy_and_tell(recv, data);
}

/* The two have been joined, and the receive's status says what of. */
static void go_on(struct mpi_message *message, struct mpi_request *recv)
{
	recv->message = message;
	message->recv = recv;
	message->stage = MESSAGE_MATCHED;
	mpi_cause_matched(message);
	if (message->send && message->send->mode == SEND_SYNCHRONOUS &&
	    message->dest->world->synchronized)
		message->dest->world->synchronized(message);
	if (message->is_rendezvous) {
		mpi_request_lend(message->recv);
		mpi_message_answer(message);
		return;
	}
	if (message->send && mpi_message_ends_send(message, message->send)) {
		if (message->dest->world->pd->cluster->protocol.synchronous ==
		    CLUSTER_SYNCHRONOUS_ACKNOWLEDGED)
			mpi_message_acknowledge(message);
		else
			mpi_message_complete_send(message);
	}
	mpi_message_received(message);
}

void mpi_message_matched(struct mpi_message *message)
{
	set_status(message->recv, message);
	go_on(message, message->recv);
}

static MPI_HOT void match(struct mpi_rank *dest, struct mpi_message *message, bool is_plain)
{
	struct mpi_request *recv;

	if (__builtin_expect(dest->world->choice != NULL, 0)) {
		mpi_choose_arrived(message);
		return;
	}
	recv = mpi_match_find_posted(dest->endpoint, message);
	if (!recv) {
		mpi_match_keep(message);
	} else {
		mpi_match_remove_recv(dest->endpoint, recv);
		set_status(recv, message);
		if (is_plain &&
		    copy_now(recv, message->data == MESSAGE_INLINE ? message->inline_data : NULL))
			finish(dest, message, recv, true);
		else
			go_on(message, recv);
	}
}

/* --- its data come from the sender --- */

void mpi_message_join_send(struct mpi_message *message, struct mpi_request *send)
{
	message->send = send;
	send->message = message;
	mpi_request_lend(send);
}

struct mpi_request *mpi_message_leave_send(struct mpi_message *message)
{
	struct mpi_request *send = message->send;

	message->send = NULL;
	if (message->data == MESSAGE_LENT)
		message->data = MESSAGE_NO_DATA;
	send->message = NULL;
	mpi_request_unlend(send);
	return send;
}

int mpi_message_keep(struct mpi_message *message)
{
	const void *data = mpi_message_data(message);
	void *copy;

	if (message->data != MESSAGE_LENT)
		return 0;
	copy = mpi_message_allocate(message, (size_t)message->size_B);
	if (copy) {
		memcpy(copy, data, (size_t)message->size_B);
		return 0;
	}
	pd_fail_aside(message->dest->pd, PD_FAILURE_MEMORY, "out of memory for a message of %lld B",
		      (long long)message->size_B);
	return UTIL_ENOMEM;
}

void mpi_message_release_send(struct mpi_message *message)
{
	struct mpi_request *send = mpi_message_leave_send(message);

	if (!mpi_message_ends_send(message, send))
		return;
	send->owner->endpoint->last_started = message->started;
	send->cause_mark = mpi_cause_released(message, send->owner);
	mpi_request_complete(send, MPI_SUCCESS);
}

/* --- the receive has it --- */

void mpi_message_received(struct mpi_message *message)
{
	struct mpi_request *recv = message->recv;
	bool is_copied = copy_any_now(recv, mpi_message_data(message));

	if (is_copied && message->data == MESSAGE_PIECES)
		mpi_pieces_give(message, NULL, recv);

	if (!is_copied && mpi_message_keep(message) < 0)
		return;
	mpi_message_complete_send(message);
	if (message->buffer)
		mpi_buffer_leave(message);
	if (is_copied &&
	    (!message->dest->world->has_recv_overhead || mpi_message_is_copied_at_once(message)))
		finish(message->dest, message, recv, false);
	else
		mpi_request_arrived(recv);
}

void mpi_message_take(struct mpi_rank *me, struct mpi_request *recv)
{
	struct mpi_message *message = recv->message;
	const void *data = mpi_message_data(message);
	int64_t size_B = mpi_status_bytes(&recv->status);

	if (size_B == 0)
		; /* nothing to copy */
	else if (message->data == MESSAGE_PIECES || (data && pd_memory_is_reserved(recv->buf)))
		mpi_pieces_give(message, data, recv); /* some once more */
	else if (data && !recv->type->is_contiguous) /* else it has been copied */
		mpi_datatype_unpack(recv->type, recv->buf, recv->count, data, size_B);
	if (!mpi_message_is_copied_at_once(message))
		mpi_message_spend(me, message, MPI_COST_RECV);
	if (size_B > 0 && pd_memory_is_reserved(recv->buf))
		mpi_pieces_stage(me, recv);
	finish(me, message, recv, false);
}

/* --- its end --- */

static inline __attribute__((always_inline)) void destroy(struct mpi_message *message)
{
	struct mpi_world *world = message->dest->world;

	mpi_cause_end(message);
	if (message->data == MESSAGE_PIECES)
		mpi_pieces_free(message);
	else if (message->payload)
		mpi_payload_put(&world->payloads, message->payload, (size_t)message->size_B);
	util_pool_put(mpi_message_pool(world, message->size_B), message);
}

void mpi_message_destroy(struct mpi_message *message)
{
	destroy(message);
}

/* Tells the observers of a message that is received, where they do not only add them up. */
static __attribute__((noinline)) void tell(const struct mpi_message *message)
{
	const struct sim_observers *observers = &message->dest->world->pd->observers;
	struct sim_record_message entry;

	if (!(observers->wanted & SIM_OBSERVED_MESSAGE))
		return;
	entry = (struct sim_record_message){
	    .source = message->source->rank,
	    .dest = message->dest->rank,
	    .tag = message->tag,
	    .size_B = message->size_B,
	    .sent = message->sent,
	    .started = message->started,
	    .arrived = message->arrived,
	    .received = message->dest->world->pd->engine.now,
	    .in_collective = message->context & CHANNEL_COLL,
	};
	sim_tell_message(observers, &entry);
}

static MPI_HOT void record(const struct mpi_rank *dest, const struct mpi_message *message)
{
	if (__builtin_expect(dest->world->pd->observers.tally != NULL, 1))
		sim_tally_add_message(message->source->tally, dest->tally, message->size_B,
				      (int)(message->context & CHANNEL_COLL));
	else
		tell(message);
}

/* The end of the message, whose receiver is `me`: the receive completes. */
static MPI_HOT void finish(struct mpi_rank *me, struct mpi_message *message,
			   struct mpi_request *recv, bool is_plain)
{
	record(me, message);
	me->endpoint->last_started = message->started;
	if (is_plain) {
		util_pool_put(&me->world->messages, message);
	} else {
		recv->message = NULL;
		recv->cause_mark = mpi_cause_released(message, me);
		destroy(message);
	}
	mpi_request_end(me->endpoint, recv);
}

/* --- when the sender goes on earlier --- */

/* The send completes before the receiver has everything: its data must not be needed any more. */
__attribute__((cold)) void mpi_message_let_sender_go(struct mpi_message *message)
{
	if (!message->send)
		return;
	if (copy_any_now(message->recv, mpi_message_data(message)) || mpi_message_keep(message) == 0)
		mpi_message_complete_send(message);
}

/*
 * The receive that gets a message on its way, whatever happens until it arrives; NULL: not known.
 * Its rank waits for it and can do nothing else before, nothing that the sender sent earlier comes
 * in between, and no wildcard lets another message take its place.
 */
static struct mpi_request *find_certain_receive(const struct mpi_message *message)
{
	const struct mpi_endpoint *endpoint = message->dest->endpoint;
	struct mpi_request *recv;

	if (!endpoint || message->stage != MESSAGE_NEXT || endpoint->n_posted_wild > 0 ||
	    endpoint->may_leave_some || message->dest->world->choice)
		return NULL;
	recv = mpi_match_find_posted(endpoint, message);
	return recv && recv->is_waited ? recv : NULL;
}

bool mpi_message_hand_over(const struct mpi_message *message, const void *data)
{
	struct mpi_request *recv = find_certain_receive(message);

	if (!recv)
		return false;
	set_status(recv, message); /* as the match will */
	return copy_any_now(recv, data);
}

void mpi_request_settle_now(struct mpi_request *send)
{
	struct mpi_message *message = send->message;

	if (!mpi_message_hand_over(message, mpi_message_data(message)))
		mpi_message_keep(message);
	mpi_message_leave_send(message);
}
