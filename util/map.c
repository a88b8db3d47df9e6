/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/map.h"

#include <stdlib.h>

#include "util/error.h"

enum { FIRST_SLOTS = 32 };

uint64_t util_hash(const void *bytes, size_t size_B, uint64_t seed)
{
	const unsigned char *p = bytes;
	uint64_t hash = seed ? seed : UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size_B; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Where the key belongs: the high bits of a product depend on all of it. */
static size_t home(const struct util_map *map, uint64_t key)
{
	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (map->n_slots - 1);
}

static size_t next(const struct util_map *map, size_t i)
{
	return (i + 1) & (map->n_slots - 1);
}

struct util_map_slot *util_map_find(const struct util_map *map, uint64_t key)
{
	if (map->n_slots == 0)
		return NULL;
	for (size_t i = home(map, key); map->slots[i].item; i = next(map, i))
		if (map->slots[i].key == key)
			return &map->slots[i];
	return NULL;
}

void *util_map_find_equal(const struct util_map *map, uint64_t key, util_map_equal_fn equal,
			  const void *wanted)
{
	if (map->n_slots == 0)
		return NULL;
	for (size_t i = home(map, key); map->slots[i].item; i = next(map, i))
		if (map->slots[i].key == key && equal(map->slots[i].item, wanted))
			return map->slots[i].item;
	return NULL;
}

static struct util_map_slot *find_free(const struct util_map *map, uint64_t key)
{
	size_t i = home(map, key);

	while (map->slots[i].item)
		i = next(map, i);
	return &map->slots[i];
}

static int grow(struct util_map *map)
{
	struct util_map larger = {.n = map->n,
				  .n_slots = map->n_slots ? 2 * map->n_slots : FIRST_SLOTS};

	larger.slots = calloc(larger.n_slots, sizeof *larger.slots);
	if (!larger.slots)
		return UTIL_ENOMEM;
	for (size_t i = 0; i < map->n_slots; i++)
		if (map->slots[i].item)
			*find_free(&larger, map->slots[i].key) = map->slots[i];
	free(map->slots);
	*map = larger;
	return 0;
}

struct util_map_slot *util_map_add(struct util_map *map, uint64_t key)
{
	struct util_map_slot *slot;

	if (2 * (map->n + 1) > map->n_slots && grow(map))
		return NULL;
	slot = find_free(map, key);
	slot->key = key;
	map->n++;
	return slot;
}

int util_map_put(struct util_map *map, uint64_t key, void *item)
{
	struct util_map_slot *slot = util_map_add(map, key);

	if (!slot)
		return UTIL_ENOMEM;
	slot->item = item;
	return 0;
}

/* What follows moves up where it is nearer to its home, so that no search ends too early. */
void util_map_remove(struct util_map *map, uint64_t key, const void *item)
{
	size_t mask = map->n_slots - 1, hole = home(map, key);

	while (map->slots[hole].key != key || map->slots[hole].item != item)
		hole = next(map, hole);
	for (size_t i = next(map, hole); map->slots[i].item; i = next(map, i)) {
		if (((i - home(map, map->slots[i].key)) & mask) < ((i - hole) & mask))
			continue;
		map->slots[hole] = map->slots[i];
		hole = i;
	}
	map->slots[hole] = (struct util_map_slot){.item = NULL};
	map->n--;
}

void util_map_finish(struct util_map *map)
{
	free(map->slots);
	*map = (struct util_map){.n = 0};
}

void util_map_finish_items(struct util_map *map)
{
	for (size_t i = 0; i < map->n_slots; i++)
		free(map->slots[i].item);
	util_map_finish(map);
}
