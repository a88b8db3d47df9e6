/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_RENDEZVOUS_H
#define MPI_P2P_RENDEZVOUS_H

#include <stddef.h>

#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/message.h"

/* What the messages themselves (message.c, arrive.c) and the steps that their ranks take after a
 * match (rendezvous.c) share. */

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

/* A transfer of the message, with a mark, if any, where all but the last `last_B` are there. */
void mpi_message_start(struct mpi_message *message, struct mpi_rank *from, struct mpi_rank *to,
		       int64_t size_B, int64_t last_B, net_transfer_fn mark, net_transfer_fn done);
/* The send, if it is not complete yet, is. */
void mpi_message_complete_send(struct mpi_message *message);
/* The same before the receiver has everything: the sender's data is not needed any more. */
void mpi_message_let_sender_go(struct mpi_message *message);

/* After the match of a rendezvous: its receiver's step, when it knows of it. */
void mpi_message_answer(struct mpi_message *message);
/* The match of a synchronous send is acknowledged. */
__attribute__((cold)) void mpi_message_acknowledge(struct mpi_message *message);

/* The next step of the message is `rank`'s to take: at once, or when it is in MPI again. */
void mpi_message_step(struct mpi_rank *rank, struct mpi_message *message);
/* When it is in MPI again. */
void mpi_message_defer(struct mpi_rank *rank, struct mpi_message *message);

#endif
