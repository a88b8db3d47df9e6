/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "simcore/queue.h"
#include "util/error.h"
#include "util/rng.h"

static void equal_times_keep_push_order(void **state)
{
	struct sim_event events[100] = {0};
	struct sim_queue queue;

	sim_queue_init(&queue);
	for (int i = 0; i < 100; i++)
		assert_int_equal(sim_queue_push(&queue, &events[i], 7), 0);
	for (int i = 0; i < 100; i++)
		assert_ptr_equal(sim_queue_pop(&queue), &events[i]);
	sim_queue_finish(&queue);
}

/* a b c at time 5; a pushed again at 5 stands behind c. */
static void a_moved_event_goes_behind_its_equals(void **state)
{
	struct sim_event a = {0}, b = {0}, c = {0};
	struct sim_queue queue;

	sim_queue_init(&queue);
	sim_queue_push(&queue, &a, 5);
	sim_queue_push(&queue, &b, 5);
	sim_queue_push(&queue, &c, 5);
	sim_queue_push(&queue, &a, 5);
	assert_int_equal(queue.n_events, 3);
	assert_ptr_equal(sim_queue_pop(&queue), &b);
	assert_ptr_equal(sim_queue_pop(&queue), &c);
	assert_ptr_equal(sim_queue_pop(&queue), &a);
	assert_null(sim_queue_pop(&queue));
	sim_queue_finish(&queue);
}

/*
 * b c d at time 5 are a chain behind a at 3, e at 5 is another after f at 9. c goes from within, d
 * from the end, e (first of its chain) moves to 5 again: it leaves last.
 */
static void chains_keep_their_order_when_events_leave_or_move(void **state)
{
	struct sim_event a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, g = {0};
	struct sim_queue queue;

	sim_queue_init(&queue);
	sim_queue_push(&queue, &a, 3);
	sim_queue_push(&queue, &b, 5);
	sim_queue_push(&queue, &c, 5);
	sim_queue_push(&queue, &d, 5);
	sim_queue_push(&queue, &f, 9);
	sim_queue_push(&queue, &e, 5);
	sim_queue_push(&queue, &g, 5);
	assert_int_equal(queue.n_slots, 4);
	sim_queue_cancel(&queue, &c);
	sim_queue_cancel(&queue, &d);
	sim_queue_push(&queue, &e, 5);
	assert_int_equal(queue.n_events, 5);
	assert_ptr_equal(sim_queue_pop(&queue), &a);
	assert_ptr_equal(sim_queue_pop(&queue), &b);
	assert_ptr_equal(sim_queue_pop(&queue), &g);
	assert_ptr_equal(sim_queue_pop(&queue), &e);
	assert_ptr_equal(sim_queue_pop(&queue), &f);
	assert_null(sim_queue_pop(&queue));
	sim_queue_finish(&queue);
}

/* The second one's place is reserved before the third comes; it comes itself after that. */
static void a_reserved_place_is_kept(void **state)
{
	struct sim_event events[4] = {0};
	struct sim_queue queue;
	uint64_t order;

	sim_queue_init(&queue);
	sim_queue_push(&queue, &events[0], 5);
	order = sim_queue_reserve(&queue);
	sim_queue_push(&queue, &events[2], 5);
	assert_int_equal(sim_queue_push_reserved(&queue, &events[1], 5, order), 0);
	sim_queue_push(&queue, &events[3], 5);
	for (int i = 0; i < 4; i++)
		assert_ptr_equal(sim_queue_pop(&queue), &events[i]);
	assert_int_equal(queue.n_events, 0);
	sim_queue_finish(&queue);
}

static void an_event_knows_whether_it_is_queued(void **state)
{
	struct sim_event event;
	struct sim_queue queue;

	sim_queue_init(&queue);
	sim_event_init(&event, NULL);
	assert_false(sim_event_is_queued(&event));
	sim_queue_push(&queue, &event, 1);
	assert_true(sim_event_is_queued(&event));
	assert_ptr_equal(sim_queue_peek(&queue), &event);
	sim_queue_pop(&queue);
	assert_false(sim_event_is_queued(&event));
	sim_queue_push(&queue, &event, 1);
	sim_queue_cancel(&queue, &event);
	assert_false(sim_event_is_queued(&event));
	sim_queue_cancel(&queue, &event);
	assert_null(sim_queue_peek(&queue));
	assert_null(sim_queue_pop(&queue));
	sim_queue_finish(&queue);
}

/* The capacity is set to what cannot be doubled in memory. */
static void a_push_without_memory_changes_nothing(void **state)
{
	struct sim_event event = {.time = 3};
	struct sim_queue queue;

	sim_queue_init(&queue);
	queue.n_slots = queue.capacity = SIZE_MAX / 2;
	assert_int_equal(sim_queue_push(&queue, &event, 5), UTIL_ENOMEM);
	assert_int_equal(event.time, 3);
	assert_int_equal(queue.next_order, 0);
	assert_false(sim_event_is_queued(&event));
	assert_int_equal(queue.n_slots, SIZE_MAX / 2);
	assert_int_equal(queue.n_events, 0);
	queue.n_slots = 0;
	sim_queue_finish(&queue);
}

/*
 * The naive model: every event has a time and the number of the push that put it there; the first
 * one is found by looking at all.
 */
enum { N_EVENTS = 300, N_STEPS = 100000, N_TIMES = 50 };

struct naive {
	int is_queued;
	sim_time_ps time;
	int push;
};

static int naive_first(const struct naive *naive)
{
	int first = -1;

	for (int i = 0; i < N_EVENTS; i++) {
		if (!naive[i].is_queued)
			continue;
		if (first < 0 || naive[i].time < naive[first].time ||
		    (naive[i].time == naive[first].time && naive[i].push < naive[first].push))
			first = i;
	}
	return first;
}

/* Few times, so that most comparisons are between equals, and half of them the one before, so that
 * chains are long. Of 8 steps 4 push or move, 2 cancel, 2
 * pop: the number queued stays in the middle. */
static void random_steps_agree_with_a_naive_queue(void **state)
{
	static struct sim_event events[N_EVENTS];
	static struct naive naive[N_EVENTS];
	const uint64_t seed = 20240607;
	struct sim_queue queue;
	struct util_rng rng;
	sim_time_ps time = 0;
	size_t most = 0;

	print_message("seed %llu\n", (unsigned long long)seed);
	util_rng_init(&rng, seed, 0);
	sim_queue_init(&queue);
	for (int step = 0; step < N_STEPS; step++) {
		int what = (int)(util_rng_next(&rng) % 8),
		    i = (int)(util_rng_next(&rng) % N_EVENTS);

		if (util_rng_next(&rng) % 2)
			time = (sim_time_ps)(util_rng_next(&rng) % N_TIMES);
		if (what < 4) {
			assert_int_equal(sim_queue_push(&queue, &events[i], time), 0);
			naive[i] = (struct naive){1, time, step};
		} else if (what < 6) {
			sim_queue_cancel(&queue, &events[i]);
			naive[i].is_queued = 0;
		} else {
			int first = naive_first(naive);

			assert_ptr_equal(sim_queue_pop(&queue), first < 0 ? NULL : &events[first]);
			if (first >= 0)
				naive[first].is_queued = 0;
		}
		if (queue.n_events > most)
			most = queue.n_events;
		assert_int_equal(sim_event_is_queued(&events[i]), naive[i].is_queued);
	}
	assert_true(most > 100);
	for (int first = naive_first(naive); first >= 0; first = naive_first(naive)) {
		assert_ptr_equal(sim_queue_pop(&queue), &events[first]);
		naive[first].is_queued = 0;
	}
	assert_null(sim_queue_pop(&queue));
	sim_queue_finish(&queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(equal_times_keep_push_order),
	    cmocka_unit_test(a_moved_event_goes_behind_its_equals),
	    cmocka_unit_test(chains_keep_their_order_when_events_leave_or_move),
	    cmocka_unit_test(a_reserved_place_is_kept),
	    cmocka_unit_test(an_event_knows_whether_it_is_queued),
	    cmocka_unit_test(a_push_without_memory_changes_nothing),
	    cmocka_unit_test(random_steps_agree_with_a_naive_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
