/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/watch/watch.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/comm/comm.h"
#include "mpi/core/entry.h"
#include "mpi/io/file.h"
#include "mpi/p2p/poll.h"
#include "mpi/rma/window.h"
#include "pdexec/arch.h"

static void tell_polls(struct mpi_world *world)
{
	world->tells_polls = false;
	for (int i = 0; i < world->watch->n; i++)
		world->tells_polls |= !world->watch->of[i].skips_polls;
}

int mpi_watch_add(struct mpi_world *world, const struct mpi_watcher *watcher)
{
	if (!world->watch)
		world->watch = calloc(1, sizeof *world->watch);
	if (!world->watch)
		return UTIL_ENOMEM;
	world->watch->of[world->watch->n++] = *watcher;
	world->described = world->watch;
	tell_polls(world);
	return 0;
}

void mpi_watch_remove(struct mpi_world *world, const void *context)
{
	struct mpi_watch *watch = world->watch;
	int n = 0;

	for (int i = 0; watch && i < watch->n; i++)
		if (watch->of[i].context != context)
			watch->of[n++] = watch->of[i];
	if (watch)
		watch->n = n;
	if (watch)
		tell_polls(world);
	if (n == 0)
		world->described = NULL;
}

void mpi_watch_destroy(struct mpi_watch *watch)
{
	free(watch);
}

void *mpi_watch_address(const struct mpi_call_info *function)
{
	void *address = NULL;

	if (function)
		memcpy(&address, &mpi_wrappers[function - mpi_call_infos], sizeof address);
	return address;
}

const struct mpi_call_info *mpi_watched(const char *name)
{
	const struct mpi_call_info *function = mpi_call_info(name);

	return function && mpi_wrappers[function - mpi_call_infos] ? function : NULL;
}

void *mpi_watch_substitute(const char *name)
{
	return mpi_watch_address(mpi_call_info(name));
}

bool mpi_watch_is_collective(const struct mpi_call_info *function)
{
	return function->is_collective &&
	       (function->over < 0 || function->parameters[function->over].kind != PARAMETER_GROUP);
}

/* The first argument of that kind by its value, 0 if there is none. */
static uintptr_t handle_of(const struct mpi_watch_call *call, enum mpi_parameter_kind kind)
{
	int i = mpi_parameter_value(call->function, kind);

	return i >= 0 ? (uintptr_t)call->values[i].p : 0;
}

const struct mpi_comm *mpi_watch_comm(const struct mpi_watch_call *call)
{
	const struct mpi_call_info *function = call->function;
	int place = mpi_parameter_place(function, PARAMETER_COMM);
	const struct mpi_win *win;
	const struct mpi_file *file;

	if (mpi_parameter_value(function, PARAMETER_COMM) >= 0)
		return mpi_comm_get(call->me, (MPI_Comm)handle_of(call, PARAMETER_COMM));
	if (mpi_parameter_value(function, PARAMETER_WIN) >= 0) {
		win = mpi_win_get(call->me, (MPI_Win)handle_of(call, PARAMETER_WIN));
		return win ? win->comm : NULL;
	}
	if (mpi_parameter_value(function, PARAMETER_FILE) >= 0) {
		file = mpi_handle_object(call->me, KIND_FILE, handle_of(call, PARAMETER_FILE));
		return file ? file->comm : NULL;
	}
	if (place < 0 || !call->values[place].p)
		return NULL;
	return mpi_comm_get(call->me, *(const MPI_Comm *)call->values[place].p);
}

bool mpi_watch_enter(struct mpi_watch_call *call, const struct mpi_call_info *function,
		     union mpi_value values[], const void *site)
{
	struct mpi_rank *me = pd_current ? pd_current->mpi : NULL;
	struct mpi_polls polls = {.n = 0};
	const struct mpi_watch *watch;

	if (__builtin_expect(!me || pd_current->world->thread != pd_arch_thread_pointer(), 0)) {
		if (function->signature[0]) /* not those that any thread may call */
			mpi_enter_anytime(function->name, site);
		return false;
	}
	if (me->depth > 0)
		return false;
	if (me->depth == MPI_DEPTH_FOREIGN)
		site = mpi_foreign_site(me);
	watch = me->world->watch;
	if (__builtin_expect(!watch || watch->n == 0,
			     0)) { /* the function itself enters, for the program's call */
		me->foreign_site = site;
		me->depth = MPI_DEPTH_FOREIGN;
		return false;
	}
	call->function = function;
	call->values = values;
	call->me = me;
	call->site = site;
	if (me->endpoint && me->endpoint->n_answered > 0)
		polls = mpi_poll_begin(me, function->name, site);
	else
		mpi_entry_begin(me, function->name, site);
	call->n_polls = polls.n;
	call->pause_ps = polls.pause;
	for (int i = 0; i < watch->n; i++)
		watch->of[i].enter(watch->of[i].context, call);
	return true;
}

int mpi_watch_leave(struct mpi_watch_call *call, int code)
{
	struct mpi_rank *me = call->me;
	const struct mpi_watch *watch = me->world->watch;

	for (int i = 0; i < watch->n; i++)
		if (watch->of[i].leave)
			code = watch->of[i].leave(watch->of[i].context, call, code);
	return me->has_handled ? mpi_leave(me, code) : mpi_entry_leave(me, code);
}
