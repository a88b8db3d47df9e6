/* SPDX-License-Identifier: BSD-3-Clause */
/* The hash table behind names and keys: open addressing with linear probing, at most half full. */
#include <stdlib.h>

#include "pdexec/store_internal.h"

#define FIRST_SLOTS 64

uint64_t pd_hash_bytes(const void *bytes, size_t size_B)
{
	const unsigned char *at = bytes;
	uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */

	for (size_t i = 0; i < size_B; i++)
		hash = (hash ^ at[i]) * 0x100000001b3u;
	return hash ^ hash >> 32;
}

void *pd_table_find(const struct pd_table *table, uint64_t hash, pd_table_equal_fn equal,
		    const void *wanted)
{
	if (table->n_slots == 0)
		return NULL;
	for (size_t i = hash & (table->n_slots - 1);; i = (i + 1) & (table->n_slots - 1)) {
		const struct pd_slot *slot = &table->slots[i];

		if (!slot->item)
			return NULL;
		if (slot->hash == hash && equal(slot->item, wanted))
			return slot->item;
	}
}

static void table_put(struct pd_table *table, uint64_t hash, void *item)
{
	size_t i = hash & (table->n_slots - 1);

	while (table->slots[i].item)
		i = (i + 1) & (table->n_slots - 1);
	table->slots[i] = (struct pd_slot){.hash = hash, .item = item};
}

static int table_grow(struct pd_table *table)
{
	struct pd_table grown = {.n_items = table->n_items};

	grown.n_slots = table->n_slots ? 2 * table->n_slots : FIRST_SLOTS;
	grown.slots = calloc(grown.n_slots, sizeof(*grown.slots));
	if (!grown.slots)
		return UTIL_ENOMEM;
	for (size_t i = 0; i < table->n_slots; i++) {
		if (table->slots[i].item)
			table_put(&grown, table->slots[i].hash, table->slots[i].item);
	}
	free(table->slots);
	*table = grown;
	return 0;
}

int pd_table_add(struct pd_table *table, uint64_t hash, void *item)
{
	if (2 * (table->n_items + 1) > table->n_slots && table_grow(table))
		return UTIL_ENOMEM;
	table_put(table, hash, item);
	table->n_items++;
	return 0;
}
