/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections (`protocol.order: per_pair`): an open-addressing hash from (source, destination) to
 * the stream of that pair. Streams stay where they are, since transfers hold them, and until the
 * run ends.
 */
#include <stdlib.h>

#include "mpi/p2p/endpoint.h"
#include "netmodel/model.h"

struct connection {
	uint64_t key;
	struct net_stream stream;
};

struct mpi_stream_table {
	struct connection **slots; /* [capacity], NULL: free */
	uint64_t capacity, n;	   /* capacity: a power of two, at least 2 n */
};

int mpi_stream_table_create(struct mpi_stream_table **out)
{
	struct mpi_stream_table *table = calloc(1, sizeof(*table));

	if (!table)
		return UTIL_ENOMEM;
	table->capacity = 256;
	table->slots = calloc(table->capacity, sizeof(*table->slots));
	if (!table->slots) {
		free(table);
		return UTIL_ENOMEM;
	}
	*out = table;
	return 0;
}

void mpi_stream_table_destroy(struct mpi_stream_table *table)
{
	if (!table)
		return;
	for (uint64_t i = 0; i < table->capacity; i++)
		free(table->slots[i]);
	free(table->slots);
	free(table);
}

/* The slot of the key, or the free one where it belongs. */
static uint64_t find(const struct mpi_stream_table *table, uint64_t key)
{
	uint64_t i = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & (table->capacity - 1);

	while (table->slots[i] && table->slots[i]->key != key)
		i = (i + 1) & (table->capacity - 1);
	return i;
}

static int grow(struct mpi_stream_table *table)
{
	struct mpi_stream_table larger = {.capacity = 4 * table->capacity, .n = table->n};

	larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
	if (!larger.slots)
		return UTIL_ENOMEM;
	for (uint64_t i = 0; i < table->capacity; i++)
		if (table->slots[i])
			larger.slots[find(&larger, table->slots[i]->key)] = table->slots[i];
	free(table->slots);
	*table = larger;
	return 0;
}

struct net_stream *mpi_stream_get(struct mpi_world *world, const struct mpi_rank *from,
				  const struct mpi_rank *to)
{
	struct mpi_stream_table *table = world->streams;
	uint64_t key = (uint64_t)(uint32_t)from->rank << 32 | (uint32_t)to->rank, slot;

	if (!table || from->pd->node == to->pd->node)
		return NULL;
	slot = find(table, key);
	if (table->slots[slot])
		return &table->slots[slot]->stream;
	if (2 * table->n >= table->capacity && grow(table) < 0)
		return NULL;
	slot = find(table, key);
	table->slots[slot] = calloc(1, sizeof(*table->slots[slot]));
	if (!table->slots[slot])
		return NULL;
	table->n++;
	table->slots[slot]->key = key;
	return &table->slots[slot]->stream;
}
