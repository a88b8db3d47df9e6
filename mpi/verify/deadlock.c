/* SPDX-License-Identifier: BSD-3-Clause */
/* Deadlocks, actual and potential, and what nearly matched. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/comm/group.h"
#include "mpi/p2p/blocked.h"
#include "mpi/verify/internal.h"
#include "mpi/verify/request.h"

/* --- what nearly matched --- */

static void report_near(struct mpi_shadow *shadow, const char *class_name, const char *found,
			const char *wanted, struct mpi_finding_call a, struct mpi_finding_call b)
{
	mpi_verify_report(shadow->world,
			  &(struct mpi_finding){
			      .class_name = class_name,
			      .severity = MPI_FINDING_ERROR,
			      .calls = {a, b},
			      .n_calls = 2,
			      .found = found,
			      .wanted = wanted,
			      .why = "neither of the two is matched by anything else",
			  });
}

/* A receive and a send that would match but for tag or communicator. */
static bool is_near(struct mpi_shadow *shadow, const struct mpi_shadow_op *recv,
		    const struct mpi_shadow_op *send)
{
	bool is_tag = recv->tag == send->tag || recv->tag == MPI_ANY_TAG;
	bool is_source = recv->is_wild || recv->peer == send->rank;
	char text[160];

	/* with another communicator the same numbers may mean other ranks */
	if (recv->context != send->context)
		is_source = is_source || recv->given_peer == send->comm_rank;
	if (!is_source || send->peer != recv->rank)
		return false;
	if (recv->context == send->context && !is_tag) {
		snprintf(text, sizeof text,
			 "the receive has tag %d, the send from rank %d has tag %d", recv->tag,
			 send->rank, send->tag);
		report_near(shadow, "tag-mismatch", text, "equal tags", mpi_shadow_call_of(recv),
			    mpi_shadow_call_of(send));
		return true;
	}
	if (recv->context == send->context || !is_tag)
		return false;
	snprintf(text, sizeof text,
		 "the receive and the send from rank %d have different communicators", send->rank);
	report_near(shadow, "communicator-mismatch", text, "the same communicator",
		    mpi_shadow_call_of(recv), mpi_shadow_call_of(send));
	return true;
}

/* Of one rank: its unmatched receives against what was sent to it. */
static void find_near_messages(struct mpi_shadow *shadow, int rank)
{
	const struct mpi_shadow_rank *r = &shadow->ranks[rank];
	int n = 0;

	for (uint32_t i = 0; i < r->n_queues; i++) {
		const struct mpi_shadow_op *recv =
		    r->queues[i] ? r->queues[i]->of[SHADOW_RECV].first : NULL;

		for (; recv; recv = recv->link.next)
			for (uint32_t k = 0; k < r->n_queues && n < 8; k++)
				for (const struct mpi_shadow_op *send =
					 r->queues[k] ? r->queues[k]->of[SHADOW_SEND].first : NULL;
				     send && n < 8; send = send->link.next)
					n += is_near(shadow, recv, send);
	}
}

static const struct mpi_shadow_part *first_caller(const struct mpi_shadow_together *together)
{
	int i = 0;

	while (i < together->n_members - 1 && !together->parts[i].has_called)
		i++;
	return &together->parts[i];
}

/* Has a rank that `a` misses called `b` instead? */
static bool is_missed(const struct mpi_shadow_together *a, const struct mpi_shadow_together *b)
{
	for (int i = 0; i < a->n_members; i++)
		for (int k = 0; k < b->n_members && !a->parts[i].has_called; k++)
			if (a->members[i] == b->members[k] && b->parts[k].has_called)
				return true;
	return false;
}

/* The same collective is called on two communicators, and ranks miss in both. */
static void find_near_collectives(struct mpi_shadow *shadow)
{
	for (const struct mpi_shadow_together *a = shadow->open.first; a; a = a->link.next)
		for (const struct mpi_shadow_together *b = a->link.next; b; b = b->link.next)
			if (a->context != b->context && strcmp(a->operation, b->operation) == 0 &&
			    is_missed(a, b) && is_missed(b, a))
				report_near(shadow, "communicator-mismatch",
					    "ranks call this collective on different communicators",
					    "the same communicator", first_caller(a)->call,
					    first_caller(b)->call);
}

/* --- deadlocks --- */

static void add_call(struct mpi_finding *finding, const struct mpi_finding_call *call)
{
	if (finding->n_calls < MPI_FINDING_MAX_CALLS)
		finding->calls[finding->n_calls++] = *call;
}

/* "ranks 0, 2, 5" */
static void list_ranks(const struct mpi_shadow *shadow, const bool is_stuck[], char *text,
		       size_t size)
{
	int n = 0, k = 0;
	size_t length;

	for (int rank = 0; rank < shadow->world->n_ranks; rank++)
		n += is_stuck[rank];
	length = (size_t)snprintf(text, size, n == 1 ? "rank" : "ranks");
	for (int rank = 0; rank < shadow->world->n_ranks && length < size; rank++)
		if (is_stuck[rank] && ++k <= 16)
			length += (size_t)snprintf(text + length, size - length, "%s %d",
						   k > 1 ? "," : "", rank);
	if (n > 16 && length < size)
		snprintf(text + length, size - length, " … (%d ranks)", n);
}

static bool is_in_finalize(const struct mpi_shadow *shadow, int rank)
{
	return strcmp(shadow->ranks[rank].first->call.function, "MPI_Finalize") == 0;
}

/* Who has come to MPI_Finalize waits for those who have not, and is no part of the knot. */
static void leave_out_victims(const struct mpi_shadow *shadow, bool is_stuck[])
{
	int n = 0;

	for (int rank = 0; rank < shadow->world->n_ranks; rank++)
		n += is_stuck[rank] && !is_in_finalize(shadow, rank);
	for (int rank = 0; n > 0 && rank < shadow->world->n_ranks; rank++)
		is_stuck[rank] = is_stuck[rank] && !is_in_finalize(shadow, rank);
}

static void report_potential(struct mpi_shadow *shadow, const bool is_stuck[])
{
	struct mpi_finding finding = {
	    .class_name = "potential-deadlock",
	    .severity = MPI_FINDING_ERROR,
	    .wanted = "an order of sends, receives and collectives that needs no buffers",
	    .why = "larger messages or another library make the program wait for ever",
	};
	char ranks[160], text[320];

	list_ranks(shadow, is_stuck, ranks, sizeof ranks);
	snprintf(text, sizeof text,
		 "%s would wait for ever if sends and collectives did not return before they are "
		 "matched",
		 ranks);
	finding.found = text;
	for (int rank = 0; rank < shadow->world->n_ranks; rank++)
		if (is_stuck[rank])
			add_call(&finding, &shadow->ranks[rank].first->call);
	mpi_verify_report(shadow->world, &finding);
}

/* Orders that the host has no part in tell of it: that this run is one of them is chance. */
static void report_deadlock(struct mpi_world *world, const struct mpi_finding *finding)
{
	if (!mpi_verify_is_told_as(world, "deadlock-in-order", finding))
		mpi_verify_report(world, finding);
}

static void report_partial(struct mpi_shadow *shadow, const bool is_stuck[])
{
	struct mpi_finding finding = {
	    .class_name = "deadlock",
	    .severity = MPI_FINDING_ERROR,
	    .why = "these ranks never end, whatever the others do",
	};
	char ranks[160], text[256];

	list_ranks(shadow, is_stuck, ranks, sizeof ranks);
	snprintf(text, sizeof text, "%s wait for ever for each other, while others go on", ranks);
	finding.found = text;
	for (int rank = 0; rank < shadow->world->n_ranks; rank++)
		if (is_stuck[rank])
			add_call(&finding, &shadow->ranks[rank].first->call);
	report_deadlock(shadow->world, &finding);
}

void mpi_shadow_look_for_partial_now(struct mpi_shadow *shadow)
{
	bool *is_stuck;

	shadow->next_look *= 2;
	if (shadow->is_given_up || !mpi_verify_wants(shadow->world, MPI_VERIFY_DEADLOCK))
		return;
	mpi_shadow_settle_all(shadow);
	is_stuck = mpi_shadow_allocate(shadow, (size_t)shadow->world->n_ranks, sizeof *is_stuck);
	if (mpi_shadow_find_blocked(shadow, is_stuck) > 0)
		report_partial(shadow, is_stuck);
	free(is_stuck);
}

/* The run cannot go on: every blocked rank with its call. */
static void report_actual(struct mpi_world *world)
{
	struct mpi_finding finding = {
	    .class_name = "deadlock",
	    .severity = MPI_FINDING_ERROR,
	    .time = world->pd->failure.time,
	    .why = "the program does not end",
	};
	char text[1024];
	size_t length = (size_t)snprintf(text, sizeof text, "%s", world->pd->failure.text);

	for (int rank = 0; rank < world->n_ranks; rank++) {
		const struct pd_rank *pd = &world->pd->ranks[rank];
		struct mpi_blocked blocked;

		if (pd->has_ended || !pd->function)
			continue;
		mpi_blocked_describe(&world->ranks[rank], &blocked);
		free(blocked.waits_for);
		if (length < sizeof text && finding.n_calls < MPI_FINDING_MAX_CALLS)
			length += (size_t)snprintf(text + length, sizeof text - length,
						   "; rank %d: %s", rank, blocked.text);
		add_call(&finding, &(struct mpi_finding_call){rank, pd->function, pd->site});
	}
	finding.found = text;
	report_deadlock(world, &finding);
}

void mpi_shadow_look_for_potential(struct mpi_shadow *shadow)
{
	size_t n = (size_t)shadow->world->n_ranks;
	bool *is_stuck = mpi_shadow_allocate(shadow, n, sizeof *is_stuck);

	mpi_shadow_settle_all(shadow);
	do
		mpi_shadow_advance(shadow);
	while (mpi_shadow_rematch(shadow));
	if (mpi_shadow_find_stuck(shadow, is_stuck) > 0) {
		leave_out_victims(shadow, is_stuck);
		report_potential(shadow, is_stuck);
	}
	free(is_stuck);
}

void mpi_shadow_end(struct mpi_shadow *shadow)
{
	struct mpi_world *world = shadow->world;
	enum pd_failure_kind kind = world->pd->failure.kind;

	mpi_shadow_settle_all(shadow);
	if (kind == PD_FAILURE_DEADLOCK && mpi_verify_wants(world, MPI_VERIFY_DEADLOCK))
		report_actual(world);
	if (kind == PD_FAILURE_DEADLOCK)
		mpi_verify_requests_at_end(world, -1, shadow);
	if ((kind == PD_FAILURE_DEADLOCK || kind == PD_FAILURE_NONE) &&
	    mpi_verify_wants(world, MPI_VERIFY_MATCHING)) {
		for (int rank = 0; rank < world->n_ranks; rank++)
			find_near_messages(shadow, rank);
		find_near_collectives(shadow);
	}
	if (kind != PD_FAILURE_DEADLOCK && mpi_verify_wants(world, MPI_VERIFY_DEADLOCK) &&
	    !shadow->is_given_up)
		mpi_shadow_look_for_potential(shadow);
}
