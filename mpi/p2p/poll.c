/* SPDX-License-Identifier: BSD-3-Clause */
/* Polls that find nothing: how long a streak of them pauses, and which of them cost next to
 * nothing. */
#include "mpi/p2p/poll.h"

#include "mpi/core/entry.h"
#include "mpi/p2p/causes.h"
#include "mpi/p2p/choose.h"
#include "pdexec/compute.h"

/*
 * Polls that are closer than this on average are one streak: where time is measured, an interrupt
 * makes a distance long now and then. So long that it must be work, it ends the streak. Where
 * nothing is measured, any time in between was charged for something.
 */
#define POLL_STREAK_PS (SIM_PS_PER_S / 1000000)
#define POLL_WORK_PS (SIM_PS_PER_S / 1000)
/* The pause of a poll: 1 us, twice as long after every 1000 polls of the streak, up to 1024 us. */
#define POLL_PAUSE_PS (SIM_PS_PER_S / 1000000)
enum { POLLS_PER_DOUBLING = 1000, POLL_DOUBLINGS = 10 };
/* Polls of a streak that cost nothing: where computation is measured, time passes between polls by
 * itself. */
enum { FREE_POLLS = 16, FREE_POLLS_MEASURED = 100000 };
/*
 * Where nothing is measured: a streak that paid for so many polls until something happened comes from
 * a loop that waits. From then on polls of that place in the program pause for long at once, until a
 * streak from there ends otherwise.
 */
enum { POLLS_OF_WAITING = 1000 };
/*
 * After so many, about three hours or five minutes, only an arrival ends the pause: if none comes,
 * this is a deadlock. Where nothing is measured there may be work between polls that nobody sees.
 */
enum { POLLS_MAX = 10000000, POLLS_MAX_MEASURED = 300000 };
/* Accesses to windows at one instant that cost nothing; after so many more a pause doubles. */
enum { FREE_LOOKS = 100000, LOOKS_PER_DOUBLING = 100000 };
/*
 * Quick polls (mpi/p2p/poll.h): one in so many polls of a streak ends the step. In between the loop
 * is taken to wait when it computes less than LOOP_S per poll, less than a poll takes in any
 * library; to that comes what a clock errs by. So many steps in which it computed more end them for
 * this streak.
 */
enum { QUICK_SHARE = 16, REFUSED_MAX = 16 };
#define LOOP_S 1e-7
#define LOOP_NOISE_S 1e-6

static bool is_modelled(const struct mpi_rank *me)
{
	return me->pd->world->config.mode == PD_COMPUTE_MODELLED;
}

static uint32_t n_free(const struct mpi_rank *me)
{
	return is_modelled(me) ? FREE_POLLS : FREE_POLLS_MEASURED;
}

/* Until something happens that concerns the rank, and no longer than `length`. */
static void pause_for(struct mpi_rank *me, sim_time_ps length)
{
	struct mpi_endpoint *endpoint = me->endpoint;
	struct sim_engine *engine = &me->pd->world->engine;
	sim_time_ps begin = engine->now;

	endpoint->wait.kind = MPI_WAIT_POLL;
	endpoint->is_blocked = true;
	endpoint->has_news =
	    mpi_connections_attend(me); /* a send has ended: nobody would wake it */
	mpi_cause_block(me);
	if (!endpoint->has_news) {
		if (length != SIM_TIME_MAX)
			sim_engine_after(engine, &endpoint->alarm, length);
		sim_task_block(&me->pd->task);
		sim_engine_cancel(engine, &endpoint->alarm);
	}
	endpoint->is_blocked = false;
	mpi_wait_is_over(endpoint);
	mpi_connections_leave(me);
	mpi_cause_resume(me, begin);
	if (endpoint->has_news) /* something arrived: the program may have to look several times to
				   find it */
		endpoint->n_polls = 0;
	me->call_waiting += engine->now - begin;
}

static void pause_poll(struct mpi_rank *me, uint32_t n_paid)
{
	uint32_t doublings = n_paid / POLLS_PER_DOUBLING;
	const void *site = me->pd->site;

	if (me->world->waiting_site == site && site)
		doublings = POLL_DOUBLINGS;
	me->endpoint->paused_site = site;
	if (n_paid >= (uint32_t)(is_modelled(me) ? POLLS_MAX : POLLS_MAX_MEASURED))
		pause_for(me, SIM_TIME_MAX);
	else
		pause_for(me, POLL_PAUSE_PS
				  << (doublings < POLL_DOUBLINGS ? doublings : POLL_DOUBLINGS));
	if (!me->endpoint->has_news)
		return;
	me->endpoint->paused_site = NULL;
	if (n_paid >= POLLS_OF_WAITING && is_modelled(me))
		me->world->waiting_site = site;
}

/* A streak begins: the one before, if it paused, ended by something else than news. */
static void begin_streak(struct mpi_rank *me)
{
	struct mpi_endpoint *endpoint = me->endpoint;

	if (endpoint->paused_site && endpoint->paused_site == me->world->waiting_site)
		me->world->waiting_site = NULL;
	endpoint->paused_site = NULL;
	endpoint->n_polls = 0;
	endpoint->n_refused = 0;
	endpoint->poll_work = 0;
}

void mpi_poll_charge(struct mpi_rank *me)
{
	double probe_s = me->pd->world->cluster->protocol.probe_s;

	/* a pause stands for the polls that it is in the place of */
	if (probe_s > 0 && me->endpoint->n_polls <= n_free(me))
		pd_compute_charge(me->pd, NULL, probe_s);
}

/* Whether a poll that comes `distance` after the end of the last one goes on with its streak. */
static bool goes_on(const struct mpi_rank *me, sim_time_ps distance)
{
	const struct mpi_endpoint *endpoint = me->endpoint;

	if (is_modelled(me)) /* what the poll before has cost may have been stretched by contention */
		return distance <= 2 * sim_time_from_s(me->pd->world->cluster->protocol.probe_s /
						       me->pd->world->cluster->cpu.speed[me->pd->node]);
	return distance < POLL_WORK_PS &&
	       endpoint->poll_work + distance < (endpoint->n_polls + 1) * POLL_STREAK_PS;
}

/* How many polls may follow without the end of a step. */
static uint32_t n_quick_after(const struct mpi_rank *me)
{
	const struct mpi_endpoint *endpoint = me->endpoint;
	const struct pd_world *world = me->pd->world;

	if (is_modelled(me) || endpoint->n_polls < MPI_POLL_QUICK_FROM ||
	    endpoint->n_polls >= FREE_POLLS_MEASURED || endpoint->n_refused >= REFUSED_MAX ||
	    me->world->tells_polls || me->world->choice ||
	    (world->observers.wanted & SIM_OBSERVED_CALL && !world->observers.tally))
		return 0;
	return endpoint->n_polls / QUICK_SHARE;
}

int mpi_poll_answer(struct mpi_rank *me, const char *function)
{
	struct mpi_endpoint *endpoint = me->endpoint;
	struct pd_world *world = me->pd->world;

	endpoint->quick_step_s = me->pd->host_mark_s;
	endpoint->n_quick--;
	endpoint->n_answered++;
	endpoint->n_polls++;
	me->depth = 0;
	if (world->observers.tally)
		sim_tally_add_call(world->observers.tally, me->tally, function, world->engine.now,
				   world->engine.now, 0);
	return MPI_SUCCESS;
}

/* How long the rank waits for what it computed in the answered polls; 0: it computed, or nothing. */
static sim_time_ps take_pause(struct mpi_rank *me)
{
	struct mpi_endpoint *endpoint = me->endpoint;
	struct pd_rank *pd = me->pd;
	double work_s;

	if (!mpi_poll_is_open(me))
		return 0;
	work_s = pd_compute_take(pd);
	if (work_s > LOOP_S * (endpoint->n_answered + 1) + LOOP_NOISE_S) { /* it computes */
		pd_compute_give_back(pd, work_s);
		work_s = 0;
		endpoint->n_refused++;
	} else if (endpoint->n_refused > 0)
		endpoint->n_refused--;
	return sim_time_from_s(work_s / pd->world->cluster->cpu.speed[pd->node]);
}

void mpi_poll_again(struct mpi_rank *me, uint32_t n, sim_time_ps pause)
{
	struct pd_world *world = me->pd->world;
	const char *function = me->endpoint->poll_function;
	sim_time_ps now = world->engine.now;

	if (!function) /* a trace of nobody's */
		function = me->pd->function;
	me->endpoint->n_polls += n;
	for (uint32_t i = 0; world->observers.tally && i < n; i++)
		sim_tally_add_call(world->observers.tally, me->tally, function, now, now, 0);
	if (pause > 0)
		pause_for(me, pause);
}

struct mpi_polls mpi_poll_begin(struct mpi_rank *me, const char *function, const void *site)
{
	struct mpi_polls polls = {.n = me->endpoint->n_answered, .pause = take_pause(me)};

	me->endpoint->n_answered = 0;
	mpi_entry_begin(me, function, site);
	if (polls.pause > 0)
		pause_for(me, polls.pause);
	return polls;
}

struct mpi_rank *mpi_poll_enter(const char *function, const void *site)
{
	struct pd_rank *pd = pd_current;
	struct mpi_rank *me = pd ? pd->mpi : NULL;
	struct mpi_endpoint *endpoint = me ? me->endpoint : NULL;
	sim_time_ps pause;

	if (!endpoint || endpoint->n_answered == 0 || !mpi_poll_is_open(me) ||
	    pd->world->thread != pd_arch_thread_pointer())
		return mpi_entry_enter(function, site);
	pause = take_pause(me);
	endpoint->n_answered = 0;
	me = mpi_entry_enter(function, site);
	if (pause > 0)
		pause_for(me, pause);
	return me;
}

void mpi_endpoint_poll_failed(struct mpi_rank *me)
{
	struct mpi_endpoint *endpoint = me->endpoint;
	const struct sim_engine *engine = &me->pd->world->engine;
	sim_time_ps distance = engine->now - endpoint->poll_end;

	if (mpi_asks(me)) /* whoever answers bounds them */
		return;
	if (endpoint->n_polls == 0 || !goes_on(me, distance)) {
		begin_streak(me);
		distance = 0;
	}
	endpoint->n_polls++;
	endpoint->poll_work += distance;
	if (endpoint->n_polls > n_free(me))
		pause_poll(me, endpoint->n_polls - n_free(me) - 1);
	endpoint->poll_end = engine->now;
	endpoint->poll_function = me->pd->function;
	endpoint->n_quick = n_quick_after(me);
	endpoint->n_answered = 0;
	endpoint->quick_step_s = 0;
}

void mpi_endpoint_looked(struct mpi_rank *me)
{
	struct mpi_endpoint *endpoint = me->endpoint;
	const struct sim_engine *engine = &me->pd->world->engine;
	uint32_t doublings;

	endpoint->n_looks = engine->now == endpoint->looked_at ? endpoint->n_looks + 1 : 0;
	if (endpoint->n_looks > FREE_LOOKS) {
		doublings = (endpoint->n_looks - FREE_LOOKS) / LOOKS_PER_DOUBLING;
		pause_for(me, POLL_PAUSE_PS
				  << (doublings < POLL_DOUBLINGS ? doublings : POLL_DOUBLINGS));
	}
	endpoint->looked_at = engine->now;
}
