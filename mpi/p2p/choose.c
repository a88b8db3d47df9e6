/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matching while a hook chooses. Messages and receives all queue, and this looks for pairs that the
 * standard allows: no message overtakes one of the same source that fits as well, and no receive
 * one that was posted before it.
 */
#include "mpi/p2p/choose.h"

#include <stdlib.h>

#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/match.h"

/* One receive, posted or (a probe) as if it were. */
struct wanted {
	struct mpi_request *recv; /* NULL: of a probe */
	uint32_t context;
	int source, tag;
};

static struct mpi_message *first_of_source(const struct mpi_message *before,
					   const struct mpi_endpoint *endpoint,
					   const struct wanted *w)
{
	for (struct mpi_message *m = endpoint->unexpected.first; m != before; m = m->link.next)
		if (m->source_rank == before->source_rank &&
		    mpi_match_fits(m, w->context, w->source, w->tag))
			return m;
	return NULL;
}

/* A receive that was posted earlier fits as well. */
static bool is_claimed(const struct mpi_message *message, const struct mpi_endpoint *endpoint,
		       const struct mpi_request *recv)
{
	for (const struct mpi_request *r = endpoint->posted.first; r && r != recv; r = r->link.next)
		if (mpi_match_may_take(r, message))
			return true;
	return false;
}

/* Writes at most endpoint->n_unexpected candidates. */
static int find_candidates(const struct mpi_endpoint *endpoint, const struct wanted *w,
			   struct mpi_candidate candidates[])
{
	int n = 0;

	for (struct mpi_message *m = endpoint->unexpected.first; m; m = m->link.next)
		if (mpi_match_fits(m, w->context, w->source, w->tag) &&
		    !first_of_source(m, endpoint, w) && !is_claimed(m, endpoint, w->recv))
			candidates[n++] = (struct mpi_candidate){.message = m, .recv = w->recv};
	return n;
}

/* NULL: there are none. The caller frees them. */
static struct mpi_candidate *list_candidates(struct mpi_rank *me, const struct wanted *w, int *n)
{
	const struct mpi_endpoint *endpoint = me->endpoint;
	struct mpi_candidate *candidates;

	*n = 0;
	if (endpoint->n_unexpected == 0)
		return NULL;
	candidates = malloc((size_t)endpoint->n_unexpected * sizeof *candidates);
	if (!candidates)
		mpi_request_fail_memory(me);
	*n = find_candidates(endpoint, w, candidates);
	return candidates;
}

static struct mpi_message *find(struct mpi_rank *me, const struct wanted *w)
{
	struct mpi_message *message = NULL;
	int n, i = 0;
	struct mpi_candidate *candidates;

	if (w->recv && w->recv->is_held)
		return NULL;
	candidates = list_candidates(me, w, &n);
	if (n > 0 && w->source == MPI_ANY_SOURCE && !(w->context & CHANNEL_COLL))
		i = mpi_choose(me, w->recv ? MPI_CHOICE_RECV : MPI_CHOICE_PROBE, n, candidates);
	if (n > 0 && i >= 0)
		message = candidates[i].message;
	free(candidates);
	return message;
}

struct mpi_message *mpi_choose_nth(struct mpi_rank *me, const struct mpi_comm *comm, int source,
				   int tag, int i)
{
	const struct wanted w = {NULL, mpi_message_context(comm, CHANNEL_P2P), source, tag};
	int n;
	struct mpi_candidate *candidates = list_candidates(me, &w, &n);
	struct mpi_message *message = i < n ? candidates[i].message : NULL;

	free(candidates);
	return message;
}

int mpi_choose_count(struct mpi_rank *me, const struct mpi_comm *comm, int source, int tag)
{
	const struct wanted w = {NULL, mpi_message_context(comm, CHANNEL_P2P), source, tag};
	int n;

	free(list_candidates(me, &w, &n));
	return n;
}

int mpi_choose_count_for(struct mpi_rank *me, const struct mpi_request *recv)
{
	const struct wanted w = {(struct mpi_request *)(uintptr_t)recv,
				 mpi_message_context(recv->comm, recv->channel), recv->peer,
				 recv->tag};
	int n;

	free(list_candidates(me, &w, &n));
	return n;
}

static bool match_one(struct mpi_rank *me)
{
	for (struct mpi_request *recv = me->endpoint->posted.first; recv; recv = recv->link.next) {
		const struct wanted w = {recv, mpi_message_context(recv->comm, recv->channel),
					 recv->peer, recv->tag};
		struct mpi_message *message = find(me, &w);

		if (!message)
			continue;
		mpi_match_remove_message(message);
		mpi_match_remove_recv(me->endpoint, recv);
		recv->message = message;
		message->recv = recv;
		mpi_message_matched(message);
		return true;
	}
	return false;
}

/* A probe that waits: the rank takes what was found when it goes on. */
static void find_for_probe(struct mpi_rank *me)
{
	struct mpi_endpoint *endpoint = me->endpoint;
	const struct mpi_wait *wait = &endpoint->wait;

	if (wait->kind != MPI_WAIT_MESSAGE || !endpoint->is_blocked || endpoint->found)
		return;
	endpoint->found = mpi_choose_probed(me, wait->of.message.comm, wait->of.message.source,
					    wait->of.message.tag);
	if (endpoint->found)
		mpi_endpoint_wake(me);
}

void mpi_choose_again(struct mpi_rank *me)
{
	while (match_one(me))
		;
	find_for_probe(me);
}

struct mpi_message *mpi_choose_probed(struct mpi_rank *me, const struct mpi_comm *comm, int source,
				      int tag)
{
	const struct wanted w = {NULL, mpi_message_context(comm, CHANNEL_P2P), source, tag};
	struct mpi_message *found = me->endpoint->found;

	me->endpoint->found = NULL;
	return found ? found : find(me, &w);
}

static bool is_unexpected(const struct mpi_endpoint *endpoint, const struct mpi_message *message)
{
	const struct mpi_message *m = endpoint->unexpected.last;

	while (m && m != message)
		m = m->link.prev;
	return m != NULL;
}

void mpi_choose_arrived(struct mpi_message *message)
{
	struct mpi_rank *dest = message->dest;
	const struct mpi_choice *choice = dest->world->choice;

	if (choice->arrived)
		choice->arrived(choice->context, message);
	mpi_match_enqueue(message);
	mpi_choose_again(dest);
	/* who is not matched wakes its rank, as without a hook; others may be gone */
	if (is_unexpected(dest->endpoint, message))
		mpi_match_tell(message);
}

void mpi_choose_posted(struct mpi_rank *me, struct mpi_request *recv)
{
	const struct mpi_choice *choice = me->world->choice;

	if (choice->posted)
		choice->posted(choice->context, recv);
	mpi_match_append_recv(me->endpoint, recv);
	mpi_choose_again(me);
}

void mpi_choose_finalizes(struct mpi_rank *me)
{
	const struct mpi_choice *choice = me->world->choice;

	if (choice && choice->finalizes)
		choice->finalizes(choice->context, me);
}

static bool is_answered(struct mpi_rank *me, const struct mpi_wait *wait)
{
	return ((const struct mpi_question *)wait->context)->is_answered;
}

int mpi_ask(struct mpi_rank *me, struct mpi_question *question)
{
	const struct mpi_choice *choice = me->world->choice;
	const struct mpi_wait wait = {
	    .kind = MPI_WAIT_POLL, .is_satisfied = is_answered, .context = question};

	question->is_answered = false;
	choice->ask(choice->context, me, question);
	mpi_wait(me, &wait);
	return question->answer;
}

void mpi_choose_by(struct mpi_world *world, const struct mpi_choice *choice)
{
	world->choice = choice;
	world->pd->counts_clocks = choice->counts_clocks;
}
