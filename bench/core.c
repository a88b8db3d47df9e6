/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what a fiber switch and an event cost here, in nanoseconds. Not a test:
 * nothing is judged. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "simcore/engine.h"
#include "util/rng.h"

enum { N_ROUNDS = 5000000, STACK_B = 16384 };

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void yield_forever(void *arg)
{
	struct sim_fiber **self = arg;

	for (;;)
		sim_fiber_yield(*self);
}

static int bench_switch(size_t n_fibers)
{
	struct sim_fiber **fibers = calloc(n_fibers, sizeof(struct sim_fiber *));
	struct sim_fiber_set *set = NULL;
	struct util_error err = {0};
	double begin;
	int rc = fibers ? sim_fiber_set_create(&set, n_fibers, STACK_B, &err) : UTIL_ENOMEM;

	for (size_t i = 0; !rc && i < n_fibers; i++)
		rc = sim_fiber_create(set, i, yield_forever, &fibers[i], &fibers[i], &err);
	for (size_t i = 0; !rc && i < n_fibers; i++) /* all begin */
		sim_fiber_resume(fibers[i]);
	begin = now_ns();
	for (size_t round = 0, i = 0; !rc && round < N_ROUNDS; round++) {
		sim_fiber_resume(fibers[i]);
		i = i + 1 < n_fibers ? i + 1 : 0;
	}
	if (rc)
		printf("%s\n", err.text);
	else
		printf("%7zu fibers: %5.1f ns for resume and yield\n", n_fibers,
		       (now_ns() - begin) / N_ROUNDS);
	sim_fiber_set_destroy(set);
	free(fibers);
	return rc;
}

static struct sim_engine engine;
static struct util_rng rng;

static void event_again(struct sim_event *event)
{
	sim_engine_after(&engine, event, (sim_time_ps)(util_rng_next(&rng) % 1000000));
}

static int bench_event(size_t n_events)
{
	struct sim_event *events = calloc(n_events, sizeof(*events));
	double begin;

	if (!events)
		return UTIL_ENOMEM;
	sim_engine_init(&engine);
	for (size_t i = 0; i < n_events; i++) {
		sim_event_init(&events[i], event_again);
		event_again(&events[i]);
	}
	begin = now_ns();
	for (int i = 0; i < N_ROUNDS; i++)
		sim_engine_step(&engine);
	printf("%7zu queued: %5.1f ns for an event at a random time\n", n_events,
	       (now_ns() - begin) / N_ROUNDS);
	sim_engine_finish(&engine);
	free(events);
	return 0;
}

int main(void)
{
	int rc = 0;

	for (size_t n = 1; !rc && n <= 100000; n *= 10)
		rc = bench_switch(n);
	for (size_t n = 1; !rc && n <= 100000; n *= 10)
		rc = bench_event(n);
	return rc ? 1 : 0;
}
