/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "traces/graph/internal.h"

bool graph_grow(struct trace_graph *graph, void **list, int n, int *capacity, size_t item_B)
{
	int larger = *capacity ? 2 * *capacity : 64;
	void *grown;

	if (n < *capacity)
		return true;
	grown = realloc(*list, (size_t)larger * item_B);
	if (!grown) {
		graph->is_out_of_memory = true;
		return false;
	}
	*list = grown;
	*capacity = larger;
	return true;
}

/* The slot of the key, or the free one where it would be. */
static struct graph_slot *find(const struct graph_table *table, uint64_t key)
{
	size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (table->n_slots - 1);

	while (table->slots[i].is_used && table->slots[i].key != key)
		i = (i + 1) & (table->n_slots - 1);
	return &table->slots[i];
}

int graph_table_get(const struct graph_table *table, uint64_t key, int otherwise)
{
	const struct graph_slot *slot = table->n_slots ? find(table, key) : NULL;

	return slot && slot->is_used ? slot->value : otherwise;
}

static bool grow(struct graph_table *table)
{
	struct graph_table larger = {.n_slots = table->n_slots ? 2 * table->n_slots : 256,
				     .n_used = table->n_used};

	larger.slots = calloc(larger.n_slots, sizeof *larger.slots);
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < table->n_slots; i++)
		if (table->slots[i].is_used)
			*find(&larger, table->slots[i].key) = table->slots[i];
	free(table->slots);
	*table = larger;
	return true;
}

bool graph_table_put(struct graph_table *table, uint64_t key, int value)
{
	struct graph_slot *slot;

	if (2 * table->n_used >= table->n_slots && !grow(table))
		return false;
	slot = find(table, key);
	table->n_used += !slot->is_used;
	*slot = (struct graph_slot){key, value, true};
	return true;
}
