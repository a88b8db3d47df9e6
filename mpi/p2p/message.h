/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_MESSAGE_H
#define MPI_P2P_MESSAGE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "mpi/core/status.h"
#include "mpi/p2p/request.h"
#include "netmodel/model.h"

/*
 * A message on its way, whose life is send.c, arrive.c, and, where it does not end with the match,
 * rendezvous.c. Its envelope arrives with the whole message (eager) or as a request to send
 * (rendezvous); envelopes of one pair of ranks are delivered in the order in which they were sent,
 * whatever the network does, so that matching never overtakes.
 *
 * Eager:      data in one transfer → envelope delivered, matched at once or kept as unexpected.
 * Rendezvous: request to send → matched → clear to send back → bulk transfer → both requests
 * complete.
 *
 * With `protocol.progress: in_mpi` the clear to send waits until the receiver, and the bulk
 * transfer until the sender, is in a call that makes progress: one that waits, tests or probes.
 * With `protocol.send_buffer` the send completes when only that much of the bulk is still under
 * way.
 *
 * With `protocol.synchronous_send: acknowledged` a synchronous eager send completes when an
 * acknowledgement of the match is back, which takes the same two steps as a clear to send.
 */
enum mpi_message_stage {
	/* its envelope is under way: */
	MESSAGE_NEXT,	/* the next one of its pair to be delivered */
	MESSAGE_BEHIND, /* behind another one of its pair */
	/* its envelope is here: */
	MESSAGE_AT_HAND,   /* behind another one of its pair */
	MESSAGE_DELIVERED, /* no receive has matched it yet */
	MESSAGE_MATCHED,   /* by a receive or MPI_Mprobe; a rendezvous: its receiver answers */
	/* a rendezvous: */
	MESSAGE_CLEARED,   /* its sender has the clear to send */
	MESSAGE_OVER,	   /* the last byte is there, and the receiver has to say so */
	MESSAGE_CONFIRMED, /* it has */
	/* no message, but what tells the sender of a synchronous one that it was matched: */
	MESSAGE_ACKNOWLEDGING, /* the receiver's step */
	MESSAGE_ACKNOWLEDGED,  /* the sender's */
};

/* Where the data are until the receive has them. */
enum mpi_message_data {
	MESSAGE_NO_DATA, /* of no bytes, absent, or in the receive's buffer already */
	MESSAGE_INLINE,	 /* inline_data */
	MESSAGE_PAYLOAD, /* payload */
	MESSAGE_PIECES,	 /* payload, in pieces: mpi/p2p/pieces.h */
	MESSAGE_LENT,	 /* the buffer of `send` */
	MESSAGE_WITHDRAWN, /* the send was cancelled: it is dropped when its turn to be delivered comes */
};
#define MESSAGE_INLINE_B 64

struct mpi_buffer;

struct mpi_message {
	union {
		struct net_transfer transfer; /* the one that is under way: data, control or bulk */
		struct {		      /* while none is */
			struct util_link
			    link; /* in the receiver's unexpected queue, or a rank's deferred ones */
			struct mpi_match_node by_key; /* in that queue, while it is deep */
		};
	};
	struct mpi_rank *source, *dest;
	struct mpi_message *pair_chain; /* the last one of another pair, same place in the table */
	uint32_t context;     /* of the communicator, and the channel: mpi_message_context */
	int source_rank, tag; /* source_rank: in the communicator */
	uint32_t buffer_epoch;
	int64_t size_B;
	const void *site; /* where the application sent it */
	sim_time_ps sent, started, arrived;
	int64_t buffered_B; /* of the bulk: may be missing when the send returns */
	uint32_t ordinal;   /* of its pair: for whoever chooses (mpi/p2p/choose.h) */
	/* from here on all zero in a new message */
	struct mpi_message
	    *pair_next; /* sent later by the same rank to the same rank, not yet delivered */
	struct mpi_request *
	    send; /* the send, as long as it is not complete, or lends its data; NULL: nobody waits for it */
	struct mpi_request *recv;  /* the receive that matched; NULL: none yet */
	MPI_Message handle;	   /* MPI_Mprobe's; 0: none */
	struct mpi_comm *comm;	   /* of the receiver, retained, while there is a handle */
	void *payload;		   /* packed data, of mpi_world.payloads; else NULL */
	void *cause;		   /* the token of mpi/p2p/causes.h; NULL: nobody asks */
	struct mpi_buffer *buffer; /* of the sender that it is in: mpi/p2p/buffer.h; NULL: none */
	enum mpi_message_stage stage : 8;
	enum mpi_message_data data : 8;
	bool is_rendezvous;
	/* in messages of MESSAGE_INLINE_B bytes at most */
	_Alignas(16) char inline_data[MESSAGE_INLINE_B];
};

/* Messages match only within one communicator and channel. */
static inline uint32_t mpi_message_context(const struct mpi_comm *comm, enum mpi_channel channel)
{
	return 2 * comm->context + (uint32_t)channel;
}

/* Where messages of this size come from: most have no room for inline data, which costs memory. */
static inline struct util_pool *mpi_message_pool(struct mpi_world *world, int64_t size_B)
{
	return size_B <= MESSAGE_INLINE_B ? &world->messages : &world->bare_messages;
}
/* Memory for `size_B` bytes, all that the message has; NULL when there is none. */
static inline void *mpi_message_allocate(struct mpi_message *message, size_t size_B)
{
	if (size_B <= MESSAGE_INLINE_B) {
		message->data = MESSAGE_INLINE;
		return message->inline_data;
	}
	message->payload = mpi_payload_get(&message->dest->world->payloads, size_B);
	message->data = message->payload ? MESSAGE_PAYLOAD : message->data;
	return message->payload;
}
/* memcpy, without the call for a number or two. */
static inline void mpi_message_copy(void *to, const void *from, size_t size_B)
{
	if (size_B == 8)
		memcpy(to, from, 8);
	else if (size_B == 4)
		memcpy(to, from, 4);
	else if (size_B == 1)
		memcpy(to, from, 1);
	else
		memcpy(to, from, size_B);
}
static inline struct mpi_message *mpi_message_of(struct net_transfer *transfer)
{
	return (struct mpi_message *)((char *)transfer - offsetof(struct mpi_message, transfer));
}
/* To oneself, where ranks have to be in MPI for progress: an event would come after the caller
 * looked. */
static inline bool mpi_message_is_copied_at_once(const struct mpi_message *message)
{
	return message->source == message->dest &&
	       message->source->world->pd->cluster->protocol.progress != CLUSTER_PROGRESS_ASYNC;
}
/* The bytes that travel before the match: all of an eager message, what goes with the request of a
 * rendezvous. */
static inline int64_t mpi_message_early_size(const struct mpi_message *message)
{
	int64_t request_data_B = message->source->world->pd->cluster->protocol.request_data_B;

	return message->is_rendezvous && request_data_B < message->size_B ? request_data_B
									  : message->size_B;
}

/* --- to the network (send.c) --- */

/*
 * What a run would be whose messages leave some bytes out: data, matching and statuses stay, the
 * network has less to carry. `left_out_B` is asked when the message is sent, and again when the bulk
 * of a rendezvous is (is_bulk).
 */
struct mpi_shortening {
	void *context;
	int64_t (*left_out_B)(void *context, const struct mpi_message *message, bool is_bulk);
};
/* What is left of `size_B`; with world->shortening. */
__attribute__((cold)) int64_t mpi_message_shorten(const struct mpi_message *message, int64_t size_B,
						  bool is_bulk);
/* Before the ranks start. */
void mpi_shorten_by(struct mpi_world *world, const struct mpi_shortening *shortening);

/* `receiving` is called just before data are put into the buffer of a receive, and just after (is_over). Where it returns false
 * there is no buffer any more, and they are thrown away. Before the ranks start. */
void mpi_receiving_tell(struct mpi_world *world, mpi_receiving_fn *receiving);

/* A transfer of the message, with a mark, if any, where all but the last `last_B` are there. */
void mpi_message_start(struct mpi_message *message, struct mpi_rank *from, struct mpi_rank *to,
		       int64_t size_B, int64_t last_B, net_transfer_fn mark, net_transfer_fn done);

/* --- from its arrival to the end of its receive (arrive.c) --- */

/* The envelope is here; it is that of a plain message, which was the only one of its pair under
 * way when it was sent off. */
void mpi_message_envelope_arrived(struct net_transfer *transfer);
void mpi_message_plain_arrived(struct net_transfer *transfer);
/* Its receive and it have been joined: completes a synchronous send, answers a request to send, or
 * delivers the data that is there. */
void mpi_message_matched(struct mpi_message *message);
/* The receive has it: copies the data where it may do so now, or leaves that to the receiver's
 * fiber. */
void mpi_message_received(struct mpi_message *message);
/* The rest of a receive that has ARRIVED, on the receiver's fiber: unpacks, spends the overhead o,
 * completes the request. */
void mpi_message_take(struct mpi_rank *me, struct mpi_request *recv);
/* Copies the data of an eager message that is on its way straight into the receive that is certain
 * to get it, where there is one: the message has none then. False: there is none, or it has to
 * unpack. */
bool mpi_message_hand_over(const struct mpi_message *message, const void *data);
/* The send has nothing more to do with the message; if it is not complete yet, it is. */
void mpi_message_release_send(struct mpi_message *message);
static inline void mpi_message_complete_send(struct mpi_message *message)
{
	if (message->send)
		mpi_message_release_send(message);
}
/* The same before the receiver has everything: the sender's data is not needed any more. */
void mpi_message_let_sender_go(struct mpi_message *message);
/* Frees the message and its payload. */
void mpi_message_destroy(struct mpi_message *message);

/* --- steps of ranks (rendezvous.c) --- */

/* The match of a rendezvous: its receiver's step, when it knows of it. */
void mpi_message_answer(struct mpi_message *message);
/* The match of a synchronous send is acknowledged. */
__attribute__((cold)) void mpi_message_acknowledge(struct mpi_message *message);
/* The rank is in a call that makes progress: takes the steps that were deferred. */
void mpi_message_progress(struct mpi_rank *me);
/* Spends the sender's or the receiver's CPU overhead of the message (docs/model.md §3) on the
 * rank's fiber. */
enum mpi_cost { MPI_COST_SEND, MPI_COST_ISEND, MPI_COST_RECV };
void mpi_message_spend(struct mpi_rank *me, const struct mpi_message *message, enum mpi_cost cost);

/*
 * --- data that stays with the sender (arrive.c) ---
 *
 * A send may read its buffer until the call that completes it returns, so what is sent with a
 * request is copied straight into the receive's buffer when the message arrives. Where the sender
 * comes first, for eager messages when their request ends (complete long since), it is copied then:
 * into the receive's buffer when nothing else can come of it, else into the message. For rendezvous
 * ones that is when the rest fits the send buffer.
 */
/* Does the send end with this message? Those that only lend their data are complete before. */
static inline bool mpi_message_ends_send(const struct mpi_message *message,
					 const struct mpi_request *send)
{
	return message->is_rendezvous || send->mode == SEND_SYNCHRONOUS;
}
/* The data of a message where it lies now; NULL: none. */
static inline const void *mpi_message_data(const struct mpi_message *message)
{
	const struct mpi_request *send = message->send;

	if (message->data == MESSAGE_INLINE)
		return message->inline_data;
	if (message->data == MESSAGE_PAYLOAD)
		return message->payload;
	if (message->data != MESSAGE_LENT)
		return NULL;
	return pd_rank_memory(send->owner->pd, (const char *)send->buf + send->type->true_lb_B);
}
/* The message, not yet under way, has to do with its send: it lends the data, or waits for it. */
void mpi_message_join_send(struct mpi_message *message, struct mpi_request *send);
/* It has no more to do with it: what was lent is lost. The send. */
struct mpi_request *mpi_message_leave_send(struct mpi_message *message);
/* It keeps a copy of what the sender lent it, if it has memory. 0, or UTIL_ENOMEM: the run has
 * failed. */
int mpi_message_keep(struct mpi_message *message);
/* The program is about to learn that the send is complete: its buffer is its own again. */
void mpi_request_settle_now(struct mpi_request *send);
static inline void mpi_request_settle(struct mpi_request *request)
{
	if (__builtin_expect(request->is_lent && request->state == REQUEST_COMPLETE, 0))
		mpi_request_settle_now(request);
}

#endif
