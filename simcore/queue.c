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
	slot.event->place = 2 * (at + 1);
}

/* Puts `slot` at the hole `at` or above it. */
static inline void sift_up(struct sim_queue *queue, size_t at, struct sim_queue_slot slot)
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

	if (child + ARITY <= queue->n_slots) {
		left = child + is_before(&heap[child + 1], &heap[child]);
		right = child + 2 + is_before(&heap[child + 3], &heap[child + 2]);
		return is_before(&heap[right], &heap[left]) ? right : left;
	}
	while (++child < queue->n_slots)
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
	for (size_t child = at * ARITY + 1; child < queue->n_slots; child = at * ARITY + 1) {
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

/* Takes out the slot at `at`; the last one fills the hole. */
static void slot_remove(struct sim_queue *queue, size_t at)
{
	struct sim_queue_slot last = queue->heap[--queue->n_slots];

	if (at < queue->n_slots)
		sift(queue, at, last);
}

void sim_queue_remove_first_slot(struct sim_queue *queue)
{
	slot_remove(queue, 0);
}

static bool is_chained(const struct sim_event *event)
{
	return event->place & 1;
}

void sim_queue_cancel(struct sim_queue *queue, struct sim_event *event)
{
	struct sim_event *next = event->next, *before;

	if (!event->place)
		return;
	if (queue->last == event)
		queue->last = NULL;
	if (is_chained(event)) {
		before = (struct sim_event *)(event->place - 1);
		before->next = next;
		if (next)
			next->place = event->place;
	} else if (next) {
		next->place = event->place;
		queue->heap[event->place / 2 - 1].event = next;
	} else {
		slot_remove(queue, event->place / 2 - 1);
	}
	event->place = 0;
	queue->n_events--;
}

/* An event that is a slot of its own can move within the heap. */
static bool is_single(const struct sim_event *event)
{
	return event->place && !is_chained(event) && !event->next;
}

/* A new slot; there is room. */
static inline void slot_append(struct sim_queue *queue, struct sim_event *event,
			       struct sim_queue_slot slot)
{
	queue->next_order++;
	queue->n_events++;
	queue->last = event;
	event->time = slot.time;
	event->next = NULL;
	sift_up(queue, queue->n_slots++, slot);
}

/* For an event that is queued already, or a heap that is full. */
static __attribute__((noinline)) int push_moving(struct sim_queue *queue, struct sim_event *event,
						 struct sim_queue_slot slot)
{
	if (is_single(event)) {
		queue->next_order++;
		queue->last = event;
		event->time = slot.time;
		sift(queue, event->place / 2 - 1, slot);
		return 0;
	}
	if (queue->n_slots == queue->capacity && queue_grow(queue))
		return UTIL_ENOMEM;
	sim_queue_cancel(queue, event);
	slot_append(queue, event, slot);
	return 0;
}

int sim_queue_push_slot(struct sim_queue *queue, struct sim_event *event, sim_time_ps time)
{
	struct sim_queue_slot slot = {time, queue->next_order, event};

	if (event->place || queue->n_slots == queue->capacity)
		return push_moving(queue, event, slot);
	slot_append(queue, event, slot);
	return 0;
}

int sim_queue_push_reserved(struct sim_queue *queue, struct sim_event *event, sim_time_ps time,
			    uint64_t order)
{
	if (queue->n_slots == queue->capacity && queue_grow(queue))
		return UTIL_ENOMEM;
	queue->n_events++;
	event->time = time;
	event->next = NULL;
	sift_up(queue, queue->n_slots++, (struct sim_queue_slot){time, order, event});
	return 0;
}

void sim_queue_delay(struct sim_queue *queue, sim_time_ps delay)
{
	for (size_t i = 0; i < queue->n_slots; i++) {
		queue->heap[i].time = sim_time_add(queue->heap[i].time, delay);
		for (struct sim_event *event = queue->heap[i].event; event; event = event->next)
			event->time = queue->heap[i].time;
	}
}

static int compare_slots(const void *a, const void *b)
{
	return is_before(a, b) ? -1 : is_before(b, a);
}

int sim_queue_list(const struct sim_queue *queue, const struct sim_event *out[])
{
	struct sim_queue_slot *slots = malloc(queue->n_slots * sizeof *slots + 1);
	size_t n = 0;

	if (!slots)
		return UTIL_ENOMEM;
	for (size_t i = 0; i < queue->n_slots; i++)
		slots[i] = queue->heap[i];
	qsort(slots, queue->n_slots, sizeof *slots, compare_slots);
	for (size_t i = 0; i < queue->n_slots; i++)
		for (const struct sim_event *event = slots[i].event; event; event = event->next)
			out[n++] = event;
	free(slots);
	return 0;
}
