/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Wait and MPI_Waitall of messages (mpi/verify/direct.h). */
#include <stdlib.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/verify/direct.h"
#include "mpi/verify/request.h"

typedef int wait_fn(MPI_Request *, MPI_Status *);
typedef int waitall_fn(int, MPI_Request[], MPI_Status *);

enum { FEW = 64 };

/* What a call waits for. */
struct list {
	struct mpi_shadow_request **requests; /* [n] that are looked at; `few` where they fit */
	int n;
	struct mpi_shadow_request *few[FEW];
};

/* Their operations that are not done, until the step has them. */
struct open {
	struct mpi_shadow_op **ops; /* [n]; likewise */
	int n;
	struct mpi_shadow_op *few[FEW];
};

/* Nothing is to be learnt from its status, and it is no more when it is complete. */
static bool is_simple(const struct mpi_shadow_request *request)
{
	const struct mpi_shadow_op *op = request->op;

	return !request->is_cancelled && !request->is_persistent && !request->second &&
	       (!op || !op->is_wild);
}

static void drop(struct list *list)
{
	if (list->requests != list->few)
		free(list->requests);
}

/* False: not all of them are simple. */
static bool fill(struct list *list, struct open *open, const struct mpi_rank *me, int n,
		 const MPI_Request handles[])
{
	struct mpi_shadow *shadow = me->shadow->shadow;

	for (int i = 0; i < n; i++) {
		struct mpi_shadow_request *request =
		    mpi_shadow_request(shadow, mpi_shadow_index(handles[i]));

		if (!request || request->rank != me->rank)
			continue;
		if (!is_simple(request))
			return false;
		list->requests[list->n++] = request;
		if (request->op && !mpi_shadow_is_done(request->op))
			open->ops[open->n++] = request->op;
	}
	return true;
}

/* Enters a call that waits for simple messages. NULL: it is left to the generated function. */
static struct mpi_rank *await(struct list *list, enum mpi_verify_direct which, int n,
			      const MPI_Request handles[], const void *site)
{
	struct mpi_rank *me = mpi_direct_caller();
	struct mpi_shadow *shadow;
	struct open open;
	bool is_simple;

	if (!me || n < 0 || (n > 0 && !handles))
		return NULL;
	shadow = me->shadow->shadow;
	list->requests = list->few;
	open.ops = open.few;
	list->n = open.n = 0;
	if (n > FEW) {
		list->requests = mpi_shadow_room(shadow, (size_t)n, sizeof(void *));
		open.ops = mpi_shadow_room(shadow, (size_t)n, sizeof(void *));
	}
	is_simple = fill(list, &open, me, n, handles);
	if (is_simple) {
		mpi_direct_enter(me, which, site);
		if (open.n > 0 || me->shadow->first)
			mpi_shadow_wait(shadow, me, open.n, open.ops, false);
		mpi_direct_look(shadow);
	} else {
		drop(list);
	}
	if (open.ops != open.few)
		free(open.ops);
	return is_simple ? me : NULL;
}

static int complete(struct list *list, struct mpi_rank *me, struct mpi_shadow *shadow, int code)
{
	for (int i = 0; i < list->n; i++) {
		struct mpi_shadow_request *request = list->requests[i];

		if (!request->function) /* it was given twice */
			continue;
		mpi_shadow_let_go(shadow, request);
		request->function = 0;
		request->is_active = false;
		mpi_apart_end(&shadow->ranks[me->rank].apart);
	}
	drop(list);
	if (shadow->n_to_look > 0)
		mpi_shadow_advance(shadow);
	return mpi_leave(me, code);
}

int mpi_direct_wait(MPI_Request *request, MPI_Status *status)
{
	struct list list;
	struct mpi_rank *me = await(&list, DIRECT_WAIT, 1, request, __builtin_return_address(0));
	struct mpi_shadow *shadow = me ? me->shadow->shadow : NULL;

	if (!me)
		return ((wait_fn *)mpi_direct_other(DIRECT_WAIT, __builtin_return_address(0)))(
		    request, status);
	return complete(&list, me, shadow, mpi_wait_one(me, request, status));
}

int mpi_direct_waitall(int n, MPI_Request requests[], MPI_Status *statuses)
{
	struct list list;
	struct mpi_rank *me =
	    await(&list, DIRECT_WAITALL, n, requests, __builtin_return_address(0));
	struct mpi_shadow *shadow = me ? me->shadow->shadow : NULL;

	if (!me)
		return ((waitall_fn *)mpi_direct_other(
		    DIRECT_WAITALL, __builtin_return_address(0)))(n, requests, statuses);
	return complete(&list, me, shadow, mpi_wait_all(me, n, requests, statuses));
}
