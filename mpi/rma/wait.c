/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that block, and what the report of a deadlock says of them. */
#include <stdio.h>
#include <stdlib.h>

#include "mpi/p2p/blocked.h"
#include "mpi/p2p/causes.h"
#include "mpi/p2p/endpoint.h"
#include "mpi/rma/operation.h"

bool rma_is_so(const struct mpi_win *win, enum rma_wait wait, int rank)
{
	const struct rma_peer *peer = rank >= 0 ? rma_peer_find(win, rank) : NULL;

	switch (wait) {
	case WAIT_REMOTE:
		return rank < 0 ? win->n_remote == 0 : !peer || peer->n_remote == 0;
	case WAIT_LOCAL:
		return rank < 0 ? win->n_local == 0 : !peer || peer->n_local == 0;
	case WAIT_POSTS:
		return win->n_awaited_posts == 0;
	case WAIT_COMPLETES:
		return win->n_awaited_completes == 0;
	case WAIT_LOCK:
		return peer && peer->is_granted;
	case WAIT_LOCK_ALL:
		return win->is_all_granted;
	case WAIT_NOTICES:
		return win->n_notices == 0;
	default:
		return true;
	}
}

static bool is_over(struct mpi_rank *me, const struct mpi_wait *wait)
{
	const struct mpi_win *win = wait->context;

	return win->wait == WAIT_NOTHING;
}

static void describe(const struct mpi_wait *wait, struct mpi_blocked *out);

void rma_wait_for(struct mpi_rank *me, struct mpi_win *win, enum rma_wait wait, int rank)
{
	const struct mpi_wait over = {.kind = MPI_WAIT_CONDITION,
				      .is_satisfied = is_over,
				      .describe = describe,
				      .context = win};

	if (rma_is_so(win, wait, rank))
		return;
	win->wait = wait;
	win->wait_rank = rank;
	mpi_wait(me, &over);
	me->endpoint->n_polls = 0;
	mpi_cause_known(me, win->cause_mark);
}

void rma_changed(struct mpi_win *win, sim_time_ps started, int64_t cause_mark)
{
	struct mpi_endpoint *endpoint = win->owner->endpoint;

	if (win->wait == WAIT_REMOTE && win->wait_rank < 0 && win->n_remote > 0)
		return; /* what most find: a fence waits for all */
	if (win->wait != WAIT_NOTHING && rma_is_so(win, win->wait, win->wait_rank)) {
		win->wait = WAIT_NOTHING;
		win->cause_mark = cause_mark;
		endpoint->last_started = started;
		mpi_endpoint_wake(win->owner);
	} else if (endpoint->wait.kind == MPI_WAIT_POLL) {
		mpi_endpoint_wake(win->owner); /* MPI_Win_test, MPI_Win_sync in a loop */
	}
}

/* --- for the report --- */

static bool is_pending(const struct mpi_win *win, const struct rma_peer *peer)
{
	if (win->wait_rank >= 0 && peer->rank != win->wait_rank)
		return false;
	switch (win->wait) {
	case WAIT_REMOTE:
		return peer->n_remote > 0;
	case WAIT_LOCAL:
		return peer->n_local > 0;
	case WAIT_POSTS:
		return peer->is_awaited;
	case WAIT_COMPLETES:
		return peer->is_exposed_to;
	case WAIT_NOTICES:
		return peer->first != NULL;
	default:
		return false;
	}
}

/* Does this member hold what a lock of `target` (-1: of all) waits for? */
static bool holds(const struct mpi_win *member, int target)
{
	if (member->is_all_granted)
		return true;
	for (size_t i = 0; i < member->peers.n_slots; i++) {
		const struct rma_peer *peer = member->peers.slots[i].item;

		if (peer && peer->is_granted &&
		    (target < 0 ? peer->lock_type == MPI_LOCK_EXCLUSIVE : peer->rank == target))
			return true;
	}
	return false;
}

static const char *text_of(enum rma_wait wait)
{
	switch (wait) {
	case WAIT_REMOTE:
		return "one-sided operations to complete at";
	case WAIT_LOCAL:
		return "one-sided operations to be done with its buffers at";
	case WAIT_POSTS:
		return "MPI_Win_post of";
	case WAIT_COMPLETES:
		return "MPI_Win_complete of";
	case WAIT_LOCK:
	case WAIT_LOCK_ALL:
		return "a lock held by";
	default:
		return "one-sided messages to be taken by";
	}
}

/* The members that a blocked call waits for. */
static void add_members(struct mpi_blocked *out, const struct mpi_win *win)
{
	bool is_lock = win->wait == WAIT_LOCK || win->wait == WAIT_LOCK_ALL;

	for (int i = 0; i < win->size; i++) {
		const struct rma_peer *peer = rma_peer_find(win, i);
		const struct mpi_win *member = rma_member(win, i);

		if (is_lock ? member && member != win && holds(member, win->wait_rank)
			    : peer && is_pending(win, peer))
			mpi_blocked_add(out, mpi_group_world_rank(win->comm->group, i));
	}
}

static void describe(const struct mpi_wait *wait, struct mpi_blocked *out)
{
	const struct mpi_win *win = wait->context;
	char who[32] = "nobody any more";

	add_members(out, win);
	if (out->n == 1)
		snprintf(who, sizeof who, "rank %d", out->waits_for[0]);
	else if (out->n > 1)
		snprintf(who, sizeof who, "%d ranks", out->n);
	snprintf(out->text, sizeof out->text, "%s %s, %s", text_of(win->wait), who,
		 win->name && win->name[0] ? win->name : "a window");
}
