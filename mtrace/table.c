/* SPDX-License-Identifier: BSD-3-Clause */
#include "mtrace/table.h"

#include <stdlib.h>

uint64_t mtrace_hash(const void *bytes, size_t size, uint64_t seed)
{
	const unsigned char *p = bytes;
	uint64_t hash = seed ? seed : UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static struct mtrace_key *find(const struct mtrace_keys *keys, uint64_t key)
{
	uint64_t mask = keys->n_slots - 1, at = (key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & mask;

	while (keys->slots[at].number && keys->slots[at].key != key)
		at = (at + 1) & mask;
	return &keys->slots[at];
}

static bool grow(struct mtrace_keys *keys)
{
	struct mtrace_keys larger = {.n = keys->n,
				     .n_slots = keys->n_slots ? 2 * keys->n_slots : 64};

	larger.slots = calloc(larger.n_slots, sizeof *larger.slots);
	if (!larger.slots)
		return false;
	for (uint32_t i = 0; i < keys->n_slots; i++)
		if (keys->slots[i].number)
			*find(&larger, keys->slots[i].key) = keys->slots[i];
	free(keys->slots);
	*keys = larger;
	return true;
}

uint32_t mtrace_keys_get(struct mtrace_keys *keys, uint64_t key, bool *out_is_new)
{
	struct mtrace_key *slot;

	*out_is_new = false;
	if (2 * keys->n >= keys->n_slots && !grow(keys))
		return UINT32_MAX;
	slot = find(keys, key);
	if (!slot->number) {
		*slot = (struct mtrace_key){.key = key, .number = ++keys->n};
		*out_is_new = true;
	}
	return slot->number - 1;
}

void mtrace_keys_finish(struct mtrace_keys *keys)
{
	free(keys->slots);
	*keys = (struct mtrace_keys){.n = 0};
}
