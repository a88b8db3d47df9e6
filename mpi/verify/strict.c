/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The strict view: every rank goes through its calls once more, and a send blocks until its receive
 * is posted, a collective until all members have called it. What buffering lets pass in the run is
 * seen here to block. A rank's steps are forgotten as soon as they are done, so that a program
 * that needs no buffering keeps none.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi/comm/group.h"
#include "mpi/verify/shadow.h"

/* So many steps of one rank are kept; a program that depends on buffering at each step of its loop
 * is known to do so long before. */
enum { MAX_STEPS = 100000 };

bool mpi_shadow_is_done(const struct mpi_shadow_op *op)
{
	if (op->is_dead || op->is_met)
		return true;
	if (op->kind == SHADOW_COLL)
		return op->together->n_posted == op->together->n_members;
	if (op->kind == SHADOW_SEND && op->mode == SEND_BUFFERED)
		return true;
	return op->is_paired && op->pair->is_posted[!op->kind];
}

/* What is done stays done: those of which all are waited for are gone through once. */
static bool all_are_done(struct mpi_shadow_step *step)
{
	while (step->n_done < step->n && mpi_shadow_is_done(step->ops[step->n_done]))
		step->n_done++;
	return step->n_done == step->n;
}

static bool may_pass(struct mpi_shadow_step *step)
{
	if (step->is_open)
		return false;
	if (step->kind == STEP_SEEN)
		return step->few[0]->is_posted || step->few[0]->is_dead;
	if (step->kind == STEP_ALL || step->n == 0)
		return all_are_done(step);
	for (int i = 0; i < step->n; i++)
		if (mpi_shadow_is_done(step->ops[i]))
			return true;
	return false;
}

/* A probe has found the send, which is posted only now. */
static void look_for_probe(struct mpi_shadow *shadow, const struct mpi_shadow_op *send)
{
	const struct mpi_shadow_step *step = shadow->ranks[send->peer].first;

	if (step && step->kind == STEP_SEEN)
		mpi_shadow_look_at(shadow, send->peer);
}

static void post_together(struct mpi_shadow *shadow, struct mpi_shadow_together *together,
			  int place)
{
	if (together->is_posted[place])
		return;
	together->is_posted[place] = true;
	if (++together->n_posted == together->n_members)
		for (int i = 0; i < together->n_members; i++)
			mpi_shadow_look_at(shadow, together->members[i]);
}

static void post(struct mpi_shadow *shadow, struct mpi_shadow_op *op)
{
	struct mpi_shadow_pair *pair = op->is_paired ? op->pair : NULL;

	op->is_posted = true;
	if (op->is_met)
		return;
	if (pair) {
		pair->is_posted[op->kind] = true;
		if (pair->op[!op->kind])
			mpi_shadow_look_for(shadow, pair->op[!op->kind]);
		if (pair->is_posted[!op->kind])
			mpi_shadow_unlink_pair(shadow, pair);
	}
	if (op->kind == SHADOW_SEND && !pair)
		look_for_probe(shadow, op);
	if (op->kind == SHADOW_COLL)
		post_together(shadow, op->together, op->place);
}

static void drop_first(struct mpi_shadow *shadow, struct mpi_shadow_rank *rank)
{
	struct mpi_shadow_step *step = rank->first;

	rank->first = step->next;
	if (!rank->first)
		rank->last = NULL;
	rank->n_steps--;
	for (int i = 0; i < step->n; i++)
		mpi_shadow_release(shadow, step->ops[i]);
	if (step->ops != step->few)
		free(step->ops);
	util_pool_put(&shadow->steps, step);
}

static void go_on(struct mpi_shadow *shadow, struct mpi_shadow_rank *rank)
{
	while (rank->first) {
		struct mpi_shadow_step *step = rank->first;

		for (int i = 0; step->kind == STEP_POST && i < step->n; i++)
			post(shadow, step->ops[i]);
		if (step->kind != STEP_POST && !may_pass(step))
			return;
		drop_first(shadow, rank);
	}
}

void mpi_shadow_advance(struct mpi_shadow *shadow)
{
	if (shadow->is_looking || shadow->is_given_up)
		return;
	shadow->is_looking = true;
	while (shadow->n_to_look > 0) {
		struct mpi_shadow_rank *rank = &shadow->ranks[shadow->to_look[--shadow->n_to_look]];

		rank->is_listed = false;
		go_on(shadow, rank);
	}
	shadow->is_looking = false;
}

static struct mpi_shadow_step *append(struct mpi_shadow *shadow, struct mpi_rank *me, int kind)
{
	struct mpi_shadow_rank *rank = &shadow->ranks[me->rank];
	struct mpi_shadow_step *step = util_pool_get(&shadow->steps);

	if (!step)
		mpi_shadow_fail_memory(shadow);
	*step = (struct mpi_shadow_step){.kind = kind,
					 .call = {me->rank, me->pd->function, me->pd->site}};
	step->ops = step->few;
	if (rank->last)
		rank->last->next = step;
	else
		rank->first = step;
	rank->last = step;
	rank->n_steps++;
	if (rank->n_steps > MAX_STEPS)
		shadow->is_full = true;
	return step;
}

void mpi_shadow_post(struct mpi_shadow *shadow, struct mpi_rank *me, struct mpi_shadow_op *op)
{
	struct mpi_shadow_step *step;

	if (!op || op->is_posted || shadow->is_given_up)
		return;
	step = shadow->ranks[me->rank].last;
	if (!step) { /* it is as far as the run is */
		post(shadow, op);
		return;
	}
	if (step->kind != STEP_POST || step->n == SHADOW_FEW)
		step = append(shadow, me, STEP_POST);
	step->few[step->n++] = op;
	op->n_references++;
}

/* The first one that is not done. */
static int first_open(int n, struct mpi_shadow_op *const ops[])
{
	int i = 0;

	while (i < n && (!ops[i] || mpi_shadow_is_done(ops[i])))
		i++;
	return i;
}

struct mpi_shadow_step *mpi_shadow_wait(struct mpi_shadow *shadow, struct mpi_rank *me, int n,
					struct mpi_shadow_op *const ops[], bool any)
{
	struct mpi_shadow_step *step;
	int first = any ? 0 : first_open(n, ops);

	if (shadow->is_given_up)
		return NULL;
	if (!any && n > 0 && !shadow->ranks[me->rank].first && first == n)
		return NULL;
	step = append(shadow, me, any ? STEP_ANY : STEP_ALL);
	if (n - first > SHADOW_FEW)
		step->ops = mpi_shadow_room(shadow, (size_t)(n - first), sizeof *step->ops);
	for (int i = first; i < n; i++)
		if (ops[i] && (any || !mpi_shadow_is_done(ops[i]))) {
			step->ops[step->n++] = ops[i];
			ops[i]->n_references++;
		}
	if (any || step->n == 0) /* else one is not done, or the step is not the rank's first */
		mpi_shadow_look_at(shadow, me->rank);
	return step;
}

/* --- who can never go on --- */

/* A message for a receive from any source that the run has not decided on: it is on its way. */
static bool is_sent(const struct mpi_shadow *shadow, const struct mpi_shadow_op *recv,
		    const bool is_stuck[])
{
	const struct mpi_shadow_rank *rank = &shadow->ranks[recv->rank];
	const struct mpi_shadow_queue *queue =
	    recv->context < rank->n_queues ? rank->queues[recv->context] : NULL;
	const struct mpi_shadow_op *send = queue ? queue->of[SHADOW_SEND].first : NULL;

	while (send && !((send->is_posted || !is_stuck[send->rank]) &&
			 (recv->tag == send->tag || recv->tag == MPI_ANY_TAG)))
		send = send->link.next;
	return send != NULL;
}

/* Whether the operation may yet be done, where those that are not marked go on. */
static bool may_be_done(const struct mpi_shadow *shadow, const struct mpi_shadow_op *op,
			const bool is_stuck[])
{
	if (mpi_shadow_is_done(op))
		return true;
	if (op->kind == SHADOW_COLL) {
		for (int i = 0; i < op->together->n_members; i++)
			if (!op->together->is_posted[i] && is_stuck[op->together->members[i]])
				return false;
		return true;
	}
	if (op->is_paired)
		return !is_stuck[op->pair->rank[!op->kind]];
	if (!op->is_wild)
		return !is_stuck[op->peer];
	for (int i = 0; i < op->peers->size; i++) {
		int peer = mpi_group_world_rank(op->peers, i);

		if (peer != op->rank && !is_stuck[peer])
			return true;
	}
	return is_sent(shadow, op, is_stuck);
}

static int n_free(const struct mpi_shadow *shadow, const bool is_stuck[])
{
	int n = 0;

	for (int rank = 0; rank < shadow->world->n_ranks; rank++)
		n += !is_stuck[rank];
	return n;
}

static bool may_go_on(const struct mpi_shadow *shadow, int rank, const bool is_stuck[])
{
	const struct mpi_shadow_step *step = shadow->ranks[rank].first;
	int n = 0;

	if (!step) /* as far as the run is: it does what it likes, unless it has ended */
		return !shadow->world->ranks[rank].pd || !shadow->world->ranks[rank].pd->has_ended;
	if (step->is_open)
		return step->source >= 0 ? !is_stuck[step->source] : n_free(shadow, is_stuck) > 0;
	if (step->kind == STEP_SEEN)
		return step->few[0]->is_posted || !is_stuck[step->few[0]->rank];
	for (int i = 0; i < step->n; i++)
		n += may_be_done(shadow, step->ops[i], is_stuck);
	return step->kind == STEP_ANY ? n > 0 : n == step->n;
}

/* Releases whoever can go on, until nobody can; returns how many are left. */
static int release(struct mpi_shadow *shadow, bool is_stuck[])
{
	bool changed = true;
	int n = 0;

	while (changed) {
		changed = false;
		for (int rank = 0; rank < shadow->world->n_ranks; rank++)
			if (is_stuck[rank] && may_go_on(shadow, rank, is_stuck)) {
				is_stuck[rank] = false;
				changed = true;
			}
	}
	for (int rank = 0; rank < shadow->world->n_ranks; rank++)
		n += is_stuck[rank] = is_stuck[rank] && shadow->ranks[rank].first;
	return n;
}

int mpi_shadow_find_stuck(struct mpi_shadow *shadow, bool is_stuck[])
{
	for (int rank = 0; rank < shadow->world->n_ranks; rank++)
		is_stuck[rank] = true;
	return release(shadow, is_stuck);
}

/* It waits in the run for what it waits for in the strict view. */
static bool is_blocked(const struct mpi_shadow *shadow, int rank)
{
	const struct mpi_shadow_rank *r = &shadow->ranks[rank];
	const struct pd_rank *pd = &shadow->world->pd->ranks[rank];

	return !pd->has_ended && pd != pd_current && r->n_steps == 1 && !r->first->is_open &&
	       pd->site == r->first->call.site && pd->function &&
	       strcmp(pd->function, r->first->call.function) == 0;
}

int mpi_shadow_find_blocked(struct mpi_shadow *shadow, bool is_stuck[])
{
	for (int rank = 0; rank < shadow->world->n_ranks; rank++)
		is_stuck[rank] =
		    shadow->world->pd->ranks[rank].has_ended || is_blocked(shadow, rank);
	return release(shadow, is_stuck);
}

/* --- other messages for receives from any source --- */

static bool takes(const struct mpi_shadow_op *recv, const struct mpi_shadow_op *send)
{
	return (recv->was_wild || recv->peer == send->rank) &&
	       (recv->given_tag == send->tag || recv->given_tag == MPI_ANY_TAG);
}

static void swap_sends(struct mpi_shadow *shadow, struct mpi_shadow_pair *a,
		       struct mpi_shadow_pair *b)
{
	struct mpi_shadow_op *send = a->op[0];
	bool is_posted = a->is_posted[0];

	a->op[0] = b->op[0];
	a->is_posted[0] = b->is_posted[0];
	b->op[0] = send;
	b->is_posted[0] = is_posted;
	for (int i = 0; i < 2; i++) {
		struct mpi_shadow_pair *pair = i ? b : a;

		pair->rank[0] = pair->op[0]->rank;
		pair->op[0]->pair = pair;
		mpi_shadow_look_at(shadow, pair->rank[0]);
		mpi_shadow_look_at(shadow, pair->rank[1]);
	}
}

/*
 * A receive from any source waits for a message that is not sent yet, in the strict view; another
 * that fits it is sent, for a later receive: in this view it comes first.
 */
static bool take_another(struct mpi_shadow *shadow, struct mpi_shadow_op *recv)
{
	struct mpi_shadow_pair *mine = recv->is_paired ? recv->pair : NULL, *oldest = NULL;

	if (recv->kind != SHADOW_RECV || !recv->was_wild || !mine || !mine->op[0] ||
	    mine->is_posted[0] || !mine->is_posted[1])
		return false;
	for (struct mpi_shadow_pair *other = mine->queue ? mine->queue->pairs.first : NULL; other;
	     other = other->link.next)
		if (other != mine && other->is_posted[0] && !other->is_posted[1] && other->op[0] &&
		    other->op[1] && takes(recv, other->op[0]) && takes(other->op[1], mine->op[0]))
			oldest = other;
	if (!oldest)
		return false;
	swap_sends(shadow, mine, oldest);
	mpi_shadow_unlink_pair(shadow, mine);
	return true;
}

bool mpi_shadow_rematch(struct mpi_shadow *shadow)
{
	for (int rank = 0; rank < shadow->world->n_ranks; rank++) {
		struct mpi_shadow_step *step = shadow->ranks[rank].first;

		for (int i = 0; step && step->kind != STEP_POST && i < step->n; i++)
			if (take_another(shadow, step->ops[i]))
				return true;
	}
	return false;
}
