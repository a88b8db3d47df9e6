/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simcore/engine.h"

enum { MAX_TASKS = 4, STACK_B = 65536 };

/* What happened, in order: "<who><time> …". Nothing is asserted on a fiber. */
struct world {
	struct sim_engine engine;
	struct sim_fiber_set *fibers;
	struct sim_task tasks[MAX_TASKS];
	struct sim_event event;
	struct sim_instant_hook hooks[2];
	int n_tasks;
	int n_hook_runs;
	uint32_t n_at_once; /* tasks that may be resumed before the loop looks */
	char log[1000];
};

static struct world world;

static void say(const char *who)
{
	size_t end = strlen(world.log);

	snprintf(world.log + end, sizeof(world.log) - end, "%s%lld ", who,
		 (long long)world.engine.now);
}

static int world_begin(void **state)
{
	memset(&world, 0, sizeof(world));
	world.n_at_once = 1;
	sim_engine_init(&world.engine);
	return sim_fiber_set_create(&world.fibers, MAX_TASKS, STACK_B, NULL);
}

static int world_begin_at_once(void **state)
{
	int rc = world_begin(state);

	world.n_at_once = 1000;
	return rc;
}

static int world_end(void **state)
{
	sim_engine_finish(&world.engine);
	sim_fiber_set_destroy(world.fibers);
	return 0;
}

static struct sim_task *task_add(sim_fiber_fn entry)
{
	struct sim_task *task = &world.tasks[world.n_tasks];
	struct sim_fiber *fiber = NULL;

	assert_int_equal(
	    sim_fiber_create(world.fibers, (size_t)world.n_tasks, entry, task, &fiber, NULL), 0);
	sim_task_start(&world.engine, task, fiber);
	world.n_tasks++;
	return task;
}

static enum sim_step run_to_the_end(void)
{
	enum sim_step step;

	do
		step = sim_engine_run(&world.engine, world.n_at_once);
	while (step == SIM_STEP_TASK || step == SIM_STEP_EVENT);
	return step;
}

static void event_says_e(struct sim_event *event)
{
	say("e");
}

static void task_sleeps_10(void *task)
{
	say("a");
	sim_task_sleep(task, 10);
	say("a");
}

static void task_sleeps_5_twice(void *task)
{
	say("b");
	sim_task_sleep(task, 5);
	say("b");
	sim_task_sleep(task, 5);
	say("b");
}

/*
 * Requests: event at 5 (first), a's alarm at 10 (second), b's at 5 (third), b's at 10 (fourth).
 * At 5 the event precedes b, at 10 a precedes b.
 */
static void equal_times_happen_in_order_of_request(void **state)
{
	sim_event_init(&world.event, event_says_e);
	sim_engine_at(&world.engine, &world.event, 5);
	task_add(task_sleeps_10);
	task_add(task_sleeps_5_twice);
	assert_int_equal(run_to_the_end(), SIM_STEP_IDLE);
	assert_string_equal(world.log, "a0 b0 e5 b5 a10 b10 ");
	assert_int_equal(world.engine.now, 10);
	assert_int_equal(world.engine.n_events, 4);
	assert_int_equal(world.engine.n_switches, 5);
	assert_int_equal(world.tasks[0].state, SIM_TASK_ENDED);
	assert_int_equal(world.tasks[1].state, SIM_TASK_ENDED);
}

static void one_step_is_one_task_or_one_event(void **state)
{
	task_add(task_sleeps_10);
	assert_int_equal(sim_engine_step(&world.engine), SIM_STEP_TASK);
	assert_int_equal(world.tasks[0].state, SIM_TASK_BLOCKED);
	assert_null(world.engine.running);
	assert_int_equal(world.engine.now, 0);
	assert_int_equal(sim_engine_step(&world.engine), SIM_STEP_EVENT);
	assert_int_equal(world.engine.now, 10);
	assert_int_equal(world.tasks[0].state, SIM_TASK_READY);
	assert_int_equal(sim_engine_step(&world.engine), SIM_STEP_TASK);
	assert_int_equal(sim_engine_step(&world.engine), SIM_STEP_IDLE);
	assert_int_equal(sim_engine_step(&world.engine), SIM_STEP_IDLE);
}

static void task_stops_at_5(void *task)
{
	sim_task_sleep(task, 5);
	say("s");
	sim_engine_stop(&world.engine);
	sim_task_block(task);
}

/* Both tasks are due at 5: the first passes control to the second unless it must not. */
static void control_returns_when_asked_for(void **state)
{
	enum { MANY = 1000 };

	task_add(task_stops_at_5);
	task_add(task_sleeps_5_twice);
	while (world.engine.now < 5)
		assert_int_equal(sim_engine_run(&world.engine, MANY), SIM_STEP_TASK);
	assert_string_equal(world.log, "b0 s5 ");
	assert_null(world.engine.running);
	sim_engine_hold(&world.engine);
	assert_int_equal(sim_engine_run(&world.engine, MANY), SIM_STEP_EVENT);
	assert_int_equal(sim_engine_run(&world.engine, MANY), SIM_STEP_TASK);
	assert_string_equal(world.log, "b0 s5 b5 ");
	assert_int_equal(sim_engine_run(&world.engine, MANY), SIM_STEP_EVENT);
	sim_engine_release(&world.engine);
	assert_int_equal(sim_engine_run(&world.engine, MANY), SIM_STEP_TASK);
	assert_string_equal(world.log, "b0 s5 b5 b10 ");
	assert_int_equal(sim_engine_run(&world.engine, MANY), SIM_STEP_IDLE);
}

/* At 0 all begin, one after the other; from then on one goes on after the other, and the last one
 * ends. */
static void tasks_pass_control_to_each_other(void **state)
{
	task_add(task_sleeps_10);
	task_add(task_sleeps_5_twice);
	assert_int_equal(sim_engine_run(&world.engine, 1000), SIM_STEP_TASK);
	assert_string_equal(world.log, "a0 ");
	assert_int_equal(sim_engine_run(&world.engine, 1000), SIM_STEP_TASK);
	assert_string_equal(world.log, "a0 b0 b5 a10 ");
	assert_int_equal(world.tasks[0].state, SIM_TASK_ENDED);
	assert_int_equal(sim_engine_run(&world.engine, 1000), SIM_STEP_TASK);
	assert_string_equal(world.log, "a0 b0 b5 a10 b10 ");
	assert_int_equal(world.engine.n_switches, 5);
}

static void task_blocks_as_a(void *task)
{
	say("a");
	sim_task_block(task);
	say("a");
}

static void task_blocks_as_b(void *task)
{
	say("b");
	sim_task_block(task);
	say("b");
}

/* b is woken first; a twice; c wakes itself, which is nothing, and a again once it is ready. */
static void task_wakes_b_then_a(void *task)
{
	say("c");
	sim_task_wake(&world.tasks[1]);
	sim_task_wake(&world.tasks[0]);
	sim_task_wake(&world.tasks[0]);
	sim_task_wake(task);
	say(world.engine.running == task ? "c" : "?");
}

static void woken_tasks_run_once_in_order_of_wake(void **state)
{
	task_add(task_blocks_as_a);
	task_add(task_blocks_as_b);
	task_add(task_wakes_b_then_a);
	assert_int_equal(run_to_the_end(), SIM_STEP_IDLE);
	assert_string_equal(world.log, "a0 b0 c0 c0 b0 a0 ");
	sim_task_wake(&world.tasks[0]); /* ended: nothing */
	assert_int_equal(sim_engine_step(&world.engine), SIM_STEP_IDLE);
}

static void a_blocked_task_that_nobody_wakes_leaves_the_engine_idle(void **state)
{
	task_add(task_blocks_as_a);
	assert_int_equal(run_to_the_end(), SIM_STEP_IDLE);
	assert_int_equal(world.tasks[0].state, SIM_TASK_BLOCKED);
}

static void task_wakes_first_at_4(void *task)
{
	sim_task_sleep(task, 4);
	say("w");
	sim_task_wake(&world.tasks[0]);
}

static void a_wake_does_not_shorten_a_sleep(void **state)
{
	task_add(task_sleeps_10);
	task_add(task_wakes_first_at_4);
	assert_int_equal(run_to_the_end(), SIM_STEP_IDLE);
	assert_string_equal(world.log, "a0 w4 a10 ");
}

static void task_sleeps_0_then_never(void *task)
{
	sim_task_sleep(task, 0);
	say("a");
	sim_task_sleep(task, SIM_TIME_MAX);
	say("a");
}

/* b is ready before a's alarm at the same instant. */
static void a_sleep_of_zero_lets_others_run_and_never_does_not_end(void **state)
{
	task_add(task_sleeps_0_then_never);
	task_add(task_blocks_as_b);
	assert_int_equal(run_to_the_end(), SIM_STEP_IDLE);
	assert_string_equal(world.log, "b0 a0 ");
	assert_int_equal(world.engine.now, 0);
	assert_int_equal(world.tasks[0].state, SIM_TASK_BLOCKED);
}

static void event_asks_for_the_past(struct sim_event *event)
{
	event_says_e(event);
	event->fire = event_says_e;
	sim_engine_at(&world.engine, event, 3);
}

static void the_past_means_now(void **state)
{
	sim_event_init(&world.event, event_asks_for_the_past);
	sim_engine_after(&world.engine, &world.event, 5);
	run_to_the_end();
	assert_string_equal(world.log, "e5 e5 ");
	sim_engine_after(&world.engine, &world.event, -7);
	run_to_the_end();
	assert_string_equal(world.log, "e5 e5 e5 ");
}

static void moved_to_never_or_cancelled_an_event_does_not_fire(void **state)
{
	sim_event_init(&world.event, event_says_e);
	sim_engine_at(&world.engine, &world.event, 5);
	sim_engine_at(&world.engine, &world.event, SIM_TIME_MAX);
	assert_int_equal(run_to_the_end(), SIM_STEP_IDLE);
	assert_true(sim_event_is_queued(&world.event));
	sim_engine_jump(&world.engine, 3);
	assert_true(world.event.time == SIM_TIME_MAX);
	sim_engine_at(&world.engine, &world.event, 5);
	sim_engine_cancel(&world.engine, &world.event);
	assert_int_equal(run_to_the_end(), SIM_STEP_IDLE);
	assert_string_equal(world.log, "");
}

static void hook_says_h(struct sim_instant_hook *hook)
{
	say("h");
}

/* First run: an event for now, itself again, and a wake; second run: nothing more. */
static void hook_goes_on(struct sim_instant_hook *hook)
{
	say("g");
	if (world.n_hook_runs++)
		return;
	sim_engine_at(&world.engine, &world.event, world.engine.now);
	sim_engine_at_instant_end(&world.engine, hook);
	sim_task_wake(&world.tasks[1]);
}

static void task_asks_for_hooks(void *task)
{
	say("a");
	sim_engine_at_instant_end(&world.engine, &world.hooks[0]);
	sim_engine_at_instant_end(&world.engine, &world.hooks[1]);
	sim_engine_at_instant_end(&world.engine, &world.hooks[0]);
	sim_engine_at(&world.engine, &world.event, world.engine.now);
	sim_task_sleep(task, 1);
	say("a");
}

/*
 * At 0: a asks for g, h, g (once) and an event for now, b blocks; the event precedes the hooks. g
 * makes b ready and an event for now: both precede h; then g's second run, last in the list. Then
 * the clock moves.
 */
static void hooks_run_when_the_instant_has_nothing_left(void **state)
{
	world.hooks[0].run = hook_goes_on;
	world.hooks[1].run = hook_says_h;
	sim_event_init(&world.event, event_says_e);
	task_add(task_asks_for_hooks);
	task_add(task_blocks_as_b);
	assert_int_equal(run_to_the_end(), SIM_STEP_IDLE);
	assert_string_equal(world.log, "a0 b0 e0 g0 b0 e0 h0 g0 a1 ");
}

static void hook_wakes_first(struct sim_instant_hook *hook)
{
	say("h");
	sim_task_wake(&world.tasks[0]);
}

static void a_hook_runs_though_no_event_is_left(void **state)
{
	world.hooks[0].run = hook_wakes_first;
	task_add(task_blocks_as_a);
	sim_engine_at_instant_end(&world.engine, &world.hooks[0]);
	assert_int_equal(run_to_the_end(), SIM_STEP_IDLE);
	assert_string_equal(world.log, "a0 h0 a0 ");
}

static void count_resume(struct sim_task *task, void *context)
{
	say(task == &world.tasks[0] ? "A" : "B");
	*(int *)context += 1;
}

/* a runs at 0, b at 0, b at 5, a at 10, b at 10: of five resumes only b at 5 follows itself. */
static void before_resume_is_called_when_the_task_changes(void **state)
{
	int n_calls = 0;

	world.engine.before_resume = count_resume;
	world.engine.context = &n_calls;
	task_add(task_sleeps_10);
	task_add(task_sleeps_5_twice);
	run_to_the_end();
	assert_string_equal(world.log, "A0 a0 B0 b0 b5 A10 a10 B10 b10 ");
	assert_int_equal(n_calls, 4);
	assert_ptr_equal(world.engine.resumed_last, &world.tasks[1]);
	/* a new task at the same address is not the one that ran */
	task_add(task_blocks_as_a);
	sim_task_start(&world.engine, &world.tasks[1], world.tasks[2].fiber);
	assert_null(world.engine.resumed_last);
}

static void without_memory_the_next_step_says_so(void **state)
{
	sim_event_init(&world.event, event_says_e);
	world.engine.queue.n_slots = world.engine.queue.capacity = SIZE_MAX / 2;
	sim_engine_at(&world.engine, &world.event, 5);
	assert_int_equal(sim_engine_step(&world.engine), SIM_STEP_NO_MEMORY);
	assert_int_equal(sim_engine_step(&world.engine), SIM_STEP_NO_MEMORY);
	world.engine.queue.n_slots = 0;
}

enum { N_MANY = 20000, N_ROUNDS = 5 };

static struct sim_task many[N_MANY];
static sim_time_ps ended_at[N_MANY];

static void task_sleeps_in_rounds(void *arg)
{
	struct sim_task *task = arg;
	size_t i = (size_t)(task - many);

	for (int round = 0; round < N_ROUNDS; round++)
		sim_task_sleep(task, (sim_time_ps)(i % 7 + 1));
	ended_at[i] = task->engine->now;
}

/* Task i sleeps 5 times i % 7 + 1; each runs 6 times, with 5 alarms. */
static void twenty_thousand_tasks_sleep_their_time(void **state)
{
	struct sim_fiber_set *set = NULL;
	struct sim_engine engine;
	struct sim_fiber *fiber;

	sim_engine_init(&engine);
	assert_int_equal(sim_fiber_set_create(&set, N_MANY, 32768, NULL), 0);
	for (size_t i = 0; i < N_MANY; i++) {
		assert_int_equal(
		    sim_fiber_create(set, i, task_sleeps_in_rounds, &many[i], &fiber, NULL), 0);
		sim_task_start(&engine, &many[i], fiber);
	}
	while (sim_engine_run(&engine, N_MANY) != SIM_STEP_IDLE)
		;
	assert_int_equal(engine.now, 35);
	assert_int_equal(engine.n_switches, N_MANY * 6);
	assert_int_equal(engine.n_events, N_MANY * 5);
	for (size_t i = 0; i < N_MANY; i++)
		assert_int_equal(ended_at[i], 5 * (i % 7 + 1));
	sim_engine_finish(&engine);
	sim_fiber_set_destroy(set);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, world_begin, world_end)
#define AT_ONCE(test) cmocka_unit_test_setup_teardown(test, world_begin_at_once, world_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    IN_WORLD(equal_times_happen_in_order_of_request),
	    IN_WORLD(one_step_is_one_task_or_one_event),
	    IN_WORLD(woken_tasks_run_once_in_order_of_wake),
	    IN_WORLD(a_blocked_task_that_nobody_wakes_leaves_the_engine_idle),
	    IN_WORLD(a_wake_does_not_shorten_a_sleep),
	    IN_WORLD(a_sleep_of_zero_lets_others_run_and_never_does_not_end),
	    IN_WORLD(the_past_means_now),
	    IN_WORLD(moved_to_never_or_cancelled_an_event_does_not_fire),
	    IN_WORLD(hooks_run_when_the_instant_has_nothing_left),
	    IN_WORLD(a_hook_runs_though_no_event_is_left),
	    IN_WORLD(before_resume_is_called_when_the_task_changes),
	    IN_WORLD(without_memory_the_next_step_says_so),
	    IN_WORLD(control_returns_when_asked_for),
	    IN_WORLD(tasks_pass_control_to_each_other),
	    AT_ONCE(equal_times_happen_in_order_of_request),
	    AT_ONCE(woken_tasks_run_once_in_order_of_wake),
	    AT_ONCE(a_blocked_task_that_nobody_wakes_leaves_the_engine_idle),
	    AT_ONCE(a_wake_does_not_shorten_a_sleep),
	    AT_ONCE(a_sleep_of_zero_lets_others_run_and_never_does_not_end),
	    AT_ONCE(the_past_means_now),
	    AT_ONCE(moved_to_never_or_cancelled_an_event_does_not_fire),
	    AT_ONCE(hooks_run_when_the_instant_has_nothing_left),
	    AT_ONCE(a_hook_runs_though_no_event_is_left),
	    AT_ONCE(before_resume_is_called_when_the_task_changes),
	    cmocka_unit_test(twenty_thousand_tasks_sleep_their_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
