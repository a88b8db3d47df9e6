/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIMCORE_QUEUE_H
#define SIMCORE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simcore/time.h"

/*
 * The event queue: a heap of intrusive events. Equal times leave in the order in which they were
 * scheduled: a counter is stamped when an event is pushed or moved.
 */
struct sim_event;
typedef void (*sim_event_fn)(struct sim_event *event);

struct sim_event {
	sim_time_ps time;
	uint64_t order;
	size_t position;   /* 1-based place in the heap; 0: not queued */
	sim_event_fn fire; /* set by the owner before the event is pushed */
};

/* A place in the heap. It repeats the event's key, so that sifting does not touch the events it
 * only compares. */
struct sim_queue_slot {
	sim_time_ps time;
	uint64_t order;
	struct sim_event *event;
};

struct sim_queue {
	struct sim_queue_slot *heap;
	size_t n_events, capacity;
	uint64_t next_order;
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
	return event->position != 0;
}

/*
 * Schedules `event` at `time` >= 0, or moves it there when it is queued already; either stamps a
 * new order. O(log n). 0 or UTIL_ENOMEM (then nothing changed).
 */
int sim_queue_push(struct sim_queue *queue, struct sim_event *event, sim_time_ps time);
/* Takes `event` out; nothing happens when it is not queued. O(log n). */
void sim_queue_cancel(struct sim_queue *queue, struct sim_event *event);
/* The first event, or NULL. */
static inline struct sim_event *sim_queue_peek(const struct sim_queue *queue)
{
	return queue->n_events ? queue->heap[0].event : NULL;
}
/* Takes out the first event; NULL when there is none. O(log n). */
struct sim_event *sim_queue_pop(struct sim_queue *queue);

#endif
