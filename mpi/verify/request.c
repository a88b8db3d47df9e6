/* SPDX-License-Identifier: BSD-3-Clause */
/* What each call does to the shadow, before and after the real one: operations and their requests. */
#include "mpi/verify/request.h"

#include <stdlib.h>
#include <string.h>

/* --- requests --- */

struct mpi_shadow_request *mpi_shadow_new_place(struct mpi_shadow *shadow, uint64_t index)
{
	uint64_t at = index / SHADOW_IN_CHUNK;

	if (at >= shadow->n_chunks) {
		uint64_t n = 2 * at + 16;
		struct mpi_shadow_request **larger = realloc(shadow->requests, n * sizeof *larger);

		if (!larger)
			return NULL;
		memset(larger + shadow->n_chunks, 0, (n - shadow->n_chunks) * sizeof *larger);
		shadow->requests = larger;
		shadow->n_chunks = n;
	}
	if (!shadow->requests[at]) {
		shadow->requests[at] = util_pool_get(&shadow->chunks);
		for (int i = 0; shadow->requests[at] && i < SHADOW_IN_CHUNK; i++)
			shadow->requests[at][i].function = 0; /* and nothing else is read */
	}
	return shadow->requests[at] ? &shadow->requests[at][index % SHADOW_IN_CHUNK] : NULL;
}

static void release_ops(struct mpi_shadow *shadow, struct mpi_shadow_request *request)
{
	mpi_shadow_let_go(shadow, request);
	mpi_shadow_release(shadow, mpi_shadow_second(request));
	if (!request->is_persistent)
		request->second = NULL;
	if (request->is_active)
		mpi_apart_end(&shadow->ranks[request->rank].apart);
	request->is_active = false;
}

static void free_plan(struct mpi_shadow_plan *plan)
{
	if (plan)
		mpi_shadow_release_blocks(plan->part.blocks);
	free(plan);
}

/* Those of a rank are found at its end. */
static void enter_persistent(struct mpi_shadow *shadow, struct mpi_shadow_request *request)
{
	request->plan->request = request;
	util_list_prepend(&shadow->ranks[request->rank].persistent, request->plan);
}

static void leave_persistent(struct mpi_shadow *shadow, struct mpi_shadow_request *request)
{
	util_list_remove(&shadow->ranks[request->rank].persistent, request->plan);
	free_plan(request->plan);
	request->is_persistent = false;
}

void mpi_shadow_forget(struct mpi_shadow *shadow, struct mpi_shadow_request *request)
{
	release_ops(shadow, request);
	if (request->is_persistent)
		leave_persistent(shadow, request);
	*request = (struct mpi_shadow_request){.function = 0};
}

void mpi_shadow_destroy_requests(struct mpi_shadow *shadow)
{
	const struct mpi_shadow_plan *plan;

	for (int rank = 0; shadow->ranks && rank < shadow->world->n_ranks; rank++)
		while ((plan = shadow->ranks[rank].persistent.first))
			leave_persistent(shadow, plan->request);
	free(shadow->requests);
}

/* --- the requests that a call is given --- */

static int n_given(const struct mpi_verify_call *call)
{
	int64_t n = mpi_verify_has(call, MPI_ARG_INCOUNT)
			? mpi_verify_value(call, MPI_ARG_INCOUNT).i
			: mpi_verify_value(call, MPI_ARG_COUNT).i;

	if (!(mpi_verify_has(call, MPI_ARG_ARRAY_OF_REQUESTS)))
		return mpi_verify_value(call, MPI_ARG_REQUEST).p ? 1 : 0;
	return n > 0 && mpi_verify_value(call, MPI_ARG_ARRAY_OF_REQUESTS).p ? (int)n : 0;
}

static const MPI_Request *handles_of(const struct mpi_verify_call *call)
{
	const void *array = mpi_verify_value(call, MPI_ARG_ARRAY_OF_REQUESTS).p;

	return array ? array : mpi_verify_value(call, MPI_ARG_REQUEST).p;
}

void mpi_shadow_note(struct mpi_verify_call *call, int n, const MPI_Request handles[])
{
	call->handles = call->own_handles;
	if (n > (int)(sizeof call->own_handles / sizeof call->own_handles[0]))
		call->handles = malloc((size_t)n * sizeof *call->handles);
	call->n_handles = call->handles ? n : 0;
	for (int i = 0; i < call->n_handles; i++)
		call->handles[i] = mpi_shadow_index(handles[i]);
}

void mpi_shadow_forget_handles(struct mpi_verify_call *call)
{
	if (call->handles != call->own_handles)
		free(call->handles);
	call->handles = call->own_handles;
	call->n_handles = 0;
}

static void note_handles(struct mpi_verify_call *call)
{
	mpi_shadow_note(call, n_given(call), handles_of(call));
}

static struct mpi_shadow_request *given(struct mpi_shadow *shadow,
					const struct mpi_verify_call *call, int i)
{
	struct mpi_shadow_request *request =
	    i >= 0 && i < call->n_handles ? mpi_shadow_request(shadow, call->handles[i]) : NULL;

	return request && request->rank == call->me->rank ? request : NULL;
}

/* Waits for the operations of all that are active, or of one. */
void mpi_shadow_wait_for_given(struct mpi_shadow *shadow, struct mpi_verify_call *call, bool any)
{
	struct mpi_shadow_op *few[8], **ops = few;
	int n = 0;

	if (2 * call->n_handles > 8)
		ops = mpi_shadow_room(shadow, 2 * (size_t)call->n_handles, sizeof *ops);
	for (int i = 0; i < call->n_handles; i++) {
		struct mpi_shadow_request *request = given(shadow, call, i);

		if (call->handles[i] == SHADOW_NO_REQUEST || (request && !request->is_active))
			continue;
		if (any && (!request || request->is_cancelled ||
			    (!request->op && !mpi_shadow_second(request)))) {
			n = 0; /* done, as far as is known */
			break;
		}
		if (!request)
			continue;
		if (request->is_cancelled) /* whatever others do (MPI 4.1, §3.8.4) */
			continue;
		if (request->op)
			ops[n++] = request->op;
		if (mpi_shadow_second(request))
			ops[n++] = mpi_shadow_second(request);
	}
	if (n > 0)
		call->step = mpi_shadow_wait(shadow, call->me, n, ops, any);
	if (ops != few)
		free(ops);
}

/* A request of the list is complete. */
static void complete(struct mpi_shadow *shadow, struct mpi_verify_call *call, int i,
		     const MPI_Status *status)
{
	struct mpi_shadow_request *request = given(shadow, call, i);

	if (!request || !request->is_active)
		return;
	for (int k = 0; k < 2; k++) {
		struct mpi_shadow_op *op = k ? mpi_shadow_second(request) : request->op;

		if (!op)
			continue;
		if (mpi_status_cancelled(status))
			mpi_shadow_kill(shadow, op);
		else if (op->is_wild)
			mpi_shadow_resolve(shadow, op, status);
		/* a test that has found it: the message is there, in whatever view */
		if (call->function->kind == MPI_CALL_TEST && op->kind != SHADOW_SEND)
			mpi_shadow_wait(shadow, call->me, 1, &op, false);
	}
	if (request->is_persistent)
		release_ops(shadow, request);
	else
		mpi_shadow_forget(shadow, request);
}

static void after_all(struct mpi_shadow *shadow, struct mpi_verify_call *call)
{
	const MPI_Status *statuses = call->statuses ? call->statuses : call->status;

	for (int i = 0; i < call->n_handles && statuses; i++)
		complete(shadow, call, i, &statuses[i]);
}

static void after_some(struct mpi_shadow *shadow, struct mpi_verify_call *call)
{
	const int *n = mpi_verify_value(call, MPI_ARG_OUTCOUNT).p;
	const int *indices = mpi_verify_value(call, MPI_ARG_ARRAY_OF_INDICES).p;

	for (int k = 0; n && indices && call->statuses && k < *n; k++)
		complete(shadow, call, indices[k], &call->statuses[k]);
}

static void after_any(struct mpi_shadow *shadow, struct mpi_verify_call *call)
{
	const int *index = mpi_verify_value(call, MPI_ARG_INDX).p;

	if (index && *index != MPI_UNDEFINED)
		complete(shadow, call, *index, call->status);
}

static void after_completion(struct mpi_shadow *shadow, struct mpi_verify_call *call)
{
	const char *name = call->function->operation;
	const int *flag = mpi_verify_value(call, MPI_ARG_FLAG).p;

	if (call->function->kind == MPI_CALL_TEST && mpi_verify_has(call, MPI_ARG_FLAG) &&
	    (!flag || !*flag))
		return;
	if (strstr(name, "some"))
		after_some(shadow, call);
	else if (strstr(name, "any"))
		after_any(shadow, call);
	else
		after_all(shadow, call);
}

/* --- what is posted --- */

static void before_operation(struct mpi_shadow *shadow, struct mpi_verify_call *call)
{
	struct mpi_shadow_plan plan;

	mpi_apart_look_at_call(call);
	if (call->function->form == FORM_PERSISTENT) {
		call->plan = mpi_shadow_allocate(shadow, 1, sizeof *call->plan);
		mpi_shadow_plan(call, call->plan);
		return;
	}
	mpi_shadow_plan(call, &plan);
	if (plan.comm)
		call->context = plan.comm->context;
	call->n_ops = mpi_shadow_do(shadow, call->me, &plan, call->ops);
	if (call->function->form == FORM_BLOCKING && call->n_ops > 0)
		mpi_shadow_wait(shadow, call->me, call->n_ops, call->ops, false);
}

void mpi_shadow_give_up(struct mpi_shadow *shadow, struct mpi_shadow_op *op)
{
	mpi_shadow_kill(shadow, op);
	mpi_shadow_release(shadow, op);
}

void mpi_shadow_give_up_ops(struct mpi_shadow *shadow, struct mpi_verify_call *call)
{
	for (int i = 0; i < call->n_ops; i++)
		mpi_shadow_give_up(shadow, call->ops[i]);
	free_plan(call->plan);
}

void mpi_shadow_publish(struct mpi_shadow *shadow, struct mpi_verify_call *call, MPI_Request handle)
{
	struct mpi_shadow_request *request =
	    mpi_shadow_new_request(shadow, call->me, call->function, handle);

	if (!request) {
		mpi_shadow_give_up_ops(shadow, call);
		return;
	}
	mpi_shadow_hold(shadow, request, call->ops[0]);
	request->second = call->ops[1];
	if (!call->plan) {
		mpi_apart_post_request(call->me, handle);
		return;
	}
	request->is_persistent = true; /* and nothing is posted yet */
	request->is_active = false;
	mpi_apart_end(&shadow->ranks[request->rank].apart);
	request->plan = call->plan;
	enter_persistent(shadow, request);
}

static void publish(struct mpi_shadow *shadow, struct mpi_verify_call *call)
{
	mpi_shadow_publish(shadow, call,
			   *(const MPI_Request *)mpi_verify_value(call, MPI_ARG_REQUEST).p);
}

static void after_operation(struct mpi_shadow *shadow, struct mpi_verify_call *call, int code)
{
	if (mpi_verify_has_failed(call->me, code)) {
		mpi_shadow_give_up_ops(shadow, call);
		return;
	}
	if (call->function->form != FORM_BLOCKING) {
		publish(shadow, call);
		return;
	}
	for (int i = 0; i < call->n_ops; i++) {
		if (call->status)
			mpi_shadow_resolve(shadow, call->ops[i], call->status);
		mpi_shadow_release(shadow, call->ops[i]);
	}
	if (call->function->values_are_places) { /* the communicator or window is no more */
		struct mpi_shadow_queue *queue =
		    mpi_shadow_queue(shadow, call->me->rank, call->context);

		queue->n_together = 0;
		queue->is_fenced = false;
	}
}

/* A persistent one: its arguments serve again. False: there is nothing to start. */
static bool start(struct mpi_shadow *shadow, struct mpi_rank *me,
		  struct mpi_shadow_request *request)
{
	struct mpi_shadow_op *ops[2]; /* one of them at most is there */
	struct mpi_shadow_plan plan;

	if (!request->is_persistent || request->is_active)
		return false;
	plan = *request->plan;
	if (plan.part.blocks)
		plan.part.blocks->n_references++;
	request->is_active = true;
	mpi_apart_begin(&shadow->ranks[request->rank].apart);
	request->is_cancelled = request->is_known = false;
	request->was_started = true;
	mpi_shadow_do(shadow, me, &plan, ops);
	mpi_shadow_hold(shadow, request, ops[0]);
	return true;
}

static void start_given(struct mpi_shadow *shadow, struct mpi_verify_call *call)
{
	for (int i = 0; i < call->n_handles; i++)
		if (given(shadow, call, i) && start(shadow, call->me, given(shadow, call, i)))
			mpi_apart_post_request(call->me, handles_of(call)[i]);
}

/* The request is freed; or how the call that completes it ends will tell whether it was cancelled. */
static void before_free_or_cancel(struct mpi_shadow *shadow, struct mpi_verify_call *call)
{
	struct mpi_shadow_request *request;

	note_handles(call);
	request = given(shadow, call, 0);
	if (request && call->function->kind == MPI_CALL_FREE)
		mpi_verify_request_freed(call->me, request, *handles_of(call));
	else if (request)
		request->is_cancelled = true;
}

/* MPI_Request_get_status, which is given the handle itself: a request that it has found complete may
 * be freed. */
static void after_status(struct mpi_shadow *shadow, const struct mpi_verify_call *call)
{
	const int *flag = mpi_verify_value(call, MPI_ARG_FLAG).p;
	struct mpi_shadow_request *request =
	    mpi_shadow_request(shadow, mpi_shadow_index(mpi_verify_value(call, MPI_ARG_REQUEST).p));

	if (request && flag && *flag)
		request->is_known = true;
}

/* --- which look is taken at which call --- */

void mpi_shadow_before(struct mpi_shadow *shadow, struct mpi_verify_call *call)
{
	mpi_shadow_settle(&shadow->ranks[call->me->rank]);
	switch (call->function->kind) {
	case MPI_CALL_FINALIZE:
		mpi_verify_requests_at_end(shadow->world, call->me->rank, shadow);
		if (call->me->n_open == 1) /* else sessions go on */
			before_operation(shadow, call);
		break;
	case MPI_CALL_TOGETHER_WIN:
		before_operation(shadow, call);
		if (strcmp(call->function->operation, "Win_fence") == 0 && call->n_ops > 0)
			mpi_verify_fence(shadow, call);
		break;
	case MPI_CALL_SEND:
	case MPI_CALL_RECV:
	case MPI_CALL_SENDRECV:
	case MPI_CALL_COLL:
	case MPI_CALL_TOGETHER:
		before_operation(shadow, call);
		break;
	case MPI_CALL_LOCK:
		mpi_verify_lock(shadow, call);
		break;
	case MPI_CALL_COMM_FREE:
		mpi_shadow_before_comm_free(shadow, call);
		break;
	case MPI_CALL_WAIT:
	case MPI_CALL_TEST:
		note_handles(call);
		if (call->function->kind == MPI_CALL_WAIT)
			mpi_shadow_wait_for_given(
			    shadow, call,
			    strcmp(call->function->operation, "Waitany") == 0 ||
				strcmp(call->function->operation, "Waitsome") == 0);
		break;
	case MPI_CALL_START:
		note_handles(call);
		start_given(shadow, call);
		break;
	case MPI_CALL_FREE:
	case MPI_CALL_CANCEL:
		before_free_or_cancel(shadow, call);
		break;
	case MPI_CALL_PROBE:
	case MPI_CALL_MPROBE:
		mpi_shadow_before_probe(shadow, call);
		break;
	case MPI_CALL_MRECV:
		mpi_shadow_before_mrecv(shadow, call);
		break;
	case MPI_CALL_MEMORY:
		mpi_apart_look_at_call(call);
		break;
	default:
		break;
	}
}

void mpi_shadow_after(struct mpi_shadow *shadow, struct mpi_verify_call *call, int code)
{
	if (call->function->form != FORM_BLOCKING && code == MPI_SUCCESS)
		mpi_apart_hold(call);
	switch (call->function->kind) {
	case MPI_CALL_WAIT:
	case MPI_CALL_TEST:
		after_completion(shadow, call);
		break;
	case MPI_CALL_FREE:
		if (code == MPI_SUCCESS && given(shadow, call, 0))
			mpi_shadow_forget(shadow, given(shadow, call, 0));
		break;
	case MPI_CALL_STATUS:
		if (code == MPI_SUCCESS)
			after_status(shadow, call);
		break;
	case MPI_CALL_PARTITIONED:
		if (code != MPI_SUCCESS)
			break;
		mpi_shadow_partitioned(shadow, call);
		call->plan = mpi_shadow_allocate(shadow, 1, sizeof *call->plan);
		publish(shadow, call);
		break;
	case MPI_CALL_MEMORY:
		if (call->function->form == FORM_NONBLOCKING && code == MPI_SUCCESS)
			publish(shadow, call);
		break;
	case MPI_CALL_PROBE:
		mpi_shadow_after_probe(shadow, call, code);
		break;
	case MPI_CALL_MPROBE:
		mpi_shadow_after_mprobe(shadow, call, code);
		break;
	case MPI_CALL_SEND:
	case MPI_CALL_RECV:
	case MPI_CALL_SENDRECV:
	case MPI_CALL_COLL:
	case MPI_CALL_TOGETHER:
	case MPI_CALL_TOGETHER_WIN:
	case MPI_CALL_MRECV:
	case MPI_CALL_FINALIZE:
		after_operation(shadow, call, code);
		break;
	default:
		break;
	}
	mpi_shadow_forget_handles(call);
}
