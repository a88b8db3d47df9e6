/* SPDX-License-Identifier: BSD-3-Clause */
/* Construction of windows, and their end. */
#include <stdlib.h>
#include <string.h>

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

static int check(struct mpi_rank *me, struct creation *what, MPI_Comm comm, MPI_Info info,
		 const void *output, const MPI_Win *win)
{
	what->comm = mpi_comm_get(me, comm);
	if (!what->comm)
		return mpi_raise(me, NULL, MPI_ERR_COMM, "comm is %s",
				 comm == MPI_COMM_NULL ? "MPI_COMM_NULL" : "not a communicator");
	if (what->comm->remote)
		return mpi_raise(me, what->comm, MPI_ERR_COMM, "comm is an intercommunicator");
	if (!output || !win)
		return mpi_raise(me, what->comm, MPI_ERR_ARG, "%s is NULL",
				 win ? "baseptr" : "win");
	what->hints = info == MPI_INFO_NULL ? NULL : mpi_info_get(me, info);
	if (info != MPI_INFO_NULL && !what->hints)
		return mpi_raise(me, what->comm, MPI_ERR_INFO, "info is not an info object");
	return check_sizes(me, what);
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

/* `baseptr`: where the address of the memory goes; NULL: nowhere. */
static int create(struct mpi_rank *me, struct creation *what, MPI_Info info, MPI_Comm comm,
		  void *baseptr, MPI_Win *win)
{
	struct mpi_win *w;
	bool has_output =
	    what->flavor == MPI_WIN_FLAVOR_ALLOCATE || what->flavor == MPI_WIN_FLAVOR_SHARED;
	int code = check(me, what, comm, info, has_output ? baseptr : (void *)what, win);

	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	code = build(me, what, &w);
	if (code != MPI_SUCCESS)
		return mpi_leave(me,
				 mpi_raise(me, what->comm, code, "the window could not be made%s",
					   code == MPI_ERR_NO_MEM ? ": out of memory" : ""));
	if (has_output)
		*(void **)baseptr = w->base;
	*win = w->handle;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
		   MPI_Win *win)
{
	return create(MPI_ENTER(), &(struct creation){MPI_WIN_FLAVOR_CREATE, base, size, disp_unit},
		      info, comm, NULL, win);
}

int MPI_Win_create_c(void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
		     MPI_Win *win)
{
	return create(MPI_ENTER(), &(struct creation){MPI_WIN_FLAVOR_CREATE, base, size, disp_unit},
		      info, comm, NULL, win);
}

int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
		     MPI_Win *win)
{
	return create(MPI_ENTER(),
		      &(struct creation){MPI_WIN_FLAVOR_ALLOCATE, NULL, size, disp_unit}, info,
		      comm, baseptr, win);
}

int MPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
		       void *baseptr, MPI_Win *win)
{
	return create(MPI_ENTER(),
		      &(struct creation){MPI_WIN_FLAVOR_ALLOCATE, NULL, size, disp_unit}, info,
		      comm, baseptr, win);
}

int MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
			    void *baseptr, MPI_Win *win)
{
	return create(MPI_ENTER(), &(struct creation){MPI_WIN_FLAVOR_SHARED, NULL, size, disp_unit},
		      info, comm, baseptr, win);
}

int MPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
			      void *baseptr, MPI_Win *win)
{
	return create(MPI_ENTER(), &(struct creation){MPI_WIN_FLAVOR_SHARED, NULL, size, disp_unit},
		      info, comm, baseptr, win);
}

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	return create(MPI_ENTER(), &(struct creation){MPI_WIN_FLAVOR_DYNAMIC, NULL, 0, 1}, info,
		      comm, NULL, win);
}

int MPI_Win_free(MPI_Win *win)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_win *w;
	int code =
	    win ? rma_check_win(me, *win, &w) : mpi_raise(me, NULL, MPI_ERR_ARG, "win is NULL");

	if (code == MPI_SUCCESS)
		code = rma_check_no_epoch(me, w);
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	code = mpi_attributes_delete_all(me, KIND_WIN, (uintptr_t)*win, &w->attributes);
	if (code != MPI_SUCCESS)
		return mpi_leave(
		    me, rma_raise(me, w, code, "the delete function of an attribute failed"));
	rma_wait_for(me, w, WAIT_NOTICES, -1);
	code = mpi_coll_barrier(me, w->comm); /* nobody accesses it any more */
	rma_win_destroy(me, w);
	*win = MPI_WIN_NULL;
	return mpi_leave(me, code);
}
