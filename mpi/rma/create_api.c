/* SPDX-License-Identifier: BSD-3-Clause */
/* Construction of windows, and their end. */
#include <stdlib.h>
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/coll/coll.h"
#include "mpi/info/info.h"
#include "mpi/rma/epoch.h"
#include "mpi/rma/hints.h"
#include "mpi/rma/memory.h"
#include "mpi/rma/operation.h"

#define PAGE_B 4096

struct creation {
	int flavor;
	void *base; /* MPI_Win_create: of the program */
	MPI_Aint size_B, disp_unit;
	struct mpi_info *hints; /* NULL: none */
	struct mpi_comm *comm;
};

/* Do all members run on one node? */
static bool shares_memory(const struct mpi_rank *me, const struct mpi_comm *comm)
{
	const struct pd_rank *ranks = me->world->pd->ranks;

	for (int i = 1; i < comm->size; i++)
		if (ranks[mpi_group_world_rank(comm->group, i)].node !=
		    ranks[mpi_group_world_rank(comm->group, 0)].node)
			return false;
	return true;
}

static int check_sizes(struct mpi_rank *me, const struct creation *what)
{
	MPI_Aint room_B;

	if (what->size_B < 0)
		return mpi_raise(me, what->comm, MPI_ERR_SIZE, "size is %lld, wanted at least 0",
				 (long long)what->size_B);
	if (what->disp_unit < 1)
		return mpi_raise(me, what->comm, MPI_ERR_DISP,
				 "disp_unit is %lld, wanted at least 1",
				 (long long)what->disp_unit);
	if (what->flavor == MPI_WIN_FLAVOR_CREATE && what->size_B > 0 && !what->base)
		return mpi_raise(me, what->comm, MPI_ERR_BASE, "base is NULL for %lld bytes",
				 (long long)what->size_B);
	room_B = rma_short_of(what->base, what->size_B);
	me->world->failure_class = room_B >= 0 ? "invalid-buffer" : NULL;
	if (room_B >= 0)
		return mpi_raise(me, what->comm, MPI_ERR_SIZE,
				 "size is %lld, but the block of memory at base has %lld bytes",
				 (long long)what->size_B, (long long)room_B);
	if (what->flavor == MPI_WIN_FLAVOR_SHARED && !shares_memory(me, what->comm))
		return mpi_raise(me, what->comm, MPI_ERR_RMA_SHARED,
				 "the ranks of comm are on different nodes");
	return MPI_SUCCESS;
}

/* --- memory --- */

static int allocate(struct mpi_win *win, const struct mpi_info *hints)
{
	win->allocated = mpi_info_aligned_alloc(hints, (size_t)win->size_B);
	win->base = win->allocated;
	return win->allocated ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* What a member takes of a shared segment: all of it, up to a page's end where it need not be
 * contiguous. */
static size_t share_of(const struct mpi_win *member, bool is_scattered)
{
	size_t size_B = (size_t)member->size_B;

	return is_scattered ? (size_B + PAGE_B - 1) / PAGE_B * PAGE_B : size_B;
}

/* All members have said how much they want. The first to come here makes the segment for all. */
static int allocate_shared(struct mpi_win *win)
{
	struct rma_window *window = win->window;
	const char *value = mpi_info_value(win->info, "alloc_shared_noncontig");
	bool is_scattered = value && strcmp(value, "true") == 0;
	size_t total_B = 0;
	char *base;

	if (window->segment)
		return MPI_SUCCESS;
	for (int i = 0; i < win->size; i++)
		total_B += share_of(window->members[i], is_scattered);
	window->segment = aligned_alloc(PAGE_B, (total_B + PAGE_B) / PAGE_B * PAGE_B);
	if (!window->segment)
		return MPI_ERR_NO_MEM;
	base = window->segment;
	for (int i = 0; i < win->size; i++) {
		window->members[i]->base = base;
		base += share_of(window->members[i], is_scattered);
	}
	return MPI_SUCCESS;
}

/* --- construction --- */

static int build(struct mpi_rank *me, const struct creation *what, struct mpi_win **out)
{
	struct mpi_win *win;
	struct rma_data memory = {what->base, what->size_B, mpi_datatype_get(me, MPI_BYTE)};
	int code;

	if (what->base)
		rma_touch(&memory);
	code = rma_win_create(me, what->comm, what->flavor, &win);
	if (code != MPI_SUCCESS)
		return code;
	win->base = what->base;
	win->size_B = what->size_B;
	win->disp_unit = what->disp_unit;
	code = rma_hints_set(win, what->hints);
	if (code == MPI_SUCCESS && what->flavor == MPI_WIN_FLAVOR_ALLOCATE)
		code = allocate(win, what->hints);
	/* nobody uses the window before all members have made their parts */
	if (code == MPI_SUCCESS)
		code = mpi_coll_barrier(me, win->comm);
	if (code == MPI_SUCCESS && what->flavor == MPI_WIN_FLAVOR_SHARED)
		code = allocate_shared(win);
	if (code == MPI_SUCCESS) {
		win->handle = (MPI_Win)mpi_handle_create(me, KIND_WIN, win);
		code = win->handle ? MPI_SUCCESS : MPI_ERR_NO_MEM;
	}
	if (code != MPI_SUCCESS)
		rma_win_destroy(me, win);
	*out = win;
	return code;
}

static int create(struct mpi_rank *me, const struct creation *what, struct mpi_win **out)
{
	int code = check_sizes(me, what);

	if (code != MPI_SUCCESS)
		return code;
	code = build(me, what, out);
	if (code == MPI_SUCCESS)
		return code;
	return mpi_raise(me, what->comm, code, "the window could not be made%s",
			 code == MPI_ERR_NO_MEM ? ": out of memory" : "");
}

int mpi_win_create(struct mpi_rank *me, void *base, MPI_Aint size, MPI_Aint disp_unit,
		   struct mpi_info *info, struct mpi_comm *comm, MPI_Win *win)
{
	const struct creation what = {MPI_WIN_FLAVOR_CREATE, base, size, disp_unit, info, comm};
	struct mpi_win *made;
	int code = create(me, &what, &made);

	if (code == MPI_SUCCESS)
		*win = made->handle;
	return code;
}

int mpi_win_allocate(struct mpi_rank *me, int flavor, MPI_Aint size, MPI_Aint disp_unit,
		     struct mpi_info *info, struct mpi_comm *comm, void *baseptr, MPI_Win *win)
{
	const struct creation what = {flavor, NULL, size, disp_unit, info, comm};
	struct mpi_win *made;
	int code = create(me, &what, &made);

	if (code != MPI_SUCCESS)
		return code;
	*(void **)baseptr = made->base;
	*win = made->handle;
	return MPI_SUCCESS;
}

int mpi_win_create_dynamic(struct mpi_rank *me, struct mpi_info *info, struct mpi_comm *comm,
			   MPI_Win *win)
{
	const struct creation what = {MPI_WIN_FLAVOR_DYNAMIC, NULL, 0, 1, info, comm};
	struct mpi_win *made;
	int code = create(me, &what, &made);

	if (code == MPI_SUCCESS)
		*win = made->handle;
	return code;
}

int mpi_win_free(struct mpi_rank *me, struct mpi_win *win, MPI_Win *place)
{
	int code = rma_check_no_epoch(me, win);

	if (code != MPI_SUCCESS)
		return code;
	code = mpi_attributes_delete_all(me, KIND_WIN, (uintptr_t)*place, &win->attributes);
	if (code != MPI_SUCCESS)
		return rma_raise(me, win, code, "the delete function of an attribute failed");
	rma_wait_for(me, win, WAIT_NOTICES, -1);
	code = mpi_coll_barrier(me, win->comm); /* nobody accesses it any more */
	rma_win_destroy(me, win);
	*place = MPI_WIN_NULL;
	return code;
}
