/* SPDX-License-Identifier: BSD-3-Clause */
/* What every call of a verified program does first and last. */
#include "mpi/verify/call.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/abi/functions.h"
#include "mpi/verify/internal.h"
#include "mpi/verify/memory.h"
#include "mpi/watch/watch.h"
#include "pdexec/arch.h"

void *mpi_verify_substitute(const char *name)
{
	int n;
	const struct mpi_verify_function *functions = mpi_verify_functions(&n);

	return mpi_substitute_address(functions, n, sizeof *functions, name);
}

void *mpi_verify_substitute_watched(const char *name)
{
	void *address = mpi_verify_substitute(name);

	return address ? address : mpi_watch_substitute(name);
}

static bool is_send(enum mpi_verify_kind kind)
{
	return kind == MPI_CALL_SEND || kind == MPI_CALL_SENDRECV || kind == MPI_CALL_START;
}

bool mpi_verify_begin(struct mpi_verify_call *call, const struct mpi_verify_function *function,
		      const union mpi_verify_value values[], const void *site)
{
	struct mpi_rank *me = pd_current ? pd_current->mpi : NULL;

	if (!me || pd_current->world->thread != pd_arch_thread_pointer() || me->depth > 0)
		return false;
	if (me->depth == MPI_DEPTH_FOREIGN)
		site = mpi_foreign_site(me);
	mpi_enter_described(me, function->name, site);
	call->watched = NULL;
	if (me->world->watch) /* both are unions of the same things */
		call->watched = mpi_watch_begin(
		    me, function->name, site, (const union mpi_watch_value *)(const void *)values);
	if (me->world->verify->senders && is_send(function->kind) &&
	    !util_map_find(me->world->verify->senders, (uintptr_t)site))
		util_map_put(me->world->verify->senders, (uintptr_t)site,
			     (void *)(uintptr_t)function->name);
	call->me = me;
	call->function = function;
	call->values = values;
	call->status = call->statuses = call->own_statuses = NULL;
	call->plan = NULL;
	call->ops[0] = call->ops[1] = NULL;
	call->buffers = NULL;
	call->deed = NULL;
	call->step = NULL;
	call->handles = call->own_handles;
	call->n_ops = call->n_handles = 0;
	call->shadow =
	    me->n_open > 0 && !me->world->verify->is_blind ? me->world->verify->shadow : NULL;
	if (me->n_open > 0 && me->world->verify->memory)
		mpi_memory_before(me->world->verify->memory, call);
	if (call->shadow)
		mpi_verify_before(call);
	return true;
}

MPI_Status *mpi_verify_status(struct mpi_verify_call *call, MPI_Status *status)
{
	return call->status = status == MPI_STATUS_IGNORE ? &call->own : status;
}

MPI_Status *mpi_verify_statuses(struct mpi_verify_call *call, int n, MPI_Status statuses[])
{
	if (statuses != MPI_STATUSES_IGNORE || n <= 0)
		return call->statuses = statuses;
	if (n == 1)
		return call->statuses = &call->own;
	/* the call may block: other ranks need statuses of their own */
	call->own_statuses = malloc((size_t)n * sizeof *call->own_statuses);
	return call->statuses = call->own_statuses ? call->own_statuses : statuses;
}

int mpi_verify_end_call(struct mpi_verify_call *call, int code)
{
	if (call->me->world->verify->memory)
		mpi_memory_after(call->me->world->verify->memory, call, code);
	if (call->shadow)
		mpi_verify_after(call, code);
	if (call->own_statuses)
		free(call->own_statuses);
	mpi_watch_end(call->watched, code);
	return mpi_leave(call->me, code);
}
