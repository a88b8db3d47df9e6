/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/watch/watch.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/abi/functions.h"
#include "mpi/comm/comm.h"
#include "mpi/io/file.h"
#include "mpi/rma/window.h"
#include "pdexec/arch.h"

int mpi_watch_add(struct mpi_world *world, const struct mpi_watcher *watcher)
{
	if (!world->watch)
		world->watch = calloc(1, sizeof *world->watch);
	if (!world->watch)
		return UTIL_ENOMEM;
	world->watch->of[world->watch->n++] = *watcher;
	if (!world->described)
		world->described = world->watch;
	return 0;
}

void mpi_watch_destroy(struct mpi_watch *watch)
{
	free(watch);
}

const struct mpi_watch_function *mpi_watch_function(const char *name)
{
	int n;
	const struct mpi_watch_function *functions = mpi_watch_functions(&n);

	return mpi_substitute_find(functions, n, sizeof *functions, name);
}

void *mpi_watch_substitute(const char *name)
{
	int n;
	const struct mpi_watch_function *functions = mpi_watch_functions(&n);

	return mpi_substitute_address(functions, n, sizeof *functions, name);
}

int mpi_watch_find(const struct mpi_watch_call *call, enum mpi_watch_kind kind)
{
	const char *found = strchr(call->function->kinds, (int)kind);

	return found ? (int)(found - call->function->kinds) : -1;
}

const struct mpi_comm *mpi_watch_comm(const struct mpi_watch_call *call)
{
	int i = mpi_watch_find(call, MPI_WATCH_COMM);
	const MPI_Comm *place;
	const struct mpi_win *win;
	const struct mpi_file *file;

	if (i >= 0)
		return mpi_comm_get(call->me, (MPI_Comm)call->values[i].handle);
	i = mpi_watch_find(call, MPI_WATCH_WIN);
	if (i >= 0) {
		win = mpi_win_get(call->me, (MPI_Win)call->values[i].handle);
		return win ? win->comm : NULL;
	}
	i = mpi_watch_find(call, MPI_WATCH_FILE);
	if (i >= 0) {
		file = mpi_handle_object(call->me, KIND_FILE, call->values[i].handle);
		return file ? file->comm : NULL;
	}
	i = mpi_watch_find(call, MPI_WATCH_COMM_PLACE);
	if (i < 0 || !(place = call->values[i].place))
		return NULL;
	return mpi_comm_get(call->me, *place);
}

static void tell_enter(const struct mpi_watch_call *call)
{
	const struct mpi_watch *watch = call->me->world->watch;

	for (int i = 0; i < watch->n; i++)
		if (watch->of[i].enter)
			watch->of[i].enter(watch->of[i].context, call);
}

static void tell_leave(const struct mpi_watch_call *call, int code)
{
	const struct mpi_watch *watch = call->me->world->watch;

	for (int i = 0; i < watch->n; i++)
		if (watch->of[i].leave)
			watch->of[i].leave(watch->of[i].context, call, code);
}

struct mpi_watch_call *mpi_watch_begin(struct mpi_rank *me, const char *name, const void *site,
				       const union mpi_watch_value values[])
{
	const struct mpi_watch_function *function =
	    me->world->watch ? mpi_watch_function(name) : NULL;
	struct mpi_watch_call *call = function ? malloc(sizeof *call) : NULL;

	if (!call)
		return NULL;
	*call = (struct mpi_watch_call){.function = function, .me = me, .site = site};
	for (int i = 0; function->kinds[i]; i++)
		if (function->kinds[i] != MPI_WATCH_OTHER)
			call->values[i] = values[i];
	tell_enter(call);
	return call;
}

void mpi_watch_end(struct mpi_watch_call *call, int code)
{
	if (call)
		tell_leave(call, code);
	free(call);
}

bool mpi_watch_enter(struct mpi_watch_call *call, const struct mpi_watch_function *function,
		     const void *site)
{
	struct mpi_rank *me;

	if (!pd_current || pd_current->world->thread != pd_arch_thread_pointer())
		return false;
	me = pd_current->mpi;
	if (me->depth > 0 || !me->world->watch)
		return false;
	if (me->depth == MPI_DEPTH_FOREIGN)
		site = mpi_foreign_site(me);
	call->function = function;
	call->me = me;
	call->site = site;
	mpi_enter_described(me, function->name, site);
	tell_enter(call);
	return true;
}

int mpi_watch_leave(struct mpi_watch_call *call, int code)
{
	tell_leave(call, code);
	return mpi_leave(call->me, code);
}
