/* SPDX-License-Identifier: BSD-3-Clause */
#include "simcore/engine.h"

#include <stddef.h>

#include "simcore/fiber-private.h"

void sim_engine_init(struct sim_engine *engine)
{
	*engine = (struct sim_engine){0};
	sim_queue_init(&engine->queue);
}

void sim_engine_finish(struct sim_engine *engine)
{
	sim_queue_finish(&engine->queue);
}

void sim_engine_cancel(struct sim_engine *engine, struct sim_event *event)
{
	sim_queue_cancel(&engine->queue, event);
}

void sim_engine_at_instant_end(struct sim_engine *engine, struct sim_instant_hook *hook)
{
	if (hook->pending)
		return;
	hook->pending = 1;
	hook->next = NULL;
	if (engine->hook_first)
		engine->hook_last->next = hook;
	else
		engine->hook_first = hook;
	engine->hook_last = hook;
}

static void hook_run_first(struct sim_engine *engine)
{
	struct sim_instant_hook *hook = engine->hook_first;

	/* taken out first: it may ask for itself again */
	engine->hook_first = hook->next;
	hook->pending = 0;
	hook->run(hook);
}

/* A step without a task: false when there is nothing to do. */
static inline bool fire_first(struct sim_engine *engine)
{
	struct sim_event *event = sim_queue_peek(&engine->queue);

	if (__builtin_expect(engine->hook_first != NULL, 0) &&
	    !(event && event->time == engine->now)) {
		hook_run_first(engine);
		return true;
	}
	if (!event || event->time == SIM_TIME_MAX)
		return false;
	sim_queue_remove_first(&engine->queue, event);
	engine->now = event->time;
	engine->n_events++;
	event->fire(event);
	return true;
}

/* Takes the first ready task off the list, to be resumed. */
static inline void take_first(struct sim_engine *engine, struct sim_task *task)
{
	engine->ready_first = task->next_ready;
	if (engine->resumed_last != task) {
		if (engine->before_resume)
			engine->before_resume(task, engine->context);
		engine->resumed_last = task;
	}
	engine->n_switches++;
	engine->running = task;
	task->state = SIM_TASK_RUNNING;
}

static enum sim_step task_run_first(struct sim_engine *engine)
{
	struct sim_task *task = engine->ready_first;
	bool can_go_on;

	take_first(engine, task);
	can_go_on = sim_fiber_resume(task->fiber);
	engine->running = NULL;
	if (can_go_on)
		return SIM_STEP_TASK;
	task = engine->resumed_last; /* control may have been passed on */
	if (sim_fiber_has_ended(task->fiber))
		task->state = SIM_TASK_ENDED;
	return sim_fiber_overflowed(task->fiber) ? SIM_STEP_OVERFLOW : SIM_STEP_TASK;
}

static inline enum sim_step step(struct sim_engine *engine)
{
	if (__builtin_expect(engine->out_of_memory, 0))
		return SIM_STEP_NO_MEMORY;
	if (engine->ready_first)
		return task_run_first(engine);
	return fire_first(engine) ? SIM_STEP_EVENT : SIM_STEP_IDLE;
}

enum sim_step sim_engine_step(struct sim_engine *engine)
{
	engine->n_ahead = 0;
	return step(engine);
}

enum sim_step sim_engine_run(struct sim_engine *engine, uint32_t n_tasks)
{
	enum sim_step last;

	engine->n_ahead = engine->n_holds ? 0 : n_tasks - 1;
	do
		last = step(engine);
	while (last == SIM_STEP_EVENT && engine->n_ahead > 0);
	return last;
}

void sim_engine_jump(struct sim_engine *engine, sim_time_ps duration)
{
	engine->now += duration;
	engine->jumped += duration;
	sim_queue_delay(&engine->queue, duration);
}

static void alarm_ring(struct sim_event *event)
{
	struct sim_task *task =
	    (struct sim_task *)((char *)event - offsetof(struct sim_task, alarm));

	event->fire = NULL; /* how sim_task_sleep knows */
	sim_task_wake(task);
}

void sim_task_start(struct sim_engine *engine, struct sim_task *task, struct sim_fiber *fiber)
{
	task->engine = engine;
	task->fiber = fiber;
	sim_event_init(&task->alarm, NULL);
	/* an ended task may have lain at the same address */
	if (engine->resumed_last == task)
		engine->resumed_last = NULL;
	sim_task_make_ready(engine, task);
}

/*
 * Takes steps on the stack of a task that has blocked, until one resumes it. False: sim_engine_run
 * has to go on.
 */
static inline bool go_ahead(struct sim_engine *engine, struct sim_task *task)
{
	struct sim_task *next;

	engine->running = NULL;
	while (!(next = engine->ready_first))
		if (engine->n_ahead == 0 || !fire_first(engine))
			return false;
	if (engine->n_ahead == 0)
		return false;
	if (next != task && !sim_fiber_can_pass(task->fiber, next->fiber))
		return false;
	engine->n_ahead--;
	take_first(engine, next);
	if (next != task)
		sim_fiber_pass(task->fiber, next->fiber);
	return true;
}

void sim_task_block(struct sim_task *task)
{
	task->state = SIM_TASK_BLOCKED;
	if (!go_ahead(task->engine, task))
		sim_fiber_yield(task->fiber);
}

void sim_task_sleep(struct sim_task *task, sim_time_ps duration)
{
	sim_event_init(&task->alarm, alarm_ring);
	sim_engine_after(task->engine, &task->alarm, duration);
	while (task->alarm.fire)
		sim_task_block(task);
}
