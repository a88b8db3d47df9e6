/* SPDX-License-Identifier: BSD-3-Clause */
/* What verification does first and last of every call of the program. */
#include "mpi/verify/call.h"

#include <stdlib.h>

#include "mpi/verify/internal.h"
#include "mpi/verify/memory.h"
#include "mpi/verify/shadow.h"
#include "mpi/watch/watch.h"

_Static_assert(sizeof(struct mpi_verify_call) <= MPI_WATCH_ROOM_B, "a call has too little room");

void *mpi_verify_substitute(const char *name)
{
	const struct mpi_call_info *function = mpi_call_info(name);

	return function && function->kind != MPI_CALL_NONE ? mpi_watch_address(function) : NULL;
}

/* Where the program wants no statuses, the call has its own. */
static void keep_statuses(struct mpi_verify_call *call)
{
	const signed char *at = call->function->at;
	union mpi_value *given;
	int64_t n;

	if (at[MPI_ARG_STATUS]) {
		given = &call->values[at[MPI_ARG_STATUS] - 1];
		if (given->p == MPI_STATUS_IGNORE)
			given->p = &call->own;
		call->status = (MPI_Status *)given->p;
		return;
	}
	if (!at[MPI_ARG_ARRAY_OF_STATUSES])
		return;
	given = &call->values[at[MPI_ARG_ARRAY_OF_STATUSES] - 1];
	n = mpi_verify_value(call, at[MPI_ARG_INCOUNT] ? MPI_ARG_INCOUNT : MPI_ARG_COUNT).i;
	if (given->p == MPI_STATUSES_IGNORE && n == 1)
		given->p = &call->own;
	else if (given->p == MPI_STATUSES_IGNORE &&
		 n > 1) /* the call may block: other ranks need statuses of their own */
		given->p = call->own_statuses = malloc((size_t)n * sizeof *call->own_statuses);
	call->statuses = (MPI_Status *)given->p;
}

static bool is_send(enum mpi_call_kind kind)
{
	return kind == MPI_CALL_SEND || kind == MPI_CALL_SENDRECV || kind == MPI_CALL_START;
}

static void note_sender(struct util_map *senders, const struct mpi_watch_call *call)
{
	uintptr_t site = (uintptr_t)call->site;

	if (is_send(call->function->kind) && !util_map_find(senders, site))
		util_map_put(senders, site, (void *)(uintptr_t)call->function->name);
}

static void look_after(const struct mpi_verify *verify, struct mpi_verify_call *call, int code)
{
	struct mpi_shadow *shadow = call->shadow;

	if (code == MPI_SUCCESS && verify->parts & MPI_VERIFY_MATCHING) {
		if (!verify->memory)
			mpi_verify_overlap(call);
		mpi_verify_sides(call);
	}
	mpi_shadow_after(shadow, call, code);
	if (shadow->n_to_look > 0)
		mpi_shadow_advance(shadow);
}

static void enter(void *context, struct mpi_watch_call *watched)
{
	struct mpi_verify *verify = context;
	struct mpi_verify_call *call = (struct mpi_verify_call *)watched->room;
	struct mpi_rank *me = watched->me;

	if (watched->function->kind == MPI_CALL_NONE)
		return;
	if (verify->senders)
		note_sender(verify->senders, watched);
	call->me = me;
	call->function = watched->function;
	call->values = watched->values;
	call->status = call->statuses = call->own_statuses = NULL;
	call->plan = NULL;
	call->ops[0] = call->ops[1] = NULL;
	call->buffers = NULL;
	call->deed = NULL;
	call->step = NULL;
	call->handles = call->own_handles;
	call->n_ops = call->n_handles = 0;
	call->shadow = me->n_open > 0 && !verify->is_blind ? verify->shadow : NULL;
	if (me->n_open > 0 && verify->memory)
		mpi_memory_before(verify->memory, call);
	if (call->shadow) {
		mpi_shadow_before(call->shadow, call);
		mpi_verify_look(call->shadow);
	}
	if (call->buffers)
		mpi_memory_exchange(call, false);
	keep_statuses(call);
}

static int leave(void *context, struct mpi_watch_call *watched, int code)
{
	struct mpi_verify *verify = context;
	struct mpi_verify_call *call = (struct mpi_verify_call *)watched->room;

	if (verify->memory)
		mpi_memory_go_on(verify->memory, watched->me);
	if (watched->function->kind == MPI_CALL_NONE)
		return code;
	if (call->buffers)
		mpi_memory_exchange(call, true);
	if (verify->memory)
		mpi_memory_after(verify->memory, call, code);
	if (call->shadow)
		look_after(verify, call, code);
	if (call->own_statuses)
		free(call->own_statuses);
	return code;
}

int mpi_verify_watch(struct mpi_verify *verify)
{
	const struct mpi_watcher watcher = {.context = verify, .enter = enter, .leave = leave};

	return mpi_watch_add(verify->world, &watcher);
}
