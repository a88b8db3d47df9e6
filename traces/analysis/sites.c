// SPDX-License-Identifier: BSD-3-Clause
#include "traces/analysis/sites.h"

#include <stdlib.h>
#include <string.h>

void trace_sites_init(struct trace_sites *sites, trace_locate_fn locate, void *context)
{
	*sites = (struct trace_sites){.locate = locate, .context = context};
}

void trace_sites_finish(struct trace_sites *sites)
{
	free(sites->list);
	free(sites->slots);
}

static struct trace_site_slot *slot_of(const struct trace_sites *sites, const char *function,
				       const void *address)
{
	uint64_t hash = ((uint64_t)(uintptr_t)address ^ (uint64_t)(uintptr_t)function << 7) *
			UINT64_C(0x9e3779b97f4a7c15);
	uint32_t i = (uint32_t)(hash >> 32) & (sites->n_slots - 1);

	while (sites->slots[i].function &&
	       (sites->slots[i].address != address || sites->slots[i].function != function))
		i = (i + 1) & (sites->n_slots - 1);
	return &sites->slots[i];
}

static int grow_slots(struct trace_sites *sites)
{
	struct trace_sites grown = *sites;

	grown.n_slots = sites->n_slots ? 2 * sites->n_slots : 256;
	grown.slots = calloc(grown.n_slots, sizeof *grown.slots);
	if (!grown.slots)
		return -1;
	for (uint32_t i = 0; i < sites->n_slots; i++) {
		const struct trace_site_slot *slot = &sites->slots[i];

		if (slot->function)
			*slot_of(&grown, slot->function, slot->address) = *slot;
	}
	free(sites->slots);
	*sites = grown;
	return 0;
}

static int id_by_place(struct trace_sites *sites, const char *function, const void *address)
{
	uint64_t place = (uint64_t)(uintptr_t)address;

	if (sites->locate)
		sites->locate(sites->context, address, &place);
	for (int id = 0; id < sites->n; id++)
		if (sites->list[id].place == place &&
		    strcmp(sites->list[id].function, function) == 0)
			return id;
	if (sites->n == TRACE_MAX_SITES)
		return -1;
	if (sites->n == sites->capacity) {
		int capacity = sites->capacity ? 2 * sites->capacity : 32;
		struct trace_site *list = realloc(sites->list, (size_t)capacity * sizeof *list);

		if (!list)
			return -1;
		sites->list = list;
		sites->capacity = capacity;
	}
	sites->list[sites->n] =
	    (struct trace_site){.function = function, .address = address, .place = place};
	return sites->n++;
}

int trace_sites_id(struct trace_sites *sites, const char *function, const void *address)
{
	struct trace_site_slot *slot;

	if (!function)
		function = "";
	if (4 * (sites->n_used + 1) > 3 * sites->n_slots && grow_slots(sites))
		return -1;
	slot = slot_of(sites, function, address);
	if (!slot->function) {
		int id = id_by_place(sites, function, address);

		if (id < 0)
			return -1;
		*slot = (struct trace_site_slot){function, address, id};
		sites->n_used++;
	}
	return slot->id;
}
