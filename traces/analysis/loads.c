/* SPDX-License-Identifier: BSD-3-Clause */
#include "traces/analysis/loads.h"

#include <stdint.h>
#include <stdlib.h>

#include "util/array.h"

void trace_loads_finish(struct trace_loads *loads)
{
	util_map_finish(&loads->places);
	free(loads->list);
	loads->list = NULL;
}

static void add(struct trace_loads *loads, int link, int site, double bytes)
{
	uint64_t key = (uint64_t)link << 32 | (uint32_t)site;
	struct util_map_slot *slot = util_map_find(&loads->places, key);

	if (slot) {
		loads->list[slot->number - 1].bytes += bytes;
		return;
	}
	if (util_array_room(&loads->list, (size_t)loads->n, sizeof *loads->list))
		slot = util_map_add(&loads->places, key);
	if (!slot) {
		loads->out_of_memory = true;
		return;
	}
	loads->list[loads->n] = (struct trace_load){link, site, bytes};
	slot->number = (uintptr_t)++loads->n;
}

void trace_loads_add(struct trace_loads *loads, const struct net_model *model, int site,
		     int64_t size_B)
{
	for (int k = 0, link; (link = net_model_ended_link(model, k)) >= 0; k++)
		add(loads, link, site < 0 ? 0 : site, (double)size_B);
}

static int compare(const void *left, const void *right)
{
	const struct trace_load *a = left, *b = right;

	if (a->link != b->link)
		return a->link < b->link ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return a->site - b->site;
}

void trace_loads_sort(struct trace_loads *loads)
{
	if (loads->n > 0)
		qsort(loads->list, (size_t)loads->n, sizeof *loads->list, compare);
}

static bool is_of_smaller_link(const void *load, const void *link)
{
	return ((const struct trace_load *)load)->link < *(const int *)link;
}

/* The first whose link is not smaller. */
static int first_of(const struct trace_loads *loads, int link)
{
	return (int)util_count_before(loads->list, (size_t)loads->n, sizeof *loads->list,
				      is_of_smaller_link, &link);
}

int trace_loads_of(const struct trace_loads *loads, int link, const struct trace_load **out)
{
	int first = first_of(loads, link);

	*out = loads->list + first;
	return first_of(loads, link + 1) - first;
}
