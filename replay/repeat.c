/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/repeat.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/coll/uses.h"
#include "mtrace/repeat.h"
#include "netmodel/repeat.h"
#include "replay/call.h"
#include "replay/state.h"
#include "replay/tape.h"

enum {
	MAX_SPAN = 4096,    /* looks at most between an anchor and the next one */
	WORTH_A_TAPE = 2,   /* repetitions: the tape takes one */
	LONG_PAUSE = 1024,  /* looks left out after a repetition that was too long for a tape */
	MAX_JUMP = 1 << 24, /* entries of the tape told in one jump, between looks at signals */
};
/* No jump goes further: the clock's end is far. */
#define MAX_TIME (SIM_TIME_MAX / 4)

/* What was counted so far. */
struct counters {
	uint64_t mpi[4];
	uint64_t n_events, n_switches;
	struct net_stats net;
};

struct replay_repeat {
	struct sim_instant_hook hook;
	struct replay *replay;
	struct util_words state, anchor; /* now; at the anchor */
	/* in which computations end that end at one time */
	struct util_words order, anchor_order;
	bool is_orderless; /* that makes no difference but to what n_ordered counts */
	uint64_t anchor_ordered, alike_hash;
	int n_alike; /* periods so far that differ in that order only, one after the other */
	bool has_anchor;
	sim_time_ps anchor_time;
	uint64_t anchor_unlike;
	struct counters counters;
	uint64_t *positions;	   /* [n_ranks]: of their streams at the anchor */
	int n_since, span;	   /* looks since the anchor; after so many it moves here */
	int pause;
	struct replay_tape tape;
	struct mtrace_cursor scout;
};

/* --- anchors --- */

static uint64_t count_ordered(const struct replay *replay)
{
	return replay->n_ordered + replay->mpi->n_steps_in_mpi;
}

static void swap_words(struct util_words *a, struct util_words *b)
{
	struct util_words words = *a;

	*a = *b;
	*b = words;
}

static void count(const struct replay *replay, struct counters *out)
{
	const struct mpi_world *mpi = replay->mpi;
	const struct sim_engine *engine = &replay->world->engine;

	*out = (struct counters){
	    .mpi = {mpi->n_messages, mpi->n_bytes, mpi->n_collective_messages,
		    mpi->n_collective_bytes},
	    .n_events = engine->n_events,
	    .n_switches = engine->n_switches,
	    .net = net_model_stats(replay->world->model),
	};
}

static uint64_t position(const struct replay_rank *rank)
{
	const struct mtrace_cursor *c = &rank->cursor;

	return c->position + (uint64_t)(c->at - c->begin);
}

/* Later looks compare with what is now; it has been described. */
static void drop_anchor(struct replay_repeat *repeat)
{
	const struct replay *replay = repeat->replay;

	swap_words(&repeat->anchor, &repeat->state);
	swap_words(&repeat->anchor_order, &repeat->order);
	repeat->anchor_ordered = count_ordered(replay);
	repeat->has_anchor = true;
	repeat->anchor_time = replay->world->engine.now;
	repeat->anchor_unlike = replay->n_unlike;
	repeat->n_since = 0;
	count(replay, &repeat->counters);
	mpi_coll_uses_mark(replay->mpi->coll_uses);
	net_model_mark(replay->world->model);
	for (int i = 0; i < replay->file->n_ranks; i++)
		repeat->positions[i] = position(&replay->ranks[i]);
}

/* --- jumps --- */

static uint64_t length_of(const struct replay_repeat *repeat, int rank)
{
	return position(&repeat->replay->ranks[rank]) - repeat->positions[rank];
}

/* How often what all ranks have read since the anchor follows again, at most `most` times. */
static uint64_t count_repetitions(struct replay_repeat *repeat, uint64_t most)
{
	const struct replay *replay = repeat->replay;
	sim_time_ps now = replay->world->engine.now, period = now - repeat->anchor_time;

	if (period <= 0 || now > MAX_TIME)
		return 0;
	if (most > (uint64_t)((MAX_TIME - now) / period))
		most = (uint64_t)((MAX_TIME - now) / period);
	for (int i = 0; i < replay->file->n_ranks && most > 0; i++) {
		const struct mtrace_cursor *cursor = &replay->ranks[i].cursor;
		uint64_t length_B = length_of(repeat, i);

		if (length_B > 0)
			most = mtrace_cursor_repeats(cursor, &repeat->scout, length_B, most);
	}
	return most;
}

static void jump_ranks(struct replay_repeat *repeat, uint64_t n)
{
	for (int i = 0; i < repeat->replay->file->n_ranks; i++)
		mtrace_cursor_skip(&repeat->replay->ranks[i].cursor, n * length_of(repeat, i));
}

static void jump_counters(struct replay_repeat *repeat, uint64_t n, sim_time_ps duration)
{
	struct pd_world *world = repeat->replay->world;
	struct mpi_world *mpi = repeat->replay->mpi;
	const struct counters *before = &repeat->counters;
	struct counters now;
	struct net_stats more;

	count(repeat->replay, &now);
	mpi->n_messages += n * (now.mpi[0] - before->mpi[0]);
	mpi->n_bytes += n * (now.mpi[1] - before->mpi[1]);
	mpi->n_collective_messages += n * (now.mpi[2] - before->mpi[2]);
	mpi->n_collective_bytes += n * (now.mpi[3] - before->mpi[3]);
	mpi_coll_uses_repeat(mpi->coll_uses, n);
	world->engine.n_events += n * (now.n_events - before->n_events);
	world->engine.n_switches += n * (now.n_switches - before->n_switches);
	more = (struct net_stats){
	    .n_transfers = n * (now.net.n_transfers - before->net.n_transfers),
	    .n_rate_updates = n * (now.net.n_rate_updates - before->net.n_rate_updates),
	    .n_rate_changes = n * (now.net.n_rate_changes - before->net.n_rate_changes),
	    .n_algorithm1_infeasible =
		n * (now.net.n_algorithm1_infeasible - before->net.n_algorithm1_infeasible),
	};
	net_model_jump(world->model, duration, n, &more);
}

/* Over `n` repetitions of what happened since the anchor. */
static void jump(struct replay_repeat *repeat, uint64_t n)
{
	struct pd_world *world = repeat->replay->world;
	sim_time_ps period = world->engine.now - repeat->anchor_time;
	sim_time_ps duration = (sim_time_ps)n * period;

	replay_tape_stop(&repeat->tape);
	for (uint64_t i = 1; i <= n; i++)
		replay_tape_play(&repeat->tape, world->programs[0].store, (sim_time_ps)i * period);
	jump_ranks(repeat, n);
	jump_counters(repeat, n, duration);
	sim_engine_jump(&world->engine, duration);
}

/* --- looks --- */

static bool is_told(const struct replay *replay)
{
	const unsigned int repeated = SIM_OBSERVED_COMPUTE | SIM_OBSERVED_CALL |
				      SIM_OBSERVED_MESSAGE | SIM_OBSERVED_PHASE;

	return replay->world->observers.wanted & repeated || replay->has_bench;
}

/* The anchor is here, with a tape that starts or without. */
static void start_again(struct replay_repeat *repeat, bool with_tape)
{
	replay_tape_stop(&repeat->tape);
	if (with_tape)
		replay_tape_start(&repeat->tape, &repeat->replay->world->observers);
	drop_anchor(repeat);
}

/*
 * All is as it was at the anchor but for the order of what ends at one time. Where that makes no
 * difference, two periods in a row say so: they have told the same. True: the next one has begun.
 */
static bool compare_period(struct replay_repeat *repeat)
{
	uint64_t hash = is_told(repeat->replay)
			    ? replay_tape_hash(&repeat->tape, repeat->anchor_time)
			    : 0;

	if (repeat->n_alike > 0 && hash == repeat->alike_hash)
		return false;
	repeat->alike_hash = hash;
	repeat->n_alike++;
	start_again(repeat, is_told(repeat->replay));
	return true;
}

/* All is as it was at the anchor. False when what was read since then does not follow again. */
static bool meet(struct replay_repeat *repeat)
{
	struct replay *replay = repeat->replay;
	bool is_taped = !is_told(replay) || repeat->tape.runs;
	bool is_same = util_words_equal(&repeat->order, &repeat->anchor_order);
	uint64_t most = is_taped ? MAX_JUMP / (repeat->tape.n + 1) + 1 : WORTH_A_TAPE;
	uint64_t n =
	    replay->n_unlike == repeat->anchor_unlike ? count_repetitions(repeat, most) : 0;

	if (n == 0 || (!is_taped && n < WORTH_A_TAPE))
		return false;
	if (!is_taped) {
		start_again(repeat, true);
	} else if (repeat->tape.is_lost) {
		start_again(repeat, false);
		repeat->pause = LONG_PAUSE;
	} else if (is_same || !compare_period(repeat)) {
		jump(repeat, n);
		repeat->n_alike = 0;
		start_again(repeat, false);
	}
	return true;
}

static bool is_as_at_anchor(const struct replay_repeat *repeat)
{
	if (!repeat->has_anchor || !util_words_equal(&repeat->state, &repeat->anchor))
		return false;
	return util_words_equal(&repeat->order, &repeat->anchor_order) ||
	       (repeat->is_orderless && count_ordered(repeat->replay) == repeat->anchor_ordered);
}

static void look(struct replay_repeat *repeat)
{
	if (repeat->pause > 0) {
		repeat->has_anchor = --repeat->pause > 0 && repeat->has_anchor;
		return;
	}
	util_words_clear(&repeat->state);
	util_words_clear(&repeat->order);
	if (!replay_state_describe(repeat->replay, &repeat->state, &repeat->order))
		return;
	if (is_as_at_anchor(repeat) && meet(repeat))
		return;
	if (!repeat->has_anchor || ++repeat->n_since >= repeat->span) {
		repeat->n_alike = 0;
		start_again(repeat, false);
		repeat->span = repeat->span < MAX_SPAN ? 2 * repeat->span : MAX_SPAN;
	}
}

static void run_hook(struct sim_instant_hook *hook)
{
	struct replay_repeat *repeat = (struct replay_repeat *)hook;
	struct sim_engine *engine = &repeat->replay->world->engine;

	/* whatever else this instant brings comes first */
	if (engine->hook_first)
		sim_engine_at_instant_end(engine, hook);
	else
		look(repeat);
}

void replay_repeat_look(struct replay_repeat *repeat)
{
	const struct replay *replay = repeat->replay;

	if (replay->n_computing == replay->world->n_running && replay->mpi->messages.n_live == 0)
		sim_engine_at_instant_end(&replay->world->engine, &repeat->hook);
}

void replay_repeat_kernel(struct replay_repeat *repeat, const char *name, int n_params,
			  const double params[])
{
	replay_tape_kernel(&repeat->tape, name, n_params, params);
}

/* --- life --- */

int replay_repeat_create(struct replay *replay, struct replay_repeat **out, struct util_error *err)
{
	const struct pd_world *world = replay->world;
	struct replay_repeat *repeat;

	*out = NULL;
	if (world->observers.wanted & SIM_OBSERVED_COLLECTIVE || world->observers.causes || world->config.vary_kernels ||
	    !net_model_is_timeless(world->model))
		return 0;
	repeat = calloc(1, sizeof *repeat);
	if (repeat)
		repeat->positions = calloc((size_t)replay->file->n_ranks, sizeof *repeat->positions);
	if (!repeat || !repeat->positions) {
		free(repeat);
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a replay");
	}
	repeat->hook.run = run_hook;
	repeat->replay = replay;
	repeat->span = 1;
	repeat->is_orderless = net_model_is_orderless(world->model) &&
			       !replay->mpi->has_send_overhead && !replay->mpi->has_recv_overhead;
	*out = repeat;
	return 0;
}

void replay_repeat_destroy(struct replay_repeat *repeat)
{
	if (!repeat)
		return;
	replay_tape_finish(&repeat->tape);
	mtrace_cursor_close(&repeat->scout);
	util_words_finish(&repeat->state);
	util_words_finish(&repeat->anchor);
	util_words_finish(&repeat->order);
	util_words_finish(&repeat->anchor_order);
	free(repeat->positions);
	free(repeat);
}
