/* SPDX-License-Identifier: BSD-3-Clause */
#include "simcore/queue.h"

#include <stdlib.h>

#include "util/error.h"

/* Children per node: four share two cache lines, and the heap is half as deep as with two. */
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

/* One wide comparison: which of two keys is first is a coin toss to the branch predictor. Times are
 * >= 0. */
static inline bool is_before(const struct sim_queue_slot *a, const struct sim_queue_slot *b)
{
	unsigned __int128 x = (unsigned __int128)(uint64_t)a->time << 64 | a->order;
	unsigned __int128 y = (unsigned __int128)(uint64_t)b->time << 64 | b->order;

	return x < y;
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

/* The first of the children `child` … of one node; there is at least one. */
static inline size_t first_child(const struct sim_queue *queue, size_t child)
{
	const struct sim_queue_slot *heap = queue->heap;
	size_t first = child, left, right;

	if (child + ARITY <= queue->n_events) {
		left = child + is_before(&heap[child + 1], &heap[child]);
		right = child + 2 + is_before(&heap[child + 3], &heap[child + 2]);
		return is_before(&heap[right], &heap[left]) ? right : left;
	}
	while (++child < queue->n_events)
		first = is_before(&heap[child], &heap[first]) ? child : first;
	return first;
}

/*
 * Fills the hole `at`, wherever `slot` came from. The hole sinks to a leaf first and `slot` rises
 * from there: what is put in was mostly late, so this compares it once or twice instead of at every
 * level.
 */
static void sift(struct sim_queue *queue, size_t at, struct sim_queue_slot slot)
{
	for (size_t child = at * ARITY + 1; child < queue->n_events; child = at * ARITY + 1) {
		size_t first = first_child(queue, child);

		slot_put(queue, at, queue->heap[first]);
		at = first;
	}
	sift_up(queue, at, slot);
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
