/* SPDX-License-Identifier: BSD-3-Clause */
/* The queue of simcore, and plain heaps of two and four children per node. */
#include <stdlib.h>

#include "bench/queues.h"

/* --- simcore's own: four children, chains of equal times --- */

struct product {
	struct sim_queue queue;
	struct sim_event *events;
};

static void *product_create(size_t n_events)
{
	struct product *p = calloc(1, sizeof *p);

	sim_queue_init(&p->queue);
	p->events = calloc(n_events, sizeof *p->events);
	return p;
}

static void product_destroy(void *state)
{
	struct product *p = state;

	sim_queue_finish(&p->queue);
	free(p->events);
	free(p);
}

static void product_push(void *state, uint32_t event, sim_time_ps time)
{
	struct product *p = state;

	if (sim_queue_push(&p->queue, &p->events[event], time))
		abort();
}

static void product_cancel(void *state, uint32_t event)
{
	struct product *p = state;

	sim_queue_cancel(&p->queue, &p->events[event]);
}

static uint32_t product_pop(void *state)
{
	struct product *p = state;

	return (uint32_t)(sim_queue_pop(&p->queue) - p->events);
}

const struct bench_queue bench_queue_product = {"simcore (4-ary, chains)",
						product_create,
						product_destroy,
						product_push,
						product_cancel,
						product_pop};

/* --- plain heaps --- */

struct slot {
	sim_time_ps time;
	uint64_t order;
	uint32_t event;
};

struct heap {
	struct slot *slots; /* [n] */
	size_t n;
	uint32_t *place; /* [n_events], + 1; 0: not queued */
	uint64_t next_order;
};

static void *heap_create(size_t n_events)
{
	struct heap *heap = calloc(1, sizeof *heap);

	heap->slots = malloc((n_events + 1) * sizeof *heap->slots);
	heap->place = calloc(n_events, sizeof *heap->place);
	return heap;
}

static void heap_destroy(void *state)
{
	struct heap *heap = state;

	free(heap->slots);
	free(heap->place);
	free(heap);
}

static inline bool before(const struct slot *a, const struct slot *b)
{
	return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static inline void put(struct heap *heap, size_t at, struct slot slot)
{
	heap->slots[at] = slot;
	heap->place[slot.event] = (uint32_t)at + 1;
}

static inline void rise(struct heap *heap, size_t at, struct slot slot, size_t arity)
{
	while (at > 0 && before(&slot, &heap->slots[(at - 1) / arity])) {
		put(heap, at, heap->slots[(at - 1) / arity]);
		at = (at - 1) / arity;
	}
	put(heap, at, slot);
}

static inline void sink(struct heap *heap, size_t at, struct slot slot, size_t arity)
{
	for (;;) {
		size_t first = arity * at + 1, end = first + arity, least = first;

		if (first >= heap->n)
			break;
		end = end < heap->n ? end : heap->n;
		for (size_t child = first + 1; child < end; child++)
			least = before(&heap->slots[child], &heap->slots[least]) ? child : least;
		if (!before(&heap->slots[least], &slot))
			break;
		put(heap, at, heap->slots[least]);
		at = least;
	}
	rise(heap, at, slot, arity);
}

static inline void take(struct heap *heap, size_t at, size_t arity)
{
	struct slot last = heap->slots[--heap->n];

	heap->place[heap->slots[at].event] = 0;
	if (at < heap->n)
		sink(heap, at, last, arity);
}

static inline void push(struct heap *heap, uint32_t event, sim_time_ps time, size_t arity)
{
	struct slot slot = {time, heap->next_order++, event};

	if (heap->place[event])
		sink(heap, heap->place[event] - 1, slot, arity);
	else
		rise(heap, heap->n++, slot, arity);
}

static inline uint32_t pop(struct heap *heap, size_t arity)
{
	uint32_t event = heap->slots[0].event;

	take(heap, 0, arity);
	return event;
}

#define HEAP(arity)                                                                   \
	static void heap##arity##_push(void *state, uint32_t event, sim_time_ps time) \
	{                                                                             \
		push(state, event, time, arity);                                      \
	}                                                                             \
	static void heap##arity##_cancel(void *state, uint32_t event)                 \
	{                                                                             \
		struct heap *heap = state;                                            \
		if (heap->place[event])                                               \
			take(heap, heap->place[event] - 1, arity);                    \
	}                                                                             \
	static uint32_t heap##arity##_pop(void *state)                                \
	{                                                                             \
		return pop(state, arity);                                             \
	}                                                                             \
	const struct bench_queue bench_queue_heap##arity = {                          \
	    "heap of " #arity,	heap_create,	      heap_destroy,                   \
	    heap##arity##_push, heap##arity##_cancel, heap##arity##_pop};

HEAP(2)
HEAP(4)

const struct bench_queue *const bench_queues[] = {&bench_queue_product,	 &bench_queue_heap2,
						  &bench_queue_heap4,	 &bench_queue_pairing,
						  &bench_queue_calendar, NULL};
