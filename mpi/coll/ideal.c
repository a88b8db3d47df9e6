/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives by formula: where the ranks of an operation meet, and who waits for whom. */
#include "mpi/coll/ideal.h"

#include <stddef.h>
#include <stdlib.h>

#include "mpi/coll/algorithms.h"
#include "mpi/p2p/causes.h"
#include "util/error.h"

_Noreturn void mpi_ideal_fail_memory(struct mpi_rank *me, const struct mpi_ideal *ideal)
{
	pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for %s of %d ranks",
		mpi_coll_kind_name(ideal->kind), ideal->n);
}

/* --- the meeting --- */

static void finish(void *shared)
{
	struct mpi_ideal *ideal = shared;
	struct mpi_ideal_leaving *leaving;

	while ((leaving = util_list_pop(&ideal->leaving)))
		free(leaving);
	for (int i = 0; i < ideal->n && ideal->slots; i++) {
		free(ideal->slots[i].data);
		free(ideal->slots[i].ends);
	}
	free(ideal->slots);
	mpi_ideal_traffic_finish(&ideal->traffic);
}

/* For ranks of one communicator only, which shares nothing. */
static void init(struct mpi_rank *me, const struct mpi_coll *coll, struct mpi_ideal *ideal)
{
	ideal->n = coll->size;
	ideal->kind = coll->kind;
	ideal->root = coll->given.root;
	ideal->error = MPI_SUCCESS;
	ideal->slots = calloc((size_t)ideal->n, sizeof *ideal->slots);
	if (!ideal->slots)
		mpi_ideal_fail_memory(me, ideal);
	mpi_ideal_traffic_init(me, coll, ideal);
}

/* The meeting of this operation; the first rank to come makes it. */
static struct mpi_ideal *join(struct mpi_rank *me, const struct mpi_coll *coll)
{
	const struct mpi_meeting_key key = {MPI_MEETING_COLL, coll->comm->context,
					    (uint32_t)coll->tag, (int32_t)coll->turn, NULL};
	struct mpi_ideal *ideal = mpi_meeting_join(me->world, key, sizeof *ideal, finish);

	if (!ideal)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a collective");
	if (!ideal->slots) {
		ideal->meeting.n_left = coll->size;
		init(me, coll, ideal);
	}
	return ideal;
}

/* The last one to leave ends it. */
static void leave(struct mpi_rank *me, struct mpi_coll *coll)
{
	mpi_meeting_leave(me->world, &coll->ideal->meeting);
	coll->ideal = NULL;
}

/* --- leaving at a time --- */

static void let_go(const struct mpi_ideal_leaving *leaving, struct mpi_request *request)
{
	const struct mpi_rank *me = request->owner;
	const struct sim_causes *causes = mpi_causes_of(me);

	me->endpoint->last_started = leaving->since;
	if (leaving->cause)
		causes->formula_end(causes->context, leaving->cause, &leaving->formula,
				    me->pd->rank, mpi_causes_now(me));
	request->cause_mark = leaving->mark;
	mpi_request_complete(request, MPI_SUCCESS);
}

static void fire(struct sim_event *event)
{
	struct mpi_ideal_leaving *leaving =
	    (struct mpi_ideal_leaving *)((char *)event - offsetof(struct mpi_ideal_leaving, event));
	struct mpi_request *request;
	const struct sim_causes *causes = NULL;

	if (leaving->ideal->from_root == leaving)
		leaving->ideal->from_root = NULL;
	while ((request = util_list_pop(&leaving->requests))) {
		causes = mpi_causes_of(request->owner);
		let_go(leaving, request);
	}
	if (leaving->cause && causes)
		causes->message_end(causes->context, leaving->cause);
	util_list_remove(&leaving->ideal->leaving, leaving);
	free(leaving);
}

/* What this rank's entry lets happen: whoever is added to it leaves when the formula says. */
static struct mpi_ideal_leaving *schedule(struct mpi_rank *me, struct mpi_ideal *ideal,
					  int64_t mark)
{
	struct sim_engine *engine = &me->world->pd->engine;
	const struct sim_causes *causes = mpi_causes_of(me);
	struct mpi_ideal_leaving *leaving = calloc(1, sizeof *leaving);

	if (!leaving)
		mpi_ideal_fail_memory(me, ideal);
	leaving->ideal = ideal;
	leaving->mark = mark;
	leaving->since = engine->now;
	leaving->formula = mpi_ideal_formula(ideal);
	if (causes) {
		struct sim_cause_place place = mpi_cause_place(me);

		leaving->cause = causes->formula_begin(causes->context, &place, engine->now);
	}
	util_list_prepend(&ideal->leaving, leaving);
	sim_event_init(&leaving->event, fire);
	sim_engine_after(engine, &leaving->event, mpi_ideal_time(me, &leaving->formula));
	return leaving;
}

static void add(struct mpi_ideal_leaving *leaving, struct mpi_ideal_slot *slot)
{
	if (!slot->request)
		return;
	util_list_prepend(&leaving->requests, slot->request);
	slot->request = NULL;
}

static void add_range(struct mpi_ideal_leaving *leaving, struct mpi_ideal *ideal, int from, int end)
{
	for (int i = end - 1; i >= from; i--) /* they go in the order of ranks */
		add(leaving, &ideal->slots[i]);
}

/* --- entering --- */

/* What the rank waits for, until somebody adds it to those who leave. */
static void wait_for_others(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_ideal_slot *slot)
{
	struct mpi_request *request = mpi_request_create(me, REQUEST_COLL);

	request->channel = CHANNEL_COLL;
	request->comm = coll->comm;
	mpi_comm_retain(coll->comm);
	slot->request = request;
	mpi_coll_post(me, coll, request);
}

/* A rank that waits for nobody: it hands its message over. */
static void spend(struct mpi_rank *me, const struct mpi_ideal_slot *slot)
{
	sim_time_ps begin = me->world->pd->engine.now;
	double overhead_s = me->world->pd->cluster->protocol.send_overhead_s;

	if (overhead_s <= 0)
		return;
	sim_task_sleep(&me->pd->task, sim_time_from_s(overhead_s));
	mpi_cause_overhead(me, true, slot->size_B, begin);
}

static void enter_for_all(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_ideal *ideal)
{
	wait_for_others(me, coll, &ideal->slots[coll->rank]);
	if (ideal->n_entered == ideal->n)
		add_range(schedule(me, ideal, ideal->mark), ideal, 0, ideal->n);
}

static void enter_from_root(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_ideal *ideal)
{
	const struct mpi_ideal_slot *root = &ideal->slots[ideal->root];

	if (coll->rank == ideal->root) {
		ideal->from_root = schedule(me, ideal, root->mark);
		add_range(ideal->from_root, ideal, 0, ideal->n);
		spend(me, root);
	} else if (!root->has_entered) {
		wait_for_others(me, coll, &ideal->slots[coll->rank]);
	} else if (ideal->from_root) {
		wait_for_others(me, coll, &ideal->slots[coll->rank]);
		add(ideal->from_root, &ideal->slots[coll->rank]);
	} else {
		mpi_cause_known(me, root->mark);
	}
}

static void enter_to_root(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_ideal *ideal)
{
	if (coll->rank == ideal->root)
		wait_for_others(me, coll, &ideal->slots[coll->rank]);
	if (ideal->n_entered == ideal->n)
		add_range(schedule(me, ideal, ideal->mark), ideal, ideal->root, ideal->root + 1);
	if (coll->rank != ideal->root)
		spend(me, &ideal->slots[coll->rank]);
}

/* `n_before`: the ranks of which all had entered before. */
static void enter_in_order(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_ideal *ideal,
			   int n_before)
{
	if (coll->rank > 0)
		wait_for_others(me, coll, &ideal->slots[coll->rank]);
	if (ideal->n_prefix > n_before && ideal->n_prefix > 1)
		add_range(schedule(me, ideal, ideal->mark), ideal, n_before, ideal->n_prefix);
	if (coll->rank == 0)
		spend(me, &ideal->slots[0]);
}

static void enter(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_ideal *ideal)
{
	struct mpi_ideal_slot *slot = &ideal->slots[coll->rank];
	int n_before = ideal->n_prefix;

	mpi_ideal_put(me, coll, ideal);
	if (mpi_ideal_traffic_add(coll, ideal))
		mpi_ideal_fail_memory(me, ideal);
	slot->mark = mpi_cause_mark(me);
	slot->has_entered = true;
	ideal->n_entered++;
	mpi_ideal_fold(me, coll, ideal);
	/* where nothing is buffered nobody leaves before all have come */
	switch (me->world->buffered_B < 0 ? SIM_COLLECTIVE_ALL : mpi_coll_shape_of(coll->kind)) {
	case SIM_COLLECTIVE_FROM:
		enter_from_root(me, coll, ideal);
		break;
	case SIM_COLLECTIVE_TO:
		enter_to_root(me, coll, ideal);
		break;
	case SIM_COLLECTIVE_SCAN:
		enter_in_order(me, coll, ideal, n_before);
		break;
	default:
		enter_for_all(me, coll, ideal);
	}
}

static void do_alone(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_ideal ideal = {.n = 0};

	init(me, coll, &ideal);
	mpi_ideal_put(me, coll, &ideal);
	ideal.slots[0].has_entered = true;
	mpi_ideal_fold(me, coll, &ideal);
	mpi_ideal_take(me, coll, &ideal);
	finish(&ideal);
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	if (coll->size == 1) {
		do_alone(me, coll);
		return true;
	}
	if (coll->step == 0) {
		coll->ideal = join(me, coll);
		enter(me, coll, coll->ideal);
		if (coll->n_posted > 0)
			return false;
	}
	mpi_ideal_take(me, coll, coll->ideal);
	leave(me, coll);
	return true;
}

/* A stage of another algorithm is made of messages. */
static bool fits(const struct mpi_coll *coll)
{
	return !coll->is_part;
}

const struct mpi_coll_algorithm mpi_coll_ideal = {
    .name = "ideal",
    .kinds = MPI_COLL_KIND(N_COLL_KINDS) - 1,
    .fits = fits,
    .stages = {{NULL, run_round}},
};
