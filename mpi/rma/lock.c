/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who holds which window locked. A request is granted as soon as no holder is in its way; of
 * those that wait, the oldest first. A later request that is in nobody's way but that of one who
 * waits is let through, because its rank may be whom a holder waits for; but only so often, so
 * that readers cannot keep a writer out for ever.
 */
#include "mpi/p2p/choose.h"
#include "mpi/rma/operation.h"
#include "mpi/rma/rma.h"

static bool is_exclusive(const struct rma_op *op)
{
	return op->kind == RMA_LOCK && op->lock_type == MPI_LOCK_EXCLUSIVE;
}

/* Could the two not hold their locks together? */
static bool exclude_each_other(const struct rma_op *a, const struct rma_op *b)
{
	if (!is_exclusive(a) && !is_exclusive(b))
		return false;
	return a->kind == RMA_LOCK_ALL || b->kind == RMA_LOCK_ALL || a->target == b->target;
}

static bool is_free(const struct rma_op *op)
{
	const struct rma_window *window = op->origin->window;

	if (op->kind == RMA_LOCK_ALL)
		return window->n_exclusive == 0;
	if (op->target->exclusive >= 0)
		return false;
	return !is_exclusive(op) || (op->target->n_shared == 0 && window->n_all == 0);
}

static void grant(struct rma_op *op)
{
	struct rma_window *window = op->origin->window;

	if (op->kind == RMA_LOCK_ALL) {
		window->n_all++;
	} else if (is_exclusive(op)) {
		op->target->exclusive = op->origin->rank;
		window->n_exclusive++;
	} else {
		op->target->n_shared++;
	}
	rma_op_answer(op, 0);
}

/* Must the request wait for one before it that has been passed too often? Counts who is passed if
 * not. */
static bool must_queue(const struct rma_op *op)
{
	const struct rma_window *window = op->origin->window;
	int n_bypasses_max = 4 * window->n_members;

	for (const struct rma_op *w = window->waiters; w && w != op; w = w->next)
		if (exclude_each_other(op, w) && w->n_bypassed >= n_bypasses_max)
			return true;
	for (struct rma_op *w = window->waiters; w && w != op; w = w->next)
		if (exclude_each_other(op, w))
			w->n_bypassed++;
	return false;
}

/* Somebody chooses who is first: all wait until then. */
static bool is_chosen(const struct rma_op *op)
{
	return mpi_asks(op->origin->owner);
}

void rma_lock_request(struct rma_op *op)
{
	struct rma_window *window = op->origin->window;

	if (!is_chosen(op) && is_free(op) && !must_queue(op)) {
		grant(op);
		return;
	}
	op->next = NULL;
	*window->last_waiter = op;
	window->last_waiter = &op->next;
}

static void grant_waiters(struct rma_window *window)
{
	struct rma_op **link = &window->waiters, *op;

	while ((op = *link)) {
		if (!is_free(op) || must_queue(op)) {
			link = &op->next;
			continue;
		}
		*link = op->next;
		op->next = NULL;
		grant(op);
	}
	window->last_waiter = link;
}

void rma_lock_release(struct rma_op *op)
{
	struct rma_window *window = op->origin->window;

	if (op->kind == RMA_UNLOCK_ALL) {
		window->n_all--;
	} else if (op->lock_type == MPI_LOCK_EXCLUSIVE) {
		op->target->exclusive = -1;
		window->n_exclusive--;
	} else {
		op->target->n_shared--;
	}
	if (!is_chosen(op))
		grant_waiters(window);
}

static int target_of(const struct rma_op *op)
{
	return op->kind == RMA_LOCK_ALL ? -1 : op->target->owner->rank;
}

/* Each window once: with its first member. */
static struct rma_window *window_of(const struct mpi_win *win)
{
	struct rma_window *window = win->window;
	int first = 0;

	while (first < window->n_members && !window->members[first])
		first++;
	return first < window->n_members && window->members[first] == win ? window : NULL;
}

void mpi_rma_visit_locks(struct mpi_world *world,
			 void (*visit)(void *context, int rank, int target), void *context)
{
	for (int i = 0; i < world->n_ranks; i++) {
		const struct rma_host *host = world->ranks[i].rma;

		for (struct mpi_win *win = host ? host->windows.first : NULL; win; win = win->link.next) {
			struct rma_window *window = window_of(win);

			for (struct rma_op *op = window ? window->waiters : NULL; op; op = op->next)
				if (is_free(op))
					visit(context, op->origin->owner->rank, target_of(op));
		}
	}
}

static bool grant_in(struct rma_window *window, int rank, int target)
{
	for (struct rma_op **link = &window->waiters, *op; (op = *link); link = &op->next) {
		if (op->origin->owner->rank != rank || target_of(op) != target || !is_free(op))
			continue;
		*link = op->next;
		if (!op->next)
			window->last_waiter = link;
		op->next = NULL;
		grant(op);
		return true;
	}
	return false;
}

bool mpi_rma_grant(struct mpi_world *world, int rank, int target)
{
	const struct rma_host *host = world->ranks[rank].rma;

	for (struct mpi_win *win = host ? host->windows.first : NULL; win; win = win->link.next)
		if (grant_in(win->window, rank, target))
			return true;
	return false;
}
