/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "real/trace/trace.h"

static uint32_t slot_of(const struct mpi_trace_map *map, uintptr_t key)
{
	uint32_t slot = (uint32_t)((uint64_t)key * 0x9e3779b97f4a7c15u >> 32);

	for (slot &= map->n_slots - 1; map->slots[slot].value && map->slots[slot].key != key;)
		slot = (slot + 1) & (map->n_slots - 1);
	return slot;
}

uint32_t mpi_trace_map_get(const struct mpi_trace_map *map, uintptr_t key)
{
	return map->n_slots ? map->slots[slot_of(map, key)].value - 1 : MPI_TRACE_NONE;
}

static bool grow(struct mpi_trace_map *map)
{
	struct mpi_trace_map larger = {.n = map->n,
				       .n_slots = map->n_slots ? 2 * map->n_slots : 256};

	larger.slots = calloc(larger.n_slots, sizeof *larger.slots);
	if (!larger.slots)
		return false;
	for (uint32_t i = 0; i < map->n_slots; i++)
		if (map->slots[i].value)
			larger.slots[slot_of(&larger, map->slots[i].key)] = map->slots[i];
	free(map->slots);
	*map = larger;
	return true;
}

void mpi_trace_map_set(struct mpi_trace_map *map, uintptr_t key, uint32_t value)
{
	struct mpi_trace_pair *pair;

	if (2 * map->n >= map->n_slots && !grow(map)) {
		mpi_trace_refuse("out of memory");
		return;
	}
	pair = &map->slots[slot_of(map, key)];
	map->n += pair->value == 0;
	*pair = (struct mpi_trace_pair){key, value + 1};
}
