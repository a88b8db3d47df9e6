/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of windows: attached to dynamic ones, and that of others on the same node. */
#include <stdlib.h>
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/rma/epoch.h"
#include "mpi/rma/memory.h"
#include "mpi/rma/window.h"

static int check_dynamic(struct mpi_rank *me, struct mpi_win *win)
{
	return win->window->flavor == MPI_WIN_FLAVOR_DYNAMIC
		   ? MPI_SUCCESS
		   : rma_raise(me, win, MPI_ERR_RMA_FLAVOR,
			       "the window was not made by MPI_Win_create_dynamic");
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

int mpi_win_attach(struct mpi_rank *me, struct mpi_win *win, void *base, MPI_Aint size)
{
	struct rma_region *regions;
	int i, code = check_dynamic(me, win);

	if (code == MPI_SUCCESS)
		code = check_region(me, win, base, size);
	if (code != MPI_SUCCESS)
		return code;
	regions = realloc(win->regions, ((size_t)win->n_regions + 1) * sizeof *regions);
	if (!regions)
		return rma_raise(me, win, MPI_ERR_RMA_ATTACH, "out of memory to attach a region");
	win->regions = regions;
	i = place_of(win, base);
	memmove(&regions[i + 1], &regions[i], (size_t)(win->n_regions++ - i) * sizeof *regions);
	regions[i] = (struct rma_region){base, size};
	return MPI_SUCCESS;
}

int mpi_win_detach(struct mpi_rank *me, struct mpi_win *win, const void *base)
{
	int i, code = check_dynamic(me, win);

	if (code != MPI_SUCCESS)
		return code;
	i = place_of(win, base);
	if (i == win->n_regions || win->regions[i].base != base)
		return rma_raise(me, win, MPI_ERR_BASE, "no memory from this base on is attached");
	win->n_regions--;
	memmove(&win->regions[i], &win->regions[i + 1],
		(size_t)(win->n_regions - i) * sizeof *win->regions);
	return MPI_SUCCESS;
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

/* Memory that the caller cannot reach has size 0 and no address. */
int mpi_win_shared_query(struct mpi_rank *me, struct mpi_win *win, int rank, MPI_Aint *size,
			 MPI_Aint *disp_unit, void *baseptr)
{
	const struct mpi_win *member;
	bool is_there;
	int code = win->window->flavor == MPI_WIN_FLAVOR_DYNAMIC
		       ? rma_raise(me, win, MPI_ERR_RMA_FLAVOR, "the window is a dynamic one")
		       : rma_check_rank(me, win, rank);

	if (code != MPI_SUCCESS)
		return code;
	member = rank == MPI_PROC_NULL ? first_with_memory(win) : rma_member(win, rank);
	is_there = member && is_reachable(win, member);
	*size = is_there ? member->size_B : 0;
	*disp_unit = is_there ? member->disp_unit : 1;
	*(void **)baseptr = is_there ? member->base : NULL;
	return MPI_SUCCESS;
}
