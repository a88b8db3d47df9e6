// SPDX-License-Identifier: BSD-3-Clause
#include "traces/analysis/sites.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

struct seen {
	const char *function;
	const void *address;
	int id;
};

void trace_sites_init(struct trace_sites *sites, trace_locate_fn locate, void *context)
{
	*sites = (struct trace_sites){.locate = locate, .context = context};
}

void trace_sites_finish(struct trace_sites *sites)
{
	free(sites->list);
	util_map_finish_items(&sites->seen);
}

static bool is_same(const void *item, const void *wanted)
{
	const struct seen *a = item, *b = wanted;

	return a->address == b->address && a->function == b->function;
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
	if (!util_array_room(&sites->list, (size_t)sites->n, sizeof *sites->list))
		return -1;
	sites->list[sites->n] =
	    (struct trace_site){.function = function, .address = address, .place = place};
	return sites->n++;
}

int trace_sites_id(struct trace_sites *sites, const char *function, const void *address)
{
	struct seen wanted = {.function = function ? function : "", .address = address}, *seen;
	uint64_t key = (uintptr_t)address ^ (uint64_t)(uintptr_t)wanted.function << 7;

	seen = util_map_find_equal(&sites->seen, key, is_same, &wanted);
	if (seen)
		return seen->id;
	wanted.id = id_by_place(sites, wanted.function, address);
	if (wanted.id < 0)
		return -1;
	seen = malloc(sizeof *seen);
	if (!seen || util_map_put(&sites->seen, key, seen)) {
		free(seen);
		return -1;
	}
	*seen = wanted;
	return seen->id;
}
