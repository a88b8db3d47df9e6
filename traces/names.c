// SPDX-License-Identifier: BSD-3-Clause
#include "traces/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

void trace_names_init(struct trace_names *names)
{
	*names = (struct trace_names){.n = 0};
}

void trace_names_finish(struct trace_names *names)
{
	free(names->text);
	util_map_finish(&names->by_pointer);
	trace_names_init(names);
}

static int id_by_text(struct trace_names *names, const char *name)
{
	for (int id = 0; id < names->n; id++)
		if (strcmp(names->text[id], name) == 0)
			return id;
	if (!util_array_room(&names->text, (size_t)names->n, sizeof *names->text))
		return -1;
	names->text[names->n] = name;
	return names->n++;
}

int trace_names_find(struct trace_names *names, const char *name)
{
	uint64_t key = (uintptr_t)name;
	struct util_map_slot *slot = util_map_find(&names->by_pointer, key);
	unsigned int place = ((uintptr_t)name >> 3) % TRACE_NAMES_RECENT;
	int id = slot ? (int)slot->number - 1 : id_by_text(names, name);

	if (id < 0 || (!slot && !(slot = util_map_add(&names->by_pointer, key))))
		return -1;
	slot->number = (uintptr_t)id + 1;
	names->recent[place].key = name;
	names->recent[place].id = id;
	return id;
}

static int compare_names(const void *a, const void *b, void *context)
{
	const struct trace_names *names = context;

	return strcmp(names->text[*(const int *)a], names->text[*(const int *)b]);
}

void trace_names_order(const struct trace_names *names, int order[])
{
	for (int i = 0; i < names->n; i++)
		order[i] = i;
	qsort_r(order, (size_t)names->n, sizeof *order, compare_names, (void *)(uintptr_t)names);
}
