/* SPDX-License-Identifier: BSD-3-Clause */
#include "real/trace/trace.h"

uint32_t mpi_trace_map_get(const struct util_map *map, uintptr_t key)
{
	const struct util_map_slot *slot = util_map_find(map, key);

	return slot ? (uint32_t)slot->number - 1 : MPI_TRACE_NONE;
}

void mpi_trace_map_set(struct util_map *map, uintptr_t key, uint32_t value)
{
	struct util_map_slot *slot = util_map_find(map, key);

	if (!slot)
		slot = util_map_add(map, key);
	if (slot)
		slot->number = (uintptr_t)value + 1;
	else
		mpi_trace_refuse("out of memory");
}
