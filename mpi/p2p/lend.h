/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_LEND_H
#define MPI_P2P_LEND_H

#include "mpi/p2p/message.h"

/*
 * Data that stays with the sender. A send may read its buffer until the call that completes it
 * returns, so what is sent with a request is copied straight into the receive's buffer when the
 * message arrives. Where the sender comes first, for eager messages when their request ends
 * (complete long since), it is copied then: into the receive's buffer when nothing else can come of
 * it, else into the message. For rendezvous ones that is when the rest fits the send buffer.
 */

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

/* The message keeps a copy of what the sender lent it, if it has memory. 0, or UTIL_ENOMEM: the run
 * has failed. */
int mpi_message_keep(struct mpi_message *message);
/*
 * Copies the data of an eager message that is on its way straight into the receive that is certain
 * to get it, where there is one: the message has none then. False: there is none, or it has to
 * unpack.
 */
bool mpi_message_hand_over(const struct mpi_message *message, const void *data);
/* The message, not yet launched, has to do with its send: it lends the data, or waits for it. */
void mpi_message_join_send(struct mpi_message *message, struct mpi_request *send);
/* It has no more to do with it: what was lent is lost. The send. */
struct mpi_request *mpi_message_leave_send(struct mpi_message *message);
/* The program is about to learn that the send is complete: its buffer is its own again. */
void mpi_request_settle_now(struct mpi_request *send);
static inline void mpi_request_settle(struct mpi_request *request)
{
	if (__builtin_expect(request->is_lent && request->state == REQUEST_COMPLETE, 0))
		mpi_request_settle_now(request);
}

#endif
