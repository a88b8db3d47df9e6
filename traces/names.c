// SPDX-License-Identifier: BSD-3-Clause
#include "traces/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void trace_names_init(struct trace_names *names)
{
	*names = (struct trace_names){.n = 0};
}

void trace_names_finish(struct trace_names *names)
{
	free(names->text);
	free(names->slots);
	trace_names_init(names);
}

static struct trace_name_slot *slot_of(const struct trace_names *names, const char *key)
{
	uint64_t hash = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
	unsigned int i = (unsigned int)(hash >> 32) & (names->n_slots - 1);

	while (names->slots[i].key && names->slots[i].key != key)
		i = (i + 1) & (names->n_slots - 1);
	return &names->slots[i];
}

static int grow_slots(struct trace_names *names)
{
	struct trace_names grown = *names;

	grown.n_slots = names->n_slots ? 2 * names->n_slots : 64;
	grown.slots = calloc(grown.n_slots, sizeof *grown.slots);
	if (!grown.slots)
		return -1;
	for (unsigned int i = 0; i < names->n_slots; i++)
		if (names->slots[i].key)
			*slot_of(&grown, names->slots[i].key) = names->slots[i];
	free(names->slots);
	*names = grown;
	return 0;
}

static int id_by_text(struct trace_names *names, const char *name)
{
	for (int id = 0; id < names->n; id++)
		if (strcmp(names->text[id], name) == 0)
			return id;
	if (names->n == names->capacity) {
		int capacity = names->capacity ? 2 * names->capacity : 32;
		const char **text = realloc(names->text, (size_t)capacity * sizeof *text);

		if (!text)
			return -1;
		names->text = text;
		names->capacity = capacity;
	}
	names->text[names->n] = name;
	return names->n++;
}

int trace_names_find(struct trace_names *names, const char *name)
{
	struct trace_name_slot *slot;

	if (4 * (names->n_used + 1) > 3 * names->n_slots && grow_slots(names))
		return -1;
	slot = slot_of(names, name);
	if (!slot->key) {
		int id = id_by_text(names, name);

		if (id < 0)
			return -1;
		*slot = (struct trace_name_slot){.key = name, .id = id};
		names->n_used++;
	}
	names->recent[((uintptr_t)name >> 3) % TRACE_NAMES_RECENT] = *slot;
	return slot->id;
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
