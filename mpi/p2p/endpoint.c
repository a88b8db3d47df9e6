/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/p2p/endpoint.h"

#include <stddef.h>
#include <stdlib.h>

#include "mpi/p2p/match.h"
#include "mpi/p2p/message.h"

#define POLL_STREAK_PS (SIM_PS_PER_S / 1000000) /* polls closer than 1 us are one streak */
#define POLL_PAUSE_MIN_PS (SIM_PS_PER_S / 1000000)
#define POLL_PAUSE_MAX_PS (SIM_PS_PER_S / 1000)
#define IDLE_WAKES_MAX 2000 /* pauses double: this is far beyond any time-out of a program */
#define IDLE_PAUSE_MAX_DOUBLINGS 50

int mpi_p2p_create(struct mpi_world *world)
{
	util_pool_init(&world->requests, sizeof(struct mpi_request));
	util_pool_init(&world->messages, sizeof(struct mpi_message));
	world->policy = mpi_match_policy_timed();
	return mpi_pair_table_create(&world->pairs);
}

static void free_payloads(struct mpi_world *world)
{
	for (int i = 0; world->ranks && i < world->n_ranks; i++) {
		struct mpi_endpoint *endpoint = world->ranks[i].endpoint;
		struct mpi_message *next;

		if (!endpoint)
			continue;
		for (struct mpi_message *m = endpoint->unexpected_first; m; m = next) {
			next = m->next;
			mpi_message_destroy(m);
		}
		free(endpoint);
	}
}

void mpi_p2p_destroy(struct mpi_world *world)
{
	free_payloads(world);
	mpi_pair_table_destroy(world->pairs);
	util_pool_finish(&world->messages);
	util_pool_finish(&world->requests);
}

static void alarm_rang(struct sim_event *event)
{
	struct mpi_endpoint *endpoint = (struct mpi_endpoint *)((char *)event - offsetof(struct mpi_endpoint, alarm));

	sim_task_wake(&endpoint->owner->pd->task);
}

/* Messages may arrive before MPI_Init: whoever comes first makes the endpoint. */
int mpi_endpoint_create(struct mpi_rank *me)
{
	if (me->endpoint)
		return 0;
	me->endpoint = calloc(1, sizeof *me->endpoint);
	if (!me->endpoint)
		return UTIL_ENOMEM;
	me->endpoint->owner = me;
	sim_event_init(&me->endpoint->alarm, alarm_rang);
	return 0;
}

void mpi_p2p_visit_messages(struct mpi_world *world, mpi_message_visit_fn visit, void *context)
{
	for (int i = 0; i < world->n_ranks; i++) {
		const struct mpi_endpoint *endpoint = world->ranks[i].endpoint;

		for (struct mpi_message *m = endpoint ? endpoint->unexpected_first : NULL; m; m = m->next)
			if (!(m->context & CHANNEL_COLL))
				visit(context, m->source, m->site);
	}
	mpi_pair_visit(world, visit, context);
}

void mpi_endpoint_block(struct mpi_rank *me)
{
	struct mpi_endpoint *endpoint = me->endpoint;
	struct sim_engine *engine = &me->pd->world->engine;
	sim_time_ps begin = engine->now, started;

	endpoint->is_blocked = true;
	endpoint->last_started = SIM_TIME_MAX;
	sim_task_block(&me->pd->task);
	endpoint->is_blocked = false;
	started = endpoint->last_started;
	if (started > engine->now)
		started = engine->now;
	if (started > begin)
		me->call_waiting += started - begin;
}

void mpi_endpoint_wake(struct mpi_rank *me)
{
	struct mpi_endpoint *endpoint = me->endpoint;

	if (endpoint->is_blocked || endpoint->is_polling)
		sim_task_wake(&me->pd->task);
}

void mpi_endpoint_poll_failed(struct mpi_rank *me)
{
	struct mpi_endpoint *endpoint = me->endpoint;
	struct sim_engine *engine = &me->pd->world->engine;
	bool is_streak = endpoint->n_polls > 0 && engine->now - endpoint->poll_end < POLL_STREAK_PS;
	sim_time_ps begin = engine->now, duration = POLL_PAUSE_MIN_PS;

	endpoint->n_polls = is_streak ? endpoint->n_polls + 1 : 1;
	if (is_streak) {
		endpoint->is_polling = true;
		if (me->pd->n_clock_reads != endpoint->n_clock_reads) {
			for (uint32_t i = 1; i < endpoint->n_polls && duration < POLL_PAUSE_MAX_PS; i++)
				duration *= 2;
			sim_engine_after(engine, &endpoint->alarm, duration);
		}
		sim_task_block(&me->pd->task);
		sim_engine_cancel(engine, &endpoint->alarm); /* woken early: something arrived */
		endpoint->is_polling = false;
		me->call_waiting += engine->now - begin;
	}
	endpoint->n_clock_reads = me->pd->n_clock_reads;
	endpoint->poll_end = engine->now;
}

bool mpi_world_wake_pollers(struct mpi_world *world)
{
	struct sim_engine *engine = &world->pd->engine;
	uint64_t doublings = world->n_idle_wakes < IDLE_PAUSE_MAX_DOUBLINGS ? world->n_idle_wakes : IDLE_PAUSE_MAX_DOUBLINGS;
	bool is_any = false;

	if (world->n_idle_wakes++ >= IDLE_WAKES_MAX)
		return false;
	for (int i = 0; i < world->n_ranks; i++) {
		struct mpi_rank *me = &world->ranks[i];

		if (!me->endpoint || !me->endpoint->is_polling)
			continue;
		sim_engine_after(engine, &me->endpoint->alarm, (sim_time_ps)(UINT64_C(1) << doublings));
		is_any = true;
	}
	return is_any;
}
