/* SPDX-License-Identifier: BSD-3-Clause */
#include "netmodel/private.h"

static bool before(struct net_heap_entry a, struct net_heap_entry b)
{
	return a.key < b.key || (a.key == b.key && a.link < b.link);
}

void net_heap_push(struct net_heap *heap, double key, int link)
{
	struct net_heap_entry entry = {key, link};
	int place = heap->n++;

	while (place > 0 && before(entry, heap->entries[(place - 1) / 2])) {
		heap->entries[place] = heap->entries[(place - 1) / 2];
		place = (place - 1) / 2;
	}
	heap->entries[place] = entry;
}

struct net_heap_entry net_heap_pop(struct net_heap *heap)
{
	struct net_heap_entry first = heap->entries[0], moved = heap->entries[--heap->n];
	int place = 0;

	for (;;) {
		int child = 2 * place + 1;

		if (child + 1 < heap->n && before(heap->entries[child + 1], heap->entries[child]))
			child++;
		if (child >= heap->n || !before(heap->entries[child], moved))
			break;
		heap->entries[place] = heap->entries[child];
		place = child;
	}
	heap->entries[place] = moved;
	return first;
}
