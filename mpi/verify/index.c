/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks of the heap by their addresses: a hash table by size and place. A block's level is the least power of
 * four that it fits in; so it lies in one or two multiples of that, and is found there.
 */
#include <stdlib.h>

#include "mpi/verify/memory.h"

enum { FIRST_N = 1024 };

/* log2 of the level. */
static int level_of(size_t size_B)
{
	int log2 = size_B <= 1 ? 0 : 64 - __builtin_clzll((unsigned long long)size_B - 1);

	return (log2 + 1) / 2 * 2;
}

static size_t bucket_of(const struct mpi_memory_index *index, int level, uintptr_t at)
{
	uint64_t key = (uint64_t)(at >> level) * 64 + (uint64_t)level;

	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (index->n_buckets - 1);
}

static bool has(const struct mpi_memory_block *block, uintptr_t at)
{
	return at == block->at || at - block->at < block->size_B;
}

static int places_of(const struct mpi_memory_block *block, uintptr_t places[2])
{
	int level = level_of(block->size_B);

	places[0] = block->at;
	places[1] = block->at + (block->size_B ? block->size_B - 1 : 0);
	return places[0] >> level == places[1] >> level ? 1 : 2;
}

static void link_in(struct mpi_memory_index *index, struct mpi_memory_block *block)
{
	uintptr_t places[2];
	int n = places_of(block, places);

	for (int i = 0; i < n; i++) {
		size_t bucket = bucket_of(index, level_of(block->size_B), places[i]);

		block->links[i] =
		    (struct mpi_memory_link){.block = block, .next = index->buckets[bucket]};
		index->buckets[bucket] = &block->links[i];
	}
}

/* [index->n], of them all; NULL: out of memory. */
static struct mpi_memory_block **all_of(const struct mpi_memory_index *index)
{
	struct mpi_memory_block **all = malloc((index->n + 1) * sizeof(struct mpi_memory_block *));
	size_t n = 0;

	for (size_t i = 0; all && i < index->n_buckets; i++)
		for (struct mpi_memory_link *link = index->buckets[i]; link; link = link->next)
			if (link == &link->block->links[0])
				all[n++] = link->block;
	return all;
}

/* False: there is no table. Without memory for a larger one the old one stays. */
static bool grow(struct mpi_memory_index *index)
{
	size_t n_buckets = index->n_buckets ? 4 * index->n_buckets : FIRST_N;
	struct mpi_memory_link **buckets;
	struct mpi_memory_block **all;

	if (index->n < index->n_buckets)
		return true;
	buckets = calloc(n_buckets, sizeof(struct mpi_memory_link *));
	all = all_of(index);
	if (buckets && all) {
		free(index->buckets);
		index->buckets = buckets;
		index->n_buckets = n_buckets;
		for (size_t i = 0; i < index->n; i++)
			link_in(index, all[i]);
	} else {
		free(buckets);
	}
	free(all);
	return index->n_buckets > 0;
}

bool mpi_memory_index_add(struct mpi_memory_index *index, struct mpi_memory_block *block)
{
	if (!grow(index))
		return false;
	link_in(index, block);
	index->n++;
	index->n_at_level[level_of(block->size_B) / 2]++;
	return true;
}

void mpi_memory_index_remove(struct mpi_memory_index *index, struct mpi_memory_block *block)
{
	uintptr_t places[2];
	int level = level_of(block->size_B), n = places_of(block, places);

	for (int i = 0; i < n; i++) {
		struct mpi_memory_link **link = &index->buckets[bucket_of(index, level, places[i])];

		while (*link != &block->links[i])
			link = &(*link)->next;
		*link = block->links[i].next;
	}
	index->n--;
	index->n_at_level[level / 2]--;
}

struct mpi_memory_block *mpi_memory_index_find(const struct mpi_memory_index *index, uintptr_t at)
{
	for (int i = 0; i < MEMORY_N_LEVELS; i++) {
		const struct mpi_memory_link *link;

		if (index->n_at_level[i] == 0)
			continue;
		link = index->buckets[bucket_of(index, 2 * i, at)];
		while (link && !has(link->block, at))
			link = link->next;
		if (link)
			return link->block;
	}
	return NULL;
}

void mpi_memory_index_finish(struct mpi_memory_index *index)
{
	struct mpi_memory_block **all = all_of(index);

	for (size_t i = 0; all && i < index->n; i++)
		free(all[i]);
	free(all);
	free(index->buckets);
	*index = (struct mpi_memory_index){0};
}
