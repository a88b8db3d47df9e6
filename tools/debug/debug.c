/* SPDX-License-Identifier: BSD-3-Clause */
/* When the run stops, and how it goes on. */
#include "tools/debug/debug.h"

#include <stdlib.h>
#include <unistd.h>

#include "simcore/observer.h"
#include "tools/debug/internal.h"

/* --- ranks at the begin of a call --- */

static bool stops_here(struct run_debug *debug, const struct mpi_watch_call *call)
{
	struct debug_rank *rank = &debug->ranks[call->me->rank];
	bool is_break = debug_hits_break(debug, call);

	if (mpi_watch_is_local(call->function))
		return is_break;
	if (!is_break && !debug->steps_any && !rank->is_stepped)
		return false;
	rank->is_stepped = debug->steps_any = false;
	return true;
}

/* The rank's fiber stays here until it may pass. */
static void wait_here(struct run_debug *debug, struct debug_rank *rank, struct pd_rank *pd)
{
	const struct sim_engine *engine = &pd->world->engine;
	sim_time_ps begin = engine->now;

	rank->is_passing = false;
	while (!rank->is_passing) {
		sim_task_block(&pd->task);
		if (!rank->waits_for_line)
			continue;
		rank->waits_for_line = false;
		debug_await_line(debug);
		sim_engine_stop(&pd->world->engine);
	}
	debug->was_held |= engine->now > begin;
}

static void enter(void *context, struct mpi_watch_call *call)
{
	struct run_debug *debug = context;
	struct debug_rank *rank = &debug->ranks[call->me->rank];
	bool is_first = rank->is_first && !mpi_watch_is_local(call->function), stops;

	if (debug->is_killed)
		return;
	stops = stops_here(debug, call);
	if (is_first)
		rank->is_first = false;
	if (!stops && !(is_first && !debug->has_begun) &&
	    !(rank->is_kept && !mpi_watch_is_local(call->function)))
		return;
	rank->call = call;
	if (stops && debug->has_begun) {
		debug->stopped = call->me->rank;
		sim_engine_stop(&call->me->pd->world->engine);
	}
	wait_here(debug, rank, call->me->pd);
	rank->call = NULL;
}

/* --- messages that are not matched --- */

static void *begin_message(void *context, const struct sim_cause_message *message, sim_time_ps now)
{
	struct run_debug *debug = context;
	struct debug_message *one = calloc(1, sizeof *one);

	if (!one)
		return NULL;
	one->function = message->sender.function;
	one->site = message->sender.site;
	debug->launched = one;
	return one;
}

static void unlink_message(struct run_debug *debug, struct debug_message *one)
{
	if (one->message)
		util_list_remove(&debug->messages, one);
	one->message = NULL;
}

static void match_message(void *context, void *token, int rank, int64_t posted, sim_time_ps now)
{
	unlink_message(context, token);
}

static void end_message(void *context, void *token)
{
	unlink_message(context, token);
	free(token);
}

static void send_message(void *context, const struct mpi_message *message)
{
	struct run_debug *debug = context;

	if (debug->launched && !(message->context & CHANNEL_COLL)) {
		debug->launched->message = message;
		util_list_append(&debug->messages, debug->launched);
	}
	debug->launched = NULL;
}

static void ignore_receive(void *context, const struct mpi_request *recv)
{
}

static void ignore_match(void *context, const struct mpi_message *message)
{
}

/* --- the loop of the run --- */

static bool all_have_come(const struct run_debug *debug)
{
	for (int r = 0; r < debug->n_ranks; r++)
		if (debug->ranks[r].is_first && !debug->world->ranks[r].pd->has_ended)
			return false;
	return true;
}

/* Ranks go on from where they stand, but those that are kept there. */
static void let_go(struct run_debug *debug)
{
	for (int r = 0; r < debug->n_ranks; r++) {
		struct debug_rank *rank = &debug->ranks[r];

		if (!rank->call || rank->is_kept || r == debug->stopped)
			continue;
		rank->is_passing = true;
		sim_task_wake(&debug->world->ranks[r].pd->task);
	}
	if (debug->stopped >= 0 && !debug->ranks[debug->stopped].is_kept) {
		debug->ranks[debug->stopped].is_passing = true;
		sim_task_wake_first(&debug->world->ranks[debug->stopped].pd->task);
	}
	debug->stopped = -1;
}

/* Takes commands. For gdb it waits for the next one on the fiber of a rank that stands at a call. */
static bool serve(struct run_debug *debug)
{
	struct pd_world *world = debug->world->pd;

	debug->is_resumed = false;
	debug_show_stop(debug);
	debug_say(debug, "ok");
	debug_take_commands(debug);
	while (!debug->is_resumed && !debug->is_killed) {
		int r = 0;

		while (!debug->ranks[r].waits_for_line)
			r++;
		sim_task_wake_first(&world->ranks[r].task);
		pd_world_run(world, 1);
		debug_take_commands(debug);
	}
	if (debug->is_killed)
		return false;
	let_go(debug);
	return true;
}

bool run_debug_look(struct run_debug *debug)
{
	if (debug->is_killed)
		return false;
	if (!debug->has_begun && all_have_come(debug)) {
		debug->reason = "all ranks at their first call";
		debug->has_begun = true;
		return serve(debug);
	}
	return debug->stopped < 0 || serve(debug);
}

bool run_debug_idle(struct run_debug *debug)
{
	if (debug->is_killed || !debug->is_connected)
		return false;
	debug->reason =
	    !debug->has_begun ? "all ranks at their first call, or waiting" : "nothing can go on";
	debug->has_begun = true;
	return serve(debug) && debug->world->pd->engine.ready_first;
}

void run_debug_end(struct run_debug *debug)
{
	if (debug->was_held)
		debug_say(debug,
			  "note ranks were held back while time went on: predicted times are "
			  "not those of the run alone");
	debug_say(debug, "ended");
	debug_say(debug, "ok");
}

/* --- life --- */

int run_debug_watch(struct run_debug *debug, struct mpi_world *mpi, int fd, char *program[])
{
	struct mpi_watcher watcher = {.context = debug, .enter = enter};

	debug->world = mpi;
	debug->fd = fd;
	debug->program = program;
	debug->is_connected = true;
	debug->stopped = -1;
	debug->n_ranks = mpi->n_ranks;
	debug->ranks = calloc((size_t)mpi->n_ranks, sizeof *debug->ranks);
	if (!debug->ranks || mpi_watch_add(mpi, &watcher))
		return UTIL_ENOMEM;
	for (int r = 0; r < mpi->n_ranks; r++)
		debug->ranks[r].is_first = true;
	debug->meets = (struct mpi_meets){.context = debug,
					  .sent = send_message,
					  .posted = ignore_receive,
					  .matched = ignore_match};
	mpi->meets = &debug->meets;
	debug_choose_begin(debug);
	return 0;
}

int run_debug_observe(struct run_debug **out, struct sim_observers *observers)
{
	struct run_debug *debug = calloc(1, sizeof *debug);

	if (!debug)
		return UTIL_ENOMEM;
	debug->causes = (struct sim_causes){.context = debug,
					    .message_begin = begin_message,
					    .matched = match_message,
					    .message_end = end_message};
	sim_observers_add(observers,
			  &(struct sim_observer){.context = debug, .causes = &debug->causes});
	*out = debug;
	return 0;
}

void run_debug_destroy(struct run_debug *debug)
{
	if (!debug)
		return;
	debug_break_remove(debug, -1);
	debug_choose_finish(debug);
	free(debug->breaks);
	free(debug->ranks);
	free(debug->in);
	if (debug->fd > 0)
		close(debug->fd);
	free(debug);
}
