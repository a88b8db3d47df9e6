/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/p2p/match.h"

#include <stddef.h>

#include "mpi/p2p/causes.h"
#include "mpi/p2p/endpoint.h"

void mpi_match_index_recv(struct mpi_endpoint *endpoint, struct mpi_request *recv)
{
	recv->by_key.hash =
	    mpi_match_hash(mpi_message_context(recv->comm, recv->channel), recv->peer, recv->tag);
	mpi_match_index_put(&endpoint->posted_index, &recv->by_key);
}

void mpi_match_posted_is_deep(struct mpi_endpoint *endpoint)
{
	struct mpi_request *recv = endpoint->posted.first;

	if (!mpi_match_index_begin(&endpoint->posted_index, (uint32_t)endpoint->n_posted))
		return;
	for (; recv; recv = recv->link.next)
		if (!mpi_match_is_wild(recv))
			mpi_match_index_recv(endpoint, recv);
}

static void index_message(struct mpi_endpoint *endpoint, struct mpi_message *message)
{
	message->by_key.hash = mpi_match_hash(message->context, message->source_rank, message->tag);
	mpi_match_index_put(&endpoint->unexpected_index, &message->by_key);
}

static __attribute__((noinline)) void unexpected_is_deep(struct mpi_endpoint *endpoint)
{
	struct mpi_message *message = endpoint->unexpected.first;

	if (!mpi_match_index_begin(&endpoint->unexpected_index, (uint32_t)endpoint->n_unexpected))
		return;
	for (; message; message = message->link.next)
		index_message(endpoint, message);
}

static void append_message(struct mpi_endpoint *endpoint, struct mpi_message *message)
{
	util_list_append(&endpoint->unexpected, message);
	if (++endpoint->n_unexpected > MPI_MATCH_DEEP && !endpoint->unexpected_index.last)
		unexpected_is_deep(endpoint);
	else if (endpoint->unexpected_index.last)
		index_message(endpoint, message);
}

void mpi_match_remove_message(struct mpi_message *message)
{
	struct mpi_endpoint *endpoint = message->dest->endpoint;

	util_list_remove(&endpoint->unexpected, message);
	endpoint->n_unexpected--;
	if (!endpoint->unexpected_index.last)
		return;
	mpi_match_index_take(&endpoint->unexpected_index, &message->by_key);
	if (endpoint->n_unexpected == 0)
		mpi_match_index_end(&endpoint->unexpected_index);
}

static void join(struct mpi_request *recv, struct mpi_message *message)
{
	recv->message = message;
	message->recv = recv;
	mpi_message_matched(message);
}

/* Of a deep queue of posted receives without wildcards. */
struct mpi_request *mpi_match_find_posted_deep(const struct mpi_endpoint *endpoint,
					       const struct mpi_message *message)
{
	uint32_t hash = mpi_match_hash(message->context, message->source_rank, message->tag);
	struct mpi_match_node *node = NULL;

	while ((node = mpi_match_index_next(&endpoint->posted_index, hash, node))) {
		struct mpi_request *recv =
		    (struct mpi_request *)((char *)node - offsetof(struct mpi_request, by_key));

		if (mpi_match_may_take(recv, message))
			return recv;
	}
	return NULL;
}

void mpi_match_enqueue(struct mpi_message *message)
{
	message->stage = MESSAGE_DELIVERED;
	append_message(message->dest->endpoint, message);
}

void mpi_match_tell(struct mpi_message *message)
{
	struct mpi_endpoint *endpoint = message->dest->endpoint;

	if (endpoint->wait.kind == MPI_WAIT_MESSAGE &&
	    mpi_match_fits(message,
			   mpi_message_context(endpoint->wait.of.message.comm, CHANNEL_P2P),
			   endpoint->wait.of.message.source, endpoint->wait.of.message.tag)) {
		endpoint->last_started = message->started;
		mpi_cause_released(message, message->dest);
	} else if (endpoint->wait.kind == MPI_WAIT_POLL) { /* it is what the rank looked for, or ends
							      the pause all the same */
		mpi_cause_released(message, message->dest);
	}
	mpi_endpoint_wake(message->dest);
}

void mpi_match_keep(struct mpi_message *message)
{
	mpi_match_enqueue(message);
	mpi_match_tell(message);
}

/* For a receive without wildcards, of a deep queue. */
static __attribute__((noinline)) struct mpi_message *
find_unexpected_deep(const struct mpi_endpoint *endpoint, const struct mpi_request *recv)
{
	uint32_t hash =
	    mpi_match_hash(mpi_message_context(recv->comm, recv->channel), recv->peer, recv->tag);
	struct mpi_match_node *node = NULL;

	while ((node = mpi_match_index_next(&endpoint->unexpected_index, hash, node))) {
		struct mpi_message *message =
		    (struct mpi_message *)((char *)node - offsetof(struct mpi_message, by_key));

		if (mpi_match_may_take(recv, message))
			return message;
	}
	return NULL;
}

static inline struct mpi_message *find_unexpected(const struct mpi_endpoint *endpoint,
						  const struct mpi_request *recv)
{
	struct mpi_message *message = endpoint->unexpected.first;

	if (endpoint->unexpected_index.last && !mpi_match_is_wild(recv))
		return find_unexpected_deep(endpoint, recv);
	while (message && !mpi_match_may_take(recv, message))
		message = message->link.next;
	return message;
}

bool mpi_match_take_unexpected(struct mpi_request *recv)
{
	struct mpi_message *message = find_unexpected(recv->owner->endpoint, recv);

	if (!message)
		return false;
	mpi_match_remove_message(message);
	join(recv, message);
	return true;
}

bool mpi_match_is_posted(const struct mpi_rank *me, uint32_t context, int source_rank, int tag)
{
	const struct mpi_request *recv = me->endpoint ? me->endpoint->posted.first : NULL;

	while (recv && (mpi_message_context(recv->comm, recv->channel) != context ||
			(recv->peer != source_rank && recv->peer != MPI_ANY_SOURCE) ||
			(recv->tag != tag && recv->tag != MPI_ANY_TAG)))
		recv = recv->link.next;
	return recv != NULL;
}

struct mpi_message *mpi_match_find(struct mpi_rank *me, const struct mpi_comm *comm, int source,
				   int tag)
{
	struct mpi_message *message = me->endpoint->unexpected.first;

	if (me->world->choice)
		return mpi_choose_probed(me, comm, source, tag);
	while (message &&
	       !mpi_match_fits(message, mpi_message_context(comm, CHANNEL_P2P), source, tag))
		message = message->link.next;
	return message;
}
