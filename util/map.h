/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_MAP_H
#define UTIL_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A hash table from 64-bit keys to pointers or numbers: open addressing with linear probing, at
 * most half full. A key may be the hash of something larger: then `equal` tells what has the same
 * key apart. Slots move whenever something is added or removed. What the order of slots is depends
 * on the keys alone, and on the order in which they came. All zero: empty.
 */
struct util_map {
	struct util_map_slot {
		uint64_t key;
		union { /* NULL and 0: the slot is free */
			void *item;
			uintptr_t number;
		};
	} * slots;
	size_t n, n_slots; /* n_slots: 0 or a power of two */
};

typedef bool (*util_map_equal_fn)(const void *item, const void *wanted);

/* The slot of the key, or NULL. O(1) expected. */
struct util_map_slot *util_map_find(const struct util_map *map, uint64_t key);
/* The item with this key that is equal to `wanted`, or NULL. */
void *util_map_find_equal(const struct util_map *map, uint64_t key, util_map_equal_fn equal,
			  const void *wanted);
/* A new slot, whose item or number the caller sets at once; nothing equal is there. NULL: out of
 * memory. O(1) expected, amortized. */
struct util_map_slot *util_map_add(struct util_map *map, uint64_t key);
/* Adds an item. 0 or UTIL_ENOMEM. */
int util_map_put(struct util_map *map, uint64_t key, void *item);
/* `item` is there with this key. */
void util_map_remove(struct util_map *map, uint64_t key, const void *item);
/* Frees the slots, not what they point to. */
void util_map_finish(struct util_map *map);
/* … and the items, which malloc has made. */
void util_map_finish_items(struct util_map *map);

/* FNV-1a of 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv). `seed`: 0, or the value so far. */
uint64_t util_hash(const void *bytes, size_t size_B, uint64_t seed);

#endif
