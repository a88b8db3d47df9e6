/* SPDX-License-Identifier: BSD-3-Clause */
#include "simcore/queue.h"

#include <stdlib.h>

#include "util/error.h"

/* Children per node: four share one or two cache lines, and the heap is half as deep as with two. */
enum { ARITY = 4, FIRST_CAPACITY = 64 };

void sim_queue_init(struct sim_queue *queue)
{
	*queue = (struct sim_queue){0};
}

void sim_queue_finish(struct sim_queue *queue)
{
	free(queue->heap);
	sim_queue_init(queue);
}

static inline bool is_before(const struct sim_queue_slot *a, const struct sim_queue_slot *b)
{
	return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static inline void slot_put(struct sim_queue *queue, size_t at, struct sim_queue_slot slot)
{
	queue->heap[at] = slot;
	slot.event->position = at + 1;
}

/* Puts `slot` at the hole `at` or above it. */
static void sift_up(struct sim_queue *queue, size_t at, struct sim_queue_slot slot)
{
	while (at > 0) {
		size_t parent = (at - 1) / ARITY;

		if (!is_before(&slot, &queue->heap[parent]))
			break;
		slot_put(queue, at, queue->heap[parent]);
		at = parent;
	}
	slot_put(queue, at, slot);
}

/* Puts `slot` at the hole `at` or below it. */
static void sift_down(struct sim_queue *queue, size_t at, struct sim_queue_slot slot)
{
	const struct sim_queue_slot *heap = queue->heap;

	for (;;) {
		size_t child = at * ARITY + 1;
		size_t end = child + ARITY < queue->n_events ? child + ARITY : queue->n_events;
		size_t first = child;

		if (child >= queue->n_events)
			break;
		while (++child < end) {
			if (is_before(&heap[child], &heap[first]))
				first = child;
		}
		if (!is_before(&heap[first], &slot))
			break;
		slot_put(queue, at, heap[first]);
		at = first;
	}
	slot_put(queue, at, slot);
}

/* Fills the hole `at`, wherever `slot` came from. */
static void sift(struct sim_queue *queue, size_t at, struct sim_queue_slot slot)
{
	if (at > 0 && is_before(&slot, &queue->heap[(at - 1) / ARITY]))
		sift_up(queue, at, slot);
	else
		sift_down(queue, at, slot);
}

static int queue_grow(struct sim_queue *queue)
{
	size_t capacity = queue->capacity ? 2 * queue->capacity : FIRST_CAPACITY;
	struct sim_queue_slot *heap;

	if (queue->capacity > SIZE_MAX / 2 / sizeof(*heap))
		return UTIL_ENOMEM;
	heap = realloc(queue->heap, capacity * sizeof(*heap));
	if (!heap)
		return UTIL_ENOMEM;
	queue->heap = heap;
	queue->capacity = capacity;
	return 0;
}

int sim_queue_push(struct sim_queue *queue, struct sim_event *event, sim_time_ps time)
{
	struct sim_queue_slot slot = {time, queue->next_order, event};

	if (!event->position && queue->n_events == queue->capacity && queue_grow(queue))
		return UTIL_ENOMEM;
	queue->next_order++;
	event->time = time;
	event->order = slot.order;
	if (event->position)
		sift(queue, event->position - 1, slot);
	else
		sift_up(queue, queue->n_events++, slot);
	return 0;
}

/* Takes out what is at `at`; the last slot fills the hole. */
static void slot_remove(struct sim_queue *queue, size_t at)
{
	struct sim_queue_slot last = queue->heap[--queue->n_events];

	queue->heap[at].event->position = 0;
	if (at < queue->n_events)
		sift(queue, at, last);
}

void sim_queue_cancel(struct sim_queue *queue, struct sim_event *event)
{
	if (event->position)
		slot_remove(queue, event->position - 1);
}

struct sim_event *sim_queue_pop(struct sim_queue *queue)
{
	struct sim_event *event = sim_queue_peek(queue);

	if (event)
		slot_remove(queue, 0);
	return event;
}
