/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_INDEX_H
#define MPI_P2P_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A hash of what waits in a deep matching queue, beside the queue's own list, by context, source and
 * tag. Entries of equal keys keep the order in which they were put in. Where there is no memory for
 * it, it stays off and the list is walked.
 */
struct mpi_match_node { /* in a posted receive without wildcards or an unexpected message */
	struct mpi_match_node *next; /* of the same bucket; behind the last comes the first */
	uint32_t hash;
};

struct mpi_match_index {
	struct mpi_match_node **last; /* [2^bits] of each bucket; NULL: the index is off */
	uint32_t n;
	int bits;
};

static inline uint32_t mpi_match_hash(uint32_t context, int source, int tag)
{
	uint64_t key = (uint64_t)(uint32_t)source << 32 | (uint32_t)tag;

	key = (key ^ (uint64_t)context << 20) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)((key ^ key >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 32);
}

/* Switches an index on, empty, with room for about `n`: false when there is no memory. */
bool mpi_match_index_begin(struct mpi_match_index *index, uint32_t n);
/* Switches it off and frees it; nodes belong to their owners. */
void mpi_match_index_end(struct mpi_match_index *index);
/* Puts a node, whose hash is set, behind all of its bucket. O(1) but for growing. */
void mpi_match_index_put(struct mpi_match_index *index, struct mpi_match_node *node);
/* Takes out a node that is in. O(nodes of its bucket before it). */
void mpi_match_index_take(struct mpi_match_index *index, struct mpi_match_node *node);

static inline struct mpi_match_node **mpi_match_index_bucket(const struct mpi_match_index *index,
							     uint32_t hash)
{
	return &index->last[hash >> (32 - index->bits)];
}
/* The first and the next node with this hash (others may have it, too), or NULL. */
static inline struct mpi_match_node *mpi_match_index_next(const struct mpi_match_index *index,
							  uint32_t hash,
							  const struct mpi_match_node *node)
{
	struct mpi_match_node *last = *mpi_match_index_bucket(index, hash), *at;

	if (!last || node == last)
		return NULL;
	for (at = node ? node->next : last->next; at != last && at->hash != hash; at = at->next)
		;
	return at->hash == hash ? at : NULL;
}

#endif
