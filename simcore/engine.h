/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIMCORE_ENGINE_H
#define SIMCORE_ENGINE_H

#include <stdint.h>

#include "simcore/fiber.h"
#include "simcore/queue.h"
#include "simcore/time.h"
#include "util/error.h"

/*
 * The engine: clock, event queue and the scheduler of tasks (a task is a fiber that can wait for
 * simulated time). Only the engine moves the clock. The caller owns the loop:
 *
 *     while ((step = sim_engine_step(engine)) != SIM_STEP_IDLE)
 *             …look, report progress, stop early…
 *
 * One step runs one ready task until it blocks; when none is ready, fires the next event if it is
 * due now; when there is none, runs one hook of the instant's end; when there is none, moves the
 * clock to the next event and fires it. Tasks run in the order of sim_task_wake, hooks in that of
 * sim_engine_at_instant_end.
 *
 * sim_engine_run takes many steps before it returns. A task that blocks then takes the next ones on
 * its own stack and passes control to the next task itself: half as many switches, none when it is
 * the next one. To events and hooks this is no task (`running` is NULL), wherever their frames lie.
 */
enum sim_step {			    /* the last two: the run cannot go on */
		SIM_STEP_IDLE,	    /* nothing ready, and nothing queued that will come: all ended, or deadlock */
		SIM_STEP_TASK,	    /* a task ran */
		SIM_STEP_EVENT,	    /* an event fired, or a hook of the instant's end ran */
		SIM_STEP_NO_MEMORY, /* the event queue could not grow */
		SIM_STEP_OVERFLOW,  /* engine->resumed_last wrote over the end of its stack and
				       others'  memory */
};

enum sim_task_state { SIM_TASK_READY, SIM_TASK_RUNNING, SIM_TASK_BLOCKED, SIM_TASK_ENDED };

struct sim_engine;

/* One task; embedded in its owner's object (a rank). Fields are the engine's own but for `data`. */
struct sim_task {
	struct sim_engine *engine;
	struct sim_fiber *fiber;
	struct sim_task *next_ready;
	struct sim_event alarm; /* for sim_task_sleep */
	enum sim_task_state state;
	void *data; /* the owner's */
};

/* Work to do when all that happens at the present time has happened and before the clock moves. */
struct sim_instant_hook {
	void (*run)(struct sim_instant_hook *hook);
	struct sim_instant_hook *next;
	int pending;
};

struct sim_engine {
	sim_time_ps now;
	struct sim_queue queue;
	struct sim_task *ready_first, *ready_last;
	struct sim_task *running; /* NULL outside tasks */
	struct sim_task *resumed_last;
	struct sim_instant_hook *hook_first, *hook_last;
	uint64_t n_events, n_switches;
	uint32_t n_ahead; /* tasks that may be resumed before sim_engine_run has to return */
	int n_holds;
	sim_time_ps jumped; /* of `now`: by sim_engine_jump */
	int out_of_memory;
	/* May be NULL. Called when a task is about to be resumed that is not resumed_last: swap in
	 * its memory. */
	void (*before_resume)(struct sim_task *task, void *context);
	void *context;
};

void sim_engine_init(struct sim_engine *engine);
void sim_engine_finish(struct sim_engine *engine);

/* Lets sim_engine_run return after the present step, whoever takes it. */
static inline void sim_engine_stop(struct sim_engine *engine)
{
	engine->n_ahead = 0;
}
/* The next step says that there is no memory. */
static inline void sim_engine_fail_memory(struct sim_engine *engine)
{
	engine->out_of_memory = 1;
	sim_engine_stop(engine);
}

/*
 * Schedules or moves `event` to `time`; a time before now means now. At SIM_TIME_MAX, later than the
 * clock can go, it stays in the queue and never fires. When memory runs out, the next sim_engine_step
 * says so. O(log n).
 */
static inline void sim_engine_at(struct sim_engine *engine, struct sim_event *event,
				 sim_time_ps time)
{
	if (time < engine->now)
		time = engine->now;
	if (__builtin_expect(sim_queue_push(&engine->queue, event, time), 0))
		sim_engine_fail_memory(engine);
}
static inline void sim_engine_after(struct sim_engine *engine, struct sim_event *event,
				    sim_time_ps delay)
{
	sim_engine_at(engine, event, delay > 0 ? sim_time_add(engine->now, delay) : engine->now);
}
/* As sim_queue_push_reserved: `order` is of sim_queue_reserve; the time is not before now. */
static inline void sim_engine_at_reserved(struct sim_engine *engine, struct sim_event *event,
					  sim_time_ps time, uint64_t order)
{
	if (__builtin_expect(sim_queue_push_reserved(&engine->queue, event, time, order), 0))
		sim_engine_fail_memory(engine);
}
void sim_engine_cancel(struct sim_engine *engine, struct sim_event *event);
/* Asks for hook->run once at the end of the present instant; asking twice is once. The hook may
 * schedule events, also for now, and wake tasks. */
void sim_engine_at_instant_end(struct sim_engine *engine, struct sim_instant_hook *hook);

enum sim_step sim_engine_step(struct sim_engine *engine);
/*
 * Steps that resume up to `n_tasks` >= 1 tasks: the last one's result. Returns early when a task
 * ends, when the run cannot go on, after sim_engine_stop, and where control cannot be passed from
 * task to task.
 */
enum sim_step sim_engine_run(struct sim_engine *engine, uint32_t n_tasks);
/* Until as many releases, sim_engine_run takes one step at a time: for an event that needs more
 * stack than tasks have. */
static inline void sim_engine_hold(struct sim_engine *engine)
{
	engine->n_holds++;
	engine->n_ahead = 0;
}
static inline void sim_engine_release(struct sim_engine *engine)
{
	engine->n_holds--;
}
/*
 * Moves the clock, and with it all that is scheduled, by `duration` >= 0: whoever calls knows what
 * happens meanwhile and that all is then as it is now. Not from a task.
 */
void sim_engine_jump(struct sim_engine *engine, sim_time_ps duration);

/*
 * Makes a task from a fiber and puts it on the ready list. The fiber's entry must call nothing
 * after its work is done but return. task->data is left alone. The task must live until it ended or
 * the engine is not stepped any more.
 */
void sim_task_start(struct sim_engine *engine, struct sim_task *task, struct sim_fiber *fiber);
/* Blocks the running task until someone wakes it. Only on that task's fiber. */
void sim_task_block(struct sim_task *task);
/* For sim_task_start and sim_task_wake. */
static inline void sim_task_make_ready(struct sim_engine *engine, struct sim_task *task)
{
	task->state = SIM_TASK_READY;
	task->next_ready = NULL;
	if (engine->ready_first)
		engine->ready_last->next_ready = task;
	else
		engine->ready_first = task;
	engine->ready_last = task;
}
/* Makes a blocked task ready; nothing happens when it is ready, running or ended already. */
static inline void sim_task_wake(struct sim_task *task)
{
	if (task->state == SIM_TASK_BLOCKED)
		sim_task_make_ready(task->engine, task);
}
/* The same, before all that are ready: for who was only looked at, and goes on where it was. */
static inline void sim_task_wake_first(struct sim_task *task)
{
	struct sim_engine *engine = task->engine;

	if (task->state != SIM_TASK_BLOCKED)
		return;
	task->state = SIM_TASK_READY;
	task->next_ready = engine->ready_first;
	if (!engine->ready_first)
		engine->ready_last = task;
	engine->ready_first = task;
}
/* Blocks the running task for `duration`; a wake by others does not end it early. */
void sim_task_sleep(struct sim_task *task, sim_time_ps duration);

#endif
