/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Wait and MPI_Waitall of messages (mpi/verify/direct.h). */
#include <stdlib.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/verify/direct.h"
#include "mpi/verify/request.h"

typedef int wait_fn(MPI_Request *, MPI_Status *);
typedef int waitall_fn(int, MPI_Request[], MPI_Status *);

/* Nothing is to be learnt from its status, and it is no more when it is complete. */
static bool is_simple(const struct mpi_shadow_request *request)
{
	const struct mpi_shadow_op *op = request->op;

	return !request->is_cancelled && !request->is_persistent && !request->second &&
	       (!op || !op->is_wild);
}

/* What a call waits for. */
struct open {
	struct mpi_shadow_op **ops; /* [n]; `few` where they fit */
	int n;
	struct mpi_shadow_op *few[16];
};

/* The call is given these requests, of which some have operations that are not done; false: not all
 * of them are simple. */
static bool note_simple(struct mpi_verify_call *call, int n, const MPI_Request handles[],
			struct open *open)
{
	mpi_shadow_make_room(call, n);
	open->n = 0;
	open->ops = open->few;
	if (n > (int)(sizeof open->few / sizeof *open->few))
		open->ops = mpi_shadow_room(call->shadow, (size_t)n, sizeof *open->ops);
	for (int i = 0; i < call->n_handles; i++) {
		uint64_t index = mpi_shadow_index(handles[i]);
		const struct mpi_shadow_request *request = mpi_shadow_request(call->shadow, index);

		if (!request || request->rank != call->me->rank) {
			call->handles[i] = SHADOW_NO_REQUEST;
			continue;
		}
		call->handles[i] = index;
		if (!is_simple(request))
			return false;
		if (request->op && !mpi_shadow_is_done(request->op))
			open->ops[open->n++] = request->op;
	}
	return call->n_handles == n;
}

/* They are complete. */
static void complete_simple(struct mpi_shadow *shadow, const struct mpi_verify_call *call)
{
	for (int i = 0; i < call->n_handles; i++) {
		struct mpi_shadow_request *request = mpi_shadow_request(shadow, call->handles[i]);

		if (!request)
			continue;
		mpi_shadow_release(shadow, request->op);
		request->op = NULL;
		request->function = 0;
		request->is_active = false;
		mpi_apart_end(&shadow->ranks[request->rank].apart);
	}
}

/* Enters a call that waits for simple messages; false: it is left to the generated function. */
static bool await(struct mpi_verify_call *call, enum mpi_verify_direct which, int n,
		  const MPI_Request requests[], const void *site)
{
	struct mpi_rank *me = mpi_direct_caller();
	struct open open;
	bool is_simple;

	if (!me || n < 0 || (n > 0 && !requests))
		return false;
	call->me = me;
	call->shadow = me->shadow->shadow;
	is_simple = note_simple(call, n, requests, &open);
	if (is_simple) {
		mpi_direct_enter(me, which, site);
		if (open.n > 0 || me->shadow->first)
			mpi_shadow_wait(call->shadow, me, open.n, open.ops, false);
		mpi_direct_look(call->shadow);
	} else {
		mpi_shadow_forget_handles(call);
	}
	if (open.ops != open.few)
		free(open.ops);
	return is_simple;
}

static int complete(struct mpi_verify_call *call, int code)
{
	complete_simple(call->shadow, call);
	mpi_shadow_forget_handles(call);
	if (call->shadow->n_to_look > 0)
		mpi_shadow_advance(call->shadow);
	return mpi_leave(call->me, code);
}

int mpi_direct_wait(MPI_Request *request, MPI_Status *status)
{
	struct mpi_verify_call call;

	if (!await(&call, DIRECT_WAIT, 1, request, __builtin_return_address(0)))
		return ((wait_fn *)mpi_direct_other(DIRECT_WAIT, __builtin_return_address(0)))(
		    request, status);
	return complete(&call, mpi_wait_one(call.me, request, status));
}

int mpi_direct_waitall(int n, MPI_Request requests[], MPI_Status *statuses)
{
	struct mpi_verify_call call;

	if (!await(&call, DIRECT_WAITALL, n, requests, __builtin_return_address(0)))
		return ((waitall_fn *)mpi_direct_other(
		    DIRECT_WAITALL, __builtin_return_address(0)))(n, requests, statuses);
	return complete(&call, mpi_wait_all(call.me, n, requests, statuses));
}
