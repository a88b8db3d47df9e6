/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_PAIR_H
#define MPI_P2P_PAIR_H

#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/message.h"

/*
 * Order of delivery: the last message of every pair (source, destination) that was sent and not yet
 * delivered. That of one pair stands with its source, `last_sent`; when there are more, they are in
 * a hash, the messages of one place chained. A pair with nothing under way takes no room.
 */
struct mpi_pair_table {
	struct mpi_message **last; /* [capacity] chains by pair_chain */
	uint64_t capacity, n;	   /* capacity: 2^(64 - shift), at least n */
	int shift;		   /* the highest bits of a product depend on all of the key */
};

int mpi_pair_table_grow(struct mpi_pair_table *table); /* 0 or UTIL_ENOMEM */

static inline struct mpi_message **mpi_pair_home(const struct mpi_pair_table *table,
						 const struct mpi_message *message)
{
	uint64_t key =
	    (uint64_t)(uint32_t)message->source->rank << 32 | (uint32_t)message->dest->rank;

	return &table->last[(key * UINT64_C(0x9e3779b97f4a7c15)) >> table->shift];
}

static inline bool mpi_pair_same(const struct mpi_message *a, const struct mpi_message *b)
{
	return a->source == b->source && a->dest == b->dest;
}

/* The link to the last message of a pair that is in the hash, or to NULL. */
static inline struct mpi_message **mpi_pair_find(const struct mpi_pair_table *table,
						 const struct mpi_message *message)
{
	struct mpi_message **link = mpi_pair_home(table, message);

	while (*link && !mpi_pair_same(*link, message))
		link = &(*link)->pair_chain;
	return link;
}

/* For a source that has more than one pair under way. */
bool mpi_pair_append_more(struct mpi_world *world, struct mpi_message *message);
void mpi_pair_remove_more(struct mpi_world *world, struct mpi_message *message);

/* Makes `message` the last one of its pair; true when an earlier one is still under way. */
static inline bool mpi_pair_append(struct mpi_rank *source, struct mpi_message *message)
{
	if (source->last_sent || source->n_pairs_more > 0)
		return mpi_pair_append_more(source->world, message);
	source->last_sent = message;
	return false;
}

/* Takes a delivered message off its pair; returns the next one of the pair, or NULL. */
static inline struct mpi_message *mpi_pair_advance(struct mpi_world *world,
						   struct mpi_message *message)
{
	struct mpi_message *next = message->pair_next;

	if (next)
		message->pair_next = NULL;
	else if (message->source->last_sent == message)
		message->source->last_sent = NULL;
	else
		mpi_pair_remove_more(world, message);
	return next;
}

#endif
