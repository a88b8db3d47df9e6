/* SPDX-License-Identifier: BSD-3-Clause */
/* What belongs to a window besides its memory: group, name, hints, attributes, error handler. */
#include <stdlib.h>
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/core/errhandler.h"
#include "mpi/rma/hints.h"

struct hint {
	const char *key, *value; /* NULL: none by default */
};

static const struct hint hints[] = {
    {"no_locks", "false"},
    {"accumulate_ordering", "rar,raw,war,waw"},
    {"accumulate_ops", "same_op_no_op"},
    {"mpi_accumulate_granularity", "0"},
    {"same_size", "false"},
    {"same_disp_unit", "false"},
    {"alloc_shared_noncontig", "false"},
    {"mpi_minimum_memory_alignment", NULL},
    {"mpi_assert_memory_alloc_kinds", NULL},
};

int rma_hints_set(struct mpi_win *win, const struct mpi_info *given)
{
	bool is_new = !win->info;

	if (is_new && !(win->info = mpi_info_create()))
		return MPI_ERR_NO_MEM;
	for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
		const char *value = given ? mpi_info_value(given, hints[i].key) : NULL;

		if (!value && is_new)
			value = hints[i].value;
		if (value && mpi_info_set(win->info, hints[i].key, value) < 0)
			return MPI_ERR_NO_MEM;
	}
	return MPI_SUCCESS;
}

int mpi_win_get_group(struct mpi_rank *me, struct mpi_win *win, MPI_Group *group)
{
	return mpi_group_publish(me, win->comm->group, group);
}

int mpi_win_set_info(struct mpi_rank *me, struct mpi_win *win, MPI_Info info)
{
	struct mpi_info *given = mpi_info_get(me, info);

	if (!given)
		return rma_raise(me, win, MPI_ERR_INFO, "info is not an info object");
	if (rma_hints_set(win, given) != MPI_SUCCESS)
		return rma_raise(me, win, MPI_ERR_NO_MEM, "out of memory for hints");
	return MPI_SUCCESS;
}

int mpi_win_get_info(struct mpi_rank *me, struct mpi_win *win, MPI_Info *info_used)
{
	struct mpi_info *copy = NULL;

	if (mpi_info_duplicate(win->info, &copy) < 0)
		return rma_raise(me, win, MPI_ERR_NO_MEM, "out of memory for an info object");
	return mpi_info_publish(me, copy, info_used);
}

int mpi_win_set_name(struct mpi_rank *me, struct mpi_win *win, const char *win_name)
{
	char *copy = strndup(win_name, MPI_MAX_OBJECT_NAME - 1);

	if (!copy)
		return rma_raise(me, win, MPI_ERR_NO_MEM, "out of memory for a name");
	free(win->name);
	win->name = copy;
	return MPI_SUCCESS;
}

int mpi_win_get_name(struct mpi_rank *me, struct mpi_win *win, char *win_name, int *resultlen)
{
	const char *name = !win ? "MPI_WIN_NULL" : win->name ? win->name : "";

	*resultlen = (int)strlen(name);
	memcpy(win_name, name, (size_t)*resultlen + 1);
	return MPI_SUCCESS;
}

/* --- error handlers --- */

int mpi_win_set_errhandler(struct mpi_rank *me, struct mpi_win *win, MPI_Errhandler errhandler)
{
	return mpi_errhandler_set(me, KIND_WIN, (uintptr_t)win->handle, errhandler,
				  &win->errhandler);
}

int mpi_win_get_errhandler(struct mpi_rank *me, struct mpi_win *win, MPI_Errhandler *errhandler)
{
	return mpi_errhandler_give(win->errhandler, errhandler);
}

int mpi_win_call_errhandler(struct mpi_rank *me, struct mpi_win *win, int errorcode)
{
	rma_raise(me, win, errorcode, "the program called the error handler with code %d",
		  errorcode);
	return MPI_SUCCESS;
}

/* --- attributes --- */

int mpi_win_set_attr(struct mpi_rank *me, struct mpi_win *win, int keyval, void *value)
{
	return mpi_attribute_set(me, KIND_WIN, (uintptr_t)win->handle, &win->attributes, keyval,
				 value);
}

int mpi_win_delete_attr(struct mpi_rank *me, struct mpi_win *win, int keyval)
{
	return mpi_attribute_delete(me, KIND_WIN, (uintptr_t)win->handle, &win->attributes, keyval);
}

/* What the program gets for a predefined attribute; NULL: `keyval` is none. */
static void *predefined_value(struct mpi_win *win, int keyval)
{
	win->disp_unit_attribute = (int)win->disp_unit;
	win->flavor_attribute = win->window->flavor;
	win->model_attribute =
	    rma_is_separate(win->owner->world) && win->window->flavor != MPI_WIN_FLAVOR_SHARED
		? MPI_WIN_SEPARATE
		: MPI_WIN_UNIFIED;
	switch (keyval) {
	case MPI_WIN_SIZE:
		return &win->size_B;
	case MPI_WIN_DISP_UNIT:
		return &win->disp_unit_attribute;
	case MPI_WIN_CREATE_FLAVOR:
		return &win->flavor_attribute;
	case MPI_WIN_MODEL:
		return &win->model_attribute;
	default:
		return NULL;
	}
}

int mpi_win_get_attr(struct mpi_rank *me, struct mpi_win *win, int keyval, void *out, int *flag)
{
	void *value = keyval == MPI_WIN_BASE ? win->base : predefined_value(win, keyval);

	if ((value || keyval == MPI_WIN_BASE) && out && flag) {
		*(void **)out = value;
		*flag = 1;
		return MPI_SUCCESS;
	}
	return mpi_attribute_get(me, KIND_WIN, (uintptr_t)win->handle, win->attributes, keyval, out,
				 flag);
}
