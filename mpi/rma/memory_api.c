/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of windows: attached to dynamic ones, and that of others on the same node. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/rma/epoch.h"
#include "mpi/rma/memory.h"
#include "mpi/rma/window.h"

static int check_dynamic(struct mpi_rank *me, MPI_Win handle, struct mpi_win **win)
{
	int code = rma_check_win(me, handle, win);

	if (code == MPI_SUCCESS && (*win)->window->flavor != MPI_WIN_FLAVOR_DYNAMIC)
		code = rma_raise(me, *win, MPI_ERR_RMA_FLAVOR,
				 "the window was not made by MPI_Win_create_dynamic");
	return code;
}

/* Where a region from `base` on belongs among the sorted ones. */
static int place_of(const struct mpi_win *win, const char *base)
{
	int i = 0;

	while (i < win->n_regions && win->regions[i].base < base)
		i++;
	return i;
}

static int check_region(struct mpi_rank *me, struct mpi_win *win, const char *base, MPI_Aint size)
{
	int i = place_of(win, base);
	MPI_Aint room_B;

	if (size < 0)
		return rma_raise(me, win, MPI_ERR_SIZE, "size is %lld, wanted at least 0",
				 (long long)size);
	if (!base && size > 0)
		return rma_raise(me, win, MPI_ERR_BASE, "base is NULL for %lld bytes",
				 (long long)size);
	room_B = rma_short_of(base, size);
	me->world->failure_class = room_B >= 0 ? "invalid-buffer" : NULL;
	if (room_B >= 0)
		return rma_raise(me, win, MPI_ERR_SIZE,
				 "size is %lld, but the block of memory at base has %lld bytes",
				 (long long)size, (long long)room_B);
	if ((i > 0 && win->regions[i - 1].base + win->regions[i - 1].size_B > base) ||
	    (i < win->n_regions && (base + size > win->regions[i].base)))
		return rma_raise(me, win, MPI_ERR_RMA_ATTACH,
				 "the memory overlaps with what is attached already");
	return MPI_SUCCESS;
}

int MPI_Win_attach(MPI_Win win, void *base, MPI_Aint size)
{
	struct mpi_rank *me = MPI_ENTER();
	struct rma_region *regions;
	struct mpi_win *w;
	int i, code = check_dynamic(me, win, &w);

	if (code == MPI_SUCCESS)
		code = check_region(me, w, base, size);
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	regions = realloc(w->regions, ((size_t)w->n_regions + 1) * sizeof *regions);
	if (!regions)
		return mpi_leave(
		    me, rma_raise(me, w, MPI_ERR_RMA_ATTACH, "out of memory to attach a region"));
	w->regions = regions;
	i = place_of(w, base);
	memmove(&regions[i + 1], &regions[i], (size_t)(w->n_regions++ - i) * sizeof *regions);
	regions[i] = (struct rma_region){base, size};
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Win_detach(MPI_Win win, const void *base)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_win *w;
	int i, code = check_dynamic(me, win, &w);

	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	i = place_of(w, base);
	if (i == w->n_regions || w->regions[i].base != base)
		return mpi_leave(
		    me, rma_raise(me, w, MPI_ERR_BASE, "no memory from this base on is attached"));
	w->n_regions--;
	memmove(&w->regions[i], &w->regions[i + 1],
		(size_t)(w->n_regions - i) * sizeof *w->regions);
	return mpi_leave(me, MPI_SUCCESS);
}

/* May `win` load from and store to the member's memory? Memory that the program gave may be
 * variables, which every rank has at the same address. */
static bool is_reachable(const struct mpi_win *win, const struct mpi_win *member)
{
	return member == win || (win->window->flavor != MPI_WIN_FLAVOR_CREATE &&
				 win->owner->pd->node == member->owner->pd->node);
}

static const struct mpi_win *first_with_memory(const struct mpi_win *win)
{
	for (int i = 0; i < win->size; i++)
		if (rma_member(win, i)->size_B > 0 && is_reachable(win, rma_member(win, i)))
			return rma_member(win, i);
	return NULL;
}

static int check_query(struct mpi_rank *me, MPI_Win handle, int rank, bool has_outputs,
		       struct mpi_win **win)
{
	int code = rma_check_win(me, handle, win);

	if (code == MPI_SUCCESS && (*win)->window->flavor == MPI_WIN_FLAVOR_DYNAMIC)
		code = rma_raise(me, *win, MPI_ERR_RMA_FLAVOR, "the window is a dynamic one");
	if (code == MPI_SUCCESS)
		code = rma_check_rank(me, *win, rank);
	if (code == MPI_SUCCESS && !has_outputs)
		code = rma_raise(me, *win, MPI_ERR_ARG, "an output argument is NULL");
	return code;
}

/* Memory that the caller cannot reach has size 0 and no address. */
static void query(const struct mpi_win *win, int rank, MPI_Aint *size, MPI_Aint *disp_unit,
		  void *baseptr)
{
	const struct mpi_win *member =
	    rank == MPI_PROC_NULL ? first_with_memory(win) : rma_member(win, rank);
	bool is_there = member && is_reachable(win, member);

	*size = is_there ? member->size_B : 0;
	*disp_unit = is_there ? member->disp_unit : 1;
	*(void **)baseptr = is_there ? member->base : NULL;
}

int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_win *w;
	MPI_Aint unit;
	int code = check_query(me, win, rank, size && disp_unit && baseptr, &w);

	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	query(w, rank, size, &unit, baseptr);
	*disp_unit = unit > INT_MAX ? MPI_UNDEFINED : (int)unit;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit,
			   void *baseptr)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_win *w;
	int code = check_query(me, win, rank, size && disp_unit && baseptr, &w);

	if (code == MPI_SUCCESS)
		query(w, rank, size, disp_unit, baseptr);
	return mpi_leave(me, code);
}
