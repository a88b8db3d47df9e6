/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/p2p/index.h"

#include <stdlib.h>

enum { MIN_BITS = 5, MAX_BITS = 24, NODES_PER_BUCKET = 2 };

bool mpi_match_index_begin(struct mpi_match_index *index, uint32_t n)
{
	int bits = MIN_BITS;

	while (bits < MAX_BITS && (NODES_PER_BUCKET << bits) < (int)n)
		bits++;
	index->last = calloc((size_t)1 << bits, sizeof(struct mpi_match_node *));
	index->bits = bits;
	index->n = 0;
	return index->last != NULL;
}

void mpi_match_index_end(struct mpi_match_index *index)
{
	free(index->last);
	index->last = NULL;
}

static void put(struct mpi_match_index *index, struct mpi_match_node *node)
{
	struct mpi_match_node **last = mpi_match_index_bucket(index, node->hash);

	node->next = *last ? (*last)->next : node;
	if (*last)
		(*last)->next = node;
	*last = node;
	index->n++;
}

/* Twice as many buckets; without memory it stays as it is. */
static void grow(struct mpi_match_index *index)
{
	struct mpi_match_index larger;

	if (!mpi_match_index_begin(&larger, 2 * index->n))
		return;
	for (size_t i = 0; i < (size_t)1 << index->bits; i++) {
		struct mpi_match_node *last = index->last[i], *node = last ? last->next : NULL,
				      *next;

		for (; node; node = next) { /* in order, so that equals keep theirs */
			next = node == last ? NULL : node->next;
			put(&larger, node);
		}
	}
	mpi_match_index_end(index);
	*index = larger;
}

void mpi_match_index_put(struct mpi_match_index *index, struct mpi_match_node *node)
{
	if (index->n >= (uint32_t)NODES_PER_BUCKET << index->bits && index->bits < MAX_BITS)
		grow(index);
	put(index, node);
}

void mpi_match_index_take(struct mpi_match_index *index, struct mpi_match_node *node)
{
	struct mpi_match_node **last = mpi_match_index_bucket(index, node->hash), *before = *last;

	index->n--;
	if (node->next == node) {
		*last = NULL;
		return;
	}
	while (before->next != node)
		before = before->next;
	before->next = node->next;
	if (*last == node)
		*last = before;
}
