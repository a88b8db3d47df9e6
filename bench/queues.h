/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_QUEUES_H
#define BENCH_QUEUES_H

#include <stddef.h>
#include <stdint.h>

#include "simcore/queue.h"

/* Event queues to compare; events are numbers 0 … n_events-1. Equal times leave in the order of
 * their pushes; a push of an event that is queued moves it. */
struct bench_step {
	sim_time_ps time;
	uint32_t event;
	uint8_t what; /* enum of simcore/queue.h: 'p' push, 'n' pop, 'c' cancel */
};

struct bench_queue {
	const char *name;
	void *(*create)(size_t n_events);
	void (*destroy)(void *state);
	void (*push)(void *state, uint32_t event, sim_time_ps time);
	void (*cancel)(void *state, uint32_t event);
	uint32_t (*pop)(void *state); /* not empty */
};

extern const struct bench_queue *const bench_queues[]; /* up to NULL */

extern const struct bench_queue bench_queue_product, bench_queue_heap2, bench_queue_heap4,
    bench_queue_pairing, bench_queue_calendar;

#endif
