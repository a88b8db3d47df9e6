/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_MATCH_H
#define MPI_P2P_MATCH_H

#include "mpi/core/entry.h"
#include "mpi/p2p/choose.h"
#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/message.h"

/*
 * Matching, in one place. Two decisions are left open by the standard: who is taken where several
 * could be, and whether a standard send buffers. The default is what time brings: the first envelope
 * that arrives, and the protocol's threshold. A run may decide otherwise: mpi/p2p/choose.h,
 * mpi_buffering_set.
 */

/* What a standard send does before its receive is there. */
enum mpi_buffering {
	MPI_BUFFERS_SMALL, /* completes up to the threshold of the cluster file */
	MPI_BUFFERS_NONE,  /* strict: waits, whatever its size */
	MPI_BUFFERS_ALL,   /* loose: completes, whatever its size */
};

/* Before the ranks start. Holds for the messages of collectives, too. */
void mpi_buffering_set(struct mpi_world *world, enum mpi_buffering buffering);

/* Does a standard send of this size complete without its receive? */
static inline bool mpi_match_buffers(const struct mpi_rank *sender, int64_t size_B)
{
	return size_B <= sender->world->buffered_B;
}

/* Has the rank posted a receive that fits, for a message that is yet to come? */
bool mpi_match_is_posted(const struct mpi_rank *me, uint32_t context, int source_rank, int tag);
/* The unexpected message that a probe finds (source and tag may be wildcards): the first that fits, or
 * what is chosen. NULL: none. */
struct mpi_message *mpi_match_find(struct mpi_rank *me, const struct mpi_comm *comm, int source,
				   int tag);
/* Takes a message out of the unexpected queue. */
void mpi_match_remove_message(struct mpi_message *message);
/* --- what every message passes, inlined --- */

/* Queues that are longer are looked up by hash. */
enum { MPI_MATCH_DEEP = 32 };

/* Enters the posted receives in their index when the queue has become deep; one of them. */
void mpi_match_posted_is_deep(struct mpi_endpoint *endpoint);
void mpi_match_index_recv(struct mpi_endpoint *endpoint, struct mpi_request *recv);
/* Of a deep queue of posted receives without wildcards. */
struct mpi_request *mpi_match_find_posted_deep(const struct mpi_endpoint *endpoint,
					       const struct mpi_message *message);
/* Joins a receive with the first unexpected message that fits; false: there is none. */
bool mpi_match_take_unexpected(struct mpi_request *recv);
/* Queues a message as unexpected. */
void mpi_match_keep(struct mpi_message *message);
/* Its two halves: into the queue, and to its rank, which may wait for it. */
void mpi_match_enqueue(struct mpi_message *message);
void mpi_match_tell(struct mpi_message *message);

static MPI_HOT bool mpi_match_is_wild(const struct mpi_request *recv)
{
	return recv->peer == MPI_ANY_SOURCE || recv->tag == MPI_ANY_TAG;
}

static MPI_HOT bool mpi_match_fits(const struct mpi_message *message, uint32_t context, int source,
				   int tag)
{
	return message->context == context &&
	       (source == message->source_rank || source == MPI_ANY_SOURCE) &&
	       (tag == message->tag || tag == MPI_ANY_TAG);
}

static MPI_HOT bool mpi_match_may_take(const struct mpi_request *recv,
				       const struct mpi_message *message)
{
	return mpi_match_fits(message, mpi_message_context(recv->comm, recv->channel), recv->peer,
			      recv->tag);
}

/* Puts a receive behind those that are posted. */
static MPI_HOT void mpi_match_append_recv(struct mpi_endpoint *endpoint, struct mpi_request *recv)
{
	bool is_wild = mpi_match_is_wild(recv);

	util_list_append(&endpoint->posted, recv);
	endpoint->n_posted++;
	if (is_wild)
		endpoint->n_posted_wild++;
	if (__builtin_expect(endpoint->posted_index.last != NULL, 0)) {
		if (!is_wild)
			mpi_match_index_recv(endpoint, recv);
	} else if (__builtin_expect(endpoint->n_posted > MPI_MATCH_DEEP, 0)) {
		mpi_match_posted_is_deep(endpoint);
	}
}

static MPI_HOT void mpi_match_remove_recv(struct mpi_endpoint *endpoint, struct mpi_request *recv)
{
	util_list_remove(&endpoint->posted, recv);
	endpoint->n_posted--;
	if (mpi_match_is_wild(recv))
		endpoint->n_posted_wild--;
	else if (__builtin_expect(endpoint->posted_index.last != NULL, 0))
		mpi_match_index_take(&endpoint->posted_index, &recv->by_key);
	if (__builtin_expect(endpoint->posted_index.last && endpoint->n_posted == 0, 0))
		mpi_match_index_end(&endpoint->posted_index);
}

/* The first posted receive that fits, or NULL. */
static MPI_HOT struct mpi_request *mpi_match_find_posted(const struct mpi_endpoint *endpoint,
							 const struct mpi_message *message)
{
	struct mpi_request *recv = endpoint->posted.first;

	if (__builtin_expect(endpoint->posted_index.last && endpoint->n_posted_wild == 0, 0))
		return mpi_match_find_posted_deep(endpoint, message);
	while (recv && !mpi_match_may_take(recv, message))
		recv = recv->link.next;
	return recv;
}

/* A receive of this rank is posted: matches it with the first unexpected message that fits, or queues
 * it. O(unexpected messages) with wildcards, else O(1). */
static MPI_HOT void mpi_match_recv(struct mpi_rank *me, struct mpi_request *recv)
{
	struct mpi_endpoint *endpoint = me->endpoint;

	if (__builtin_expect(me->world->choice != NULL, 0)) {
		mpi_choose_posted(me, recv);
	} else if (!endpoint->unexpected.first || !mpi_match_take_unexpected(recv)) {
		mpi_match_append_recv(endpoint, recv);
	}
}

#endif
