/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of requests, and waiting for them. */
#include "mpi/p2p/request.h"

#include <stddef.h>

#include "mpi/core/status.h"
#include "mpi/p2p/causes.h"
#include "mpi/p2p/compound.h"
#include "mpi/p2p/internal.h"

void mpi_request_fail_memory(const struct mpi_rank *me)
{
	pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a request");
}

MPI_Request mpi_request_publish(struct mpi_rank *me, struct mpi_request *request)
{
	request->handle = (MPI_Request)mpi_handle_create(me, KIND_REQUEST, request);
	if (!request->handle)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a request handle");
	return request->handle;
}

void mpi_request_destroy(struct mpi_rank *me, struct mpi_request *request)
{
	if (!request)
		return;
	mpi_request_settle(request);
	if (request->handle)
		mpi_handle_destroy(me, (uintptr_t)request->handle);
	if (request->release)
		request->release(me, request);
	mpi_datatype_release(me, request->type);
	if (request->comm)
		mpi_comm_release(me, request->comm);
	util_pool_put(&me->world->requests, request);
}

struct mpi_request *mpi_request_get(const struct mpi_rank *me, MPI_Request handle)
{
	return mpi_handle_object(me, KIND_REQUEST, (uintptr_t)handle);
}

void mpi_request_lend(struct mpi_request *request)
{
	struct mpi_endpoint *endpoint = request->owner->endpoint;

	util_list_prepend(&endpoint->lent, request);
	request->is_lent = true;
}

void mpi_request_unlend(struct mpi_request *request)
{
	if (!request->is_lent)
		return;
	util_list_remove(&request->owner->endpoint->lent, request);
	request->is_lent = false;
}

/* Parts of collectives and compound requests, and receives that nobody can wait for any more. */
static bool is_taken_unasked(const struct mpi_request *recv)
{
	return recv->channel == CHANNEL_COLL || recv->is_orphan || recv->whole;
}

void mpi_request_arrived(struct mpi_request *recv)
{
	struct mpi_endpoint *endpoint = recv->owner->endpoint;

	recv->state = REQUEST_ARRIVED;
	util_list_append(&endpoint->arrived, recv);
	endpoint->last_started = recv->message->started;
	mpi_cause_released(recv->message, recv->owner);
	if (is_taken_unasked(recv) || recv->is_waited || endpoint->wait.kind == MPI_WAIT_POLL)
		mpi_endpoint_wake(recv->owner);
}

void mpi_request_complete(struct mpi_request *request, int error_class)
{
	request->status.MPI_ERROR = error_class;
	mpi_request_end(request->owner->endpoint, request);
}

void mpi_request_tell(struct mpi_request *request)
{
	struct mpi_endpoint *endpoint = request->owner->endpoint;

	if (request->whole) {
		mpi_compound_end_part(request->whole, request);
	} else if (request->is_orphan) {
		mpi_request_destroy(request->owner, request);
	} else if (request->channel == CHANNEL_COLL || endpoint->wait.kind == MPI_WAIT_POLL) {
		endpoint->has_progressed = true;
		mpi_endpoint_wake(request->owner);
	}
}

void mpi_request_take(struct mpi_rank *me, struct mpi_request *recv)
{
	util_list_remove(&recv->owner->endpoint->arrived, recv);
	mpi_message_take(me, recv);
}

/* Takes the oldest message that had arrived by `until` and that the rank waits for or that is taken
 * in any case; false: there is none. */
static bool take_one(struct mpi_rank *me, sim_time_ps until)
{
	for (struct mpi_request *recv = me->endpoint->arrived.first; recv; recv = recv->link.next) {
		if ((!recv->is_waited && !is_taken_unasked(recv)) || recv->message->arrived > until)
			continue;
		mpi_request_take(me, recv);
		return true;
	}
	return false;
}

void mpi_progress_add(struct mpi_rank *me, struct mpi_progress *progress)
{
	struct mpi_progress **last = &me->in_progress;

	while (*last)
		last = &(*last)->next;
	progress->next = NULL;
	*last = progress;
}

/*
 * Advances everything once, and again as long as something completed meanwhile: a wake-up is only
 * for a rank that is blocked, and an advance may sleep (overhead), so that what was looked at first
 * may have gone on in the meantime.
 */
static void advance_once(struct mpi_rank *me)
{
	struct mpi_progress **link = &me->in_progress, *progress, *next;

	while ((progress = *link)) {
		next = progress->next; /* an advance that ends may free its object */
		if (progress->advance(me, progress))
			*link = next;
		else
			link = &progress->next;
	}
}

static void advance_all(struct mpi_rank *me)
{
	do {
		me->endpoint->has_progressed = false;
		advance_once(me);
	} while (me->endpoint->has_progressed);
}

/* Marks what is to be waited for; returns how many of the requests are complete already. */
static int mark(struct mpi_endpoint *endpoint, int n, struct mpi_request *const requests[])
{
	int n_complete = 0;

	for (int i = 0; i < n; i++) {
		struct mpi_request *request = requests[i];

		if (!request || request->state == REQUEST_IDLE)
			continue;
		if (request->state == REQUEST_COMPLETE)
			n_complete++;
		else if (!request->is_waited) { /* the same request twice counts once */
			request->is_waited = true;
			endpoint->n_to_go++;
		}
	}
	return n_complete;
}

static void unmark(int n, struct mpi_request *const requests[])
{
	for (int i = 0; i < n; i++)
		if (requests[i])
			requests[i]->is_waited = false;
}

/* Makes progress for an instant. */
static void look(struct mpi_rank *me)
{
	if (me->endpoint->deferred.first)
		mpi_message_progress(me);
	mpi_connections_leave(me);
}

/* Also in a call whose requests are complete. */
static bool looks_anyway(const struct mpi_rank *me)
{
	return me->world->pd->cluster->protocol.progress != CLUSTER_PROGRESS_IN_WAITING;
}

/* Blocks until endpoint->n_to_go of the requests have completed, making progress meanwhile. */
static inline void await(struct mpi_rank *me, int n, struct mpi_request *const requests[])
{
	struct mpi_endpoint *endpoint = me->endpoint;

	mpi_wait_for(endpoint, n, requests);
	if (endpoint->n_to_go > 0 || looks_anyway(me))
		look(me);
	while (endpoint->n_to_go > 0) {
		if (endpoint->arrived.first && take_one(me, SIM_TIME_MAX))
			continue;
		if (me->in_progress) {
			advance_all(me);
			if (endpoint->n_to_go <= 0 ||
			    (endpoint->arrived.first && take_one(me, SIM_TIME_MAX)))
				continue;
		}
		mpi_endpoint_block(me);
	}
	mpi_wait_is_over(endpoint);
	endpoint->n_polls = 0;
}

void mpi_request_wait(struct mpi_rank *me, struct mpi_request *request)
{
	me->endpoint->n_to_go = 1;
	request->is_waited = true;
	await(me, 1, &request);
}

/* What had arrived of them by `until`, and what is taken in any case. */
static void take_arrived(struct mpi_rank *me, int n, struct mpi_request *const requests[],
			 sim_time_ps until)
{
	if (!me->endpoint->arrived.first)
		return;
	me->endpoint->n_to_go = 0;
	me->endpoint->may_leave_some = true;
	mark(me->endpoint, n, requests);
	while (take_one(me, until))
		;
	me->endpoint->may_leave_some = false;
	unmark(n, requests);
}

/* Calls for several requests tell what the rank knew before (protocol.late_answers). */
static bool tests_are_late(const struct mpi_rank *me)
{
	return me->world->pd->cluster->protocol.late_answers == CLUSTER_LATE_TESTS;
}

void mpi_requests_wait(struct mpi_rank *me, int n, struct mpi_request *const requests[], bool any)
{
	struct mpi_endpoint *endpoint = me->endpoint;
	int n_complete;

	if (any && tests_are_late(me))
		take_arrived(me, n, requests, endpoint->last_look);
	endpoint->n_to_go = 0;
	n_complete = mark(endpoint, n, requests);
	if (any && endpoint->n_to_go > 1)
		endpoint->n_to_go = 1;
	if (any && n_complete > 0)
		endpoint->n_to_go = 0;
	endpoint->may_leave_some = any;
	await(me, n, requests);
	endpoint->may_leave_some = false;
	if (any)
		unmark(n, requests);
}

/* What is asked for is complete, before anybody has looked. */
static bool is_answered(int n, struct mpi_request *const requests[], bool any)
{
	int n_complete = 0, n_active = 0;

	for (int i = 0; i < n; i++) {
		if (!requests[i] || requests[i]->state == REQUEST_IDLE)
			continue;
		n_active++;
		n_complete += requests[i]->state == REQUEST_COMPLETE;
	}
	return n_complete > 0 && (any || n_complete == n_active);
}

static bool are_all_complete(int n, struct mpi_request *const requests[])
{
	for (int i = 0; i < n; i++)
		if (requests[i] && (requests[i]->state == REQUEST_PENDING ||
				    requests[i]->state == REQUEST_ARRIVED))
			return false;
	return true;
}

void mpi_requests_take_others(struct mpi_rank *me, int n, struct mpi_request *const requests[])
{
	if (are_all_complete(n, requests))
		return;
	sim_task_sleep(&me->pd->task, 0); /* behind all that is due now */
	take_arrived(me, n, requests, tests_are_late(me) ? me->endpoint->last_look : SIM_TIME_MAX);
}

void mpi_progress_poll(struct mpi_rank *me, int n, struct mpi_request *const requests[], bool any)
{
	if (!looks_anyway(me) && is_answered(n, requests, any))
		return;
	take_arrived(me, n, requests, SIM_TIME_MAX);
	if (me->in_progress)
		advance_all(me);
	look(me);
}

bool mpi_progress_test(struct mpi_rank *me, int n, struct mpi_request *const requests[], bool any)
{
	if (!tests_are_late(me)) {
		mpi_progress_poll(me, n, requests, any);
		return true;
	}
	take_arrived(me, n, requests, me->endpoint->last_look);
	if (is_answered(n, requests, any))
		return true;
	mpi_progress_poll(me, n, requests, any);
	return !is_answered(n, requests, any);
}
