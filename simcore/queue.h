/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIMCORE_QUEUE_H
#define SIMCORE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simcore/time.h"

/*
 * The event queue: a heap of intrusive events. Equal times leave in the order in which they were
 * scheduled. Events that are scheduled for the same time one directly after the other are one entry
 * of the heap, a chain: thousands of them cost no more than one
 * (docs/decisions/0051-what-a-message-costs.md).
 */
struct sim_event;
typedef void (*sim_event_fn)(struct sim_event *event);

struct sim_event {
	sim_time_ps time;
	struct sim_event *next; /* in its chain */
	/* 0: not queued; first of its chain: 2 x (place in the heap + 1); others: address of the
	   one before, + 1 */
	uintptr_t place;
	sim_event_fn fire; /* set by the owner before the event is pushed */
};

/* A place in the heap: the first event of a chain and the key of all of it. */
struct sim_queue_slot {
	sim_time_ps time;
	uint64_t order; /* of the push that began the chain; nothing was pushed between two of its
			   events, so that no other's order lies among theirs */
	struct sim_event *event;
};

struct sim_queue {
	struct sim_queue_slot *heap; /* [n_slots] */
	size_t n_slots, capacity;
	size_t n_events;
	uint64_t next_order;
	struct sim_event *last; /* the event pushed last, if it is still queued */
};

void sim_queue_init(struct sim_queue *queue);
/* Events belong to their owners and are not touched. */
void sim_queue_finish(struct sim_queue *queue);

static inline void sim_event_init(struct sim_event *event, sim_event_fn fire)
{
	*event = (struct sim_event){.fire = fire};
}
static inline bool sim_event_is_queued(const struct sim_event *event)
{
	return event->place != 0;
}

/* What is left of a push or pop when the chain alone does not do. */
int sim_queue_push_slot(struct sim_queue *queue, struct sim_event *event, sim_time_ps time);
void sim_queue_remove_first_slot(struct sim_queue *queue);

/*
 * Schedules `event` at `time` >= 0, or moves it there when it is queued already; either puts it
 * behind all of the same time. O(1) when the last push was for the same time, else O(log n). 0 or
 * UTIL_ENOMEM (then nothing changed).
 */
static inline int sim_queue_push(struct sim_queue *queue, struct sim_event *event, sim_time_ps time)
{
	struct sim_event *last = queue->last;

	if (!last || last->time != time || event->place) {
		if (queue->n_slots > 0 || queue->capacity == 0)
			return sim_queue_push_slot(queue, event, time);
		queue->heap[0] = (struct sim_queue_slot){time, queue->next_order++, event};
		queue->n_slots = queue->n_events = 1;
		queue->last = event;
		event->time = time;
		event->next = NULL;
		event->place = 2;
		return 0;
	}
	last->next = event;
	event->time = time;
	event->next = NULL;
	event->place = (uintptr_t)last + 1;
	queue->last = event;
	queue->n_events++;
	return 0;
}
/*
 * For events that wait for each other outside, in the order of their times, so that only the first
 * one is here: a place among events of the same time as if one were pushed now, and the push, later,
 * to that place, of an event that is not queued. O(log n). 0 or UTIL_ENOMEM.
 */
static inline uint64_t sim_queue_reserve(struct sim_queue *queue)
{
	queue->last = NULL;
	return queue->next_order++;
}
int sim_queue_push_reserved(struct sim_queue *queue, struct sim_event *event, sim_time_ps time,
			    uint64_t order);
/* Takes `event` out; nothing happens when it is not queued. O(log n). */
void sim_queue_cancel(struct sim_queue *queue, struct sim_event *event);
/* The first event, or NULL. */
static inline struct sim_event *sim_queue_peek(const struct sim_queue *queue)
{
	return queue->n_slots ? queue->heap[0].event : NULL;
}
/* Takes out `event`, the first one. O(1) in a chain, else O(log n). */
static inline void sim_queue_remove_first(struct sim_queue *queue, struct sim_event *event)
{
	struct sim_event *next = event->next;

	event->place = 0;
	queue->n_events--;
	if (next) {
		next->place = 2;
		queue->heap[0].event = next;
		return;
	}
	if (queue->last == event)
		queue->last = NULL;
	if (queue->n_slots == 1)
		queue->n_slots = 0;
	else
		sim_queue_remove_first_slot(queue);
}
/* The same; returns it, NULL when there is none. */
static inline struct sim_event *sim_queue_pop(struct sim_queue *queue)
{
	struct sim_event *event = sim_queue_peek(queue);

	if (event)
		sim_queue_remove_first(queue, event);
	return event;
}

/* Moves all events by `delay` >= 0, those at SIM_TIME_MAX, and what would come later, there. O(n). */
void sim_queue_delay(struct sim_queue *queue, sim_time_ps delay);
/* The events in the order in which they would leave; out: [queue->n_events]. 0 or UTIL_ENOMEM.
 * O(n log n). */
int sim_queue_list(const struct sim_queue *queue, const struct sim_event *out[]);

#endif
