/* SPDX-License-Identifier: BSD-3-Clause */
/* Life of windows, and who their members are. */
#include "mpi/rma/window.h"

#include <stdlib.h>

#include "mpi/create/create.h"
#include "mpi/core/errhandler.h"
#include "mpi/info/info.h"
#include "mpi/rma/host.h"
#include "mpi/rma/operation.h"
#include "mpi/rma/rma.h"

int mpi_rma_create(struct mpi_world *world)
{
	struct rma_world *rma = calloc(1, sizeof *rma);

	if (!rma)
		return UTIL_ENOMEM;
	util_pool_init(&rma->ops, sizeof(struct rma_op));
	world->rma = rma;
	return 0;
}

bool rma_is_separate(const struct mpi_world *world)
{
	return world->pd->cluster->rma.model == CLUSTER_RMA_SEPARATE;
}

struct mpi_win *mpi_win_get(const struct mpi_rank *me, MPI_Win handle)
{
	return mpi_handle_object(me, KIND_WIN, (uintptr_t)handle);
}

int rma_check_win(struct mpi_rank *me, MPI_Win handle, struct mpi_win **out)
{
	*out = mpi_win_get(me, handle);
	if (*out)
		return MPI_SUCCESS;
	return mpi_raise(me, NULL, MPI_ERR_WIN, "win is %s",
			 handle == MPI_WIN_NULL ? "MPI_WIN_NULL" : "not a window");
}

/* --- peers --- */

struct rma_peer *rma_peer_find(const struct mpi_win *win, int rank)
{
	const struct util_map_slot *slot = util_map_find(&win->peers, (uint64_t)rank);

	return slot ? slot->item : NULL;
}

struct rma_peer *rma_peer(struct mpi_win *win, int rank)
{
	struct rma_peer *peer = rma_peer_find(win, rank);

	if (peer)
		return peer;
	peer = calloc(1, sizeof *peer);
	if (!peer || util_map_put(&win->peers, (uint64_t)rank, peer)) {
		free(peer);
		pd_fail(win->owner->pd, PD_FAILURE_MEMORY, "out of memory for a window");
	}
	peer->rank = rank;
	return peer;
}

/* --- windows --- */

static void finish(void *shared)
{
	struct rma_window *window = shared;

	free(window->segment);
	free(window->members);
}

/* The window that the members of `comm` make; the first to come makes it. NULL: out of memory. */
static struct rma_window *join(struct mpi_rank *me, const struct mpi_comm *comm, int flavor)
{
	const struct mpi_meeting_key key = {.kind = MPI_MEETING_WINDOW, .context = comm->context};
	struct rma_window *window = mpi_meeting_join(me->world, key, sizeof *window, finish);

	if (!window || window->members)
		return window;
	window->flavor = flavor;
	window->n_members = window->meeting.n_left = comm->size;
	window->last_waiter = &window->waiters;
	window->members = calloc((size_t)comm->size, sizeof(struct mpi_win *));
	return window->members ? window : NULL;
}

static struct mpi_win *create_member(struct mpi_rank *me, struct mpi_comm *comm,
				     struct rma_window *window)
{
	struct rma_host *host = rma_host(me);
	struct mpi_win *win = calloc(1, sizeof *win);

	if (!win)
		return NULL;
	win->window = window;
	win->owner = me;
	win->comm = comm;
	win->rank = comm->rank;
	win->size = comm->size;
	win->disp_unit = 1;
	win->exclusive = -1;
	win->errhandler = mpi_errhandler_fatal();
	util_list_prepend(&host->windows, win);
	window->members[comm->rank] = win;
	return win;
}

int rma_win_create(struct mpi_rank *me, struct mpi_comm *comm, int flavor, struct mpi_win **out)
{
	struct mpi_comm *own;
	struct rma_window *window;
	int code = mpi_comm_duplicate(me, comm, true, &own);

	if (code != MPI_SUCCESS)
		return code;
	window = join(me, own, flavor);
	*out = window ? create_member(me, own, window) : NULL;
	if (*out)
		return MPI_SUCCESS;
	mpi_comm_release(me, own);
	return MPI_ERR_NO_MEM;
}

/* What a member holds, without looking at others. */
static void free_member(struct mpi_rank *me, struct mpi_win *win)
{
	util_map_finish_items(&win->peers);
	mpi_group_release(me, win->access_group);
	mpi_group_release(me, win->exposure_group);
	mpi_errhandler_release(me, win->errhandler);
	mpi_attributes_discard(win->attributes);
	mpi_info_destroy(win->info);
	mpi_comm_release(me, win->comm);
	free(win->allocated);
	free(win->regions);
	free(win->name);
	free(win);
}

void rma_win_destroy(struct mpi_rank *me, struct mpi_win *win)
{
	struct rma_window *window = win->window;

	if (win->handle)
		mpi_handle_destroy(me, (uintptr_t)win->handle);
	window->members[win->rank] = NULL;
	util_list_remove(&rma_host(me)->windows, win);
	free_member(me, win);
	mpi_meeting_leave(me->world, &window->meeting);
}

void mpi_rma_finalize(struct mpi_rank *me)
{
	struct rma_host *host = me->rma;

	for (struct mpi_win *win = host ? host->windows.first : NULL; win; win = win->link.next)
		win->is_abandoned = true;
}

void mpi_rma_destroy(struct mpi_world *world)
{
	struct rma_world *rma = world->rma;

	if (!rma)
		return;
	for (int i = 0; world->ranks && i < world->n_ranks; i++) {
		struct rma_host *host = world->ranks[i].rma;

		while (host && host->windows.first)
			rma_win_destroy(&world->ranks[i], host->windows.first);
		if (host)
			free(host->engine);
		free(host);
		world->ranks[i].rma = NULL;
	}
	util_pool_finish(&rma->ops);
	free(rma);
	world->rma = NULL;
}
