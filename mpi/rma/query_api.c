/* SPDX-License-Identifier: BSD-3-Clause */
/* What belongs to a window besides its memory: group, name, hints, attributes, error handler. */
#include <stdlib.h>
#include <string.h>

#include "mpi/env/errhandler.h"
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

static int check_output(struct mpi_rank *me, struct mpi_win *win, const void *output,
			const char *name)
{
	return output ? MPI_SUCCESS : rma_raise(me, win, MPI_ERR_ARG, "%s is NULL", name);
}

int MPI_Win_set_info(MPI_Win win, MPI_Info info)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_info *given = mpi_info_get(me, info);
	struct mpi_win *w;
	int code = rma_check_win(me, win, &w);

	if (code == MPI_SUCCESS && !given)
		code = rma_raise(me, w, MPI_ERR_INFO, "info is not an info object");
	if (code == MPI_SUCCESS && rma_hints_set(w, given) != MPI_SUCCESS)
		code = rma_raise(me, w, MPI_ERR_NO_MEM, "out of memory for hints");
	return mpi_leave(me, code);
}

int MPI_Win_get_info(MPI_Win win, MPI_Info *info_used)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_info *copy = NULL;
	struct mpi_win *w;
	int code = rma_check_win(me, win, &w);

	if (code == MPI_SUCCESS)
		code = check_output(me, w, info_used, "info_used");
	if (code == MPI_SUCCESS && mpi_info_duplicate(w->info, &copy) < 0)
		code = rma_raise(me, w, MPI_ERR_NO_MEM, "out of memory for an info object");
	if (code == MPI_SUCCESS)
		code = mpi_info_publish(me, copy, info_used);
	return mpi_leave(me, code);
}

int MPI_Win_set_name(MPI_Win win, const char *win_name)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_win *w;
	char *copy = NULL;
	int code = rma_check_win(me, win, &w);

	if (code == MPI_SUCCESS)
		code = check_output(me, w, win_name, "win_name");
	if (code == MPI_SUCCESS && !(copy = strndup(win_name, MPI_MAX_OBJECT_NAME - 1)))
		code = rma_raise(me, w, MPI_ERR_NO_MEM, "out of memory for a name");
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	free(w->name);
	w->name = copy;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Win_get_name(MPI_Win win, char *win_name, int *resultlen)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_win *w = NULL;
	const char *name = "MPI_WIN_NULL";
	int code = win == MPI_WIN_NULL ? MPI_SUCCESS : rma_check_win(me, win, &w);

	if (code == MPI_SUCCESS && (!win_name || !resultlen))
		code = w ? rma_raise(me, w, MPI_ERR_ARG, "an output argument is NULL")
			 : mpi_raise(me, NULL, MPI_ERR_ARG, "an output argument is NULL");
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	if (w)
		name = w->name ? w->name : "";
	*resultlen = (int)strlen(name);
	memcpy(win_name, name, (size_t)*resultlen + 1);
	return mpi_leave(me, MPI_SUCCESS);
}

/* --- error handlers --- */

int MPI_Win_create_errhandler(MPI_Win_errhandler_function *win_errhandler_fn,
			      MPI_Errhandler *errhandler)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));
	int code =
	    mpi_errhandler_create(me, KIND_WIN, (void (*)(void))win_errhandler_fn, errhandler);

	if (code != MPI_SUCCESS)
		code = mpi_raise(me, NULL, code,
				 "the function or errhandler is NULL, or there is no memory");
	return mpi_leave(me, code);
}

int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_win *w;
	int code = rma_check_win(me, win, &w);

	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	code = mpi_errhandler_set(me, KIND_WIN, errhandler, &w->errhandler);
	if (code != MPI_SUCCESS)
		code = rma_raise(me, w, code, "errhandler is not an error handler of windows");
	return mpi_leave(me, code);
}

int MPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *errhandler)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_win *w;
	int code = rma_check_win(me, win, &w);

	if (code == MPI_SUCCESS)
		code = check_output(me, w, errhandler, "errhandler");
	if (code == MPI_SUCCESS)
		code = mpi_errhandler_give(w->errhandler, errhandler);
	return mpi_leave(me, code);
}

int MPI_Win_call_errhandler(MPI_Win win, int errorcode)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_win *w;
	int code = rma_check_win(me, win, &w);

	if (code == MPI_SUCCESS)
		rma_raise(me, w, errorcode, "the program called the error handler with code %d",
			  errorcode);
	return mpi_leave(me, code);
}

/* --- attributes --- */

int MPI_Win_create_keyval(MPI_Win_copy_attr_function *win_copy_attr_fn,
			  MPI_Win_delete_attr_function *win_delete_attr_fn, int *win_keyval,
			  void *extra_state)
{
	struct mpi_rank *me = MPI_ENTER();

	return mpi_leave(me, mpi_keyval_create(me, KIND_WIN, (void (*)(void))win_copy_attr_fn,
					       (void (*)(void))win_delete_attr_fn, win_keyval,
					       extra_state));
}

int MPI_Win_free_keyval(int *win_keyval)
{
	struct mpi_rank *me = MPI_ENTER();

	return mpi_leave(me, mpi_keyval_free(me, KIND_WIN, win_keyval));
}

int MPI_Win_set_attr(MPI_Win win, int win_keyval, void *attribute_val)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_win *w;
	int code = rma_check_win(me, win, &w);

	if (code == MPI_SUCCESS)
		code = mpi_attribute_set(me, KIND_WIN, (uintptr_t)win, &w->attributes, win_keyval,
					 attribute_val);
	return mpi_leave(me, code);
}

int MPI_Win_delete_attr(MPI_Win win, int win_keyval)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_win *w;
	int code = rma_check_win(me, win, &w);

	if (code == MPI_SUCCESS)
		code =
		    mpi_attribute_delete(me, KIND_WIN, (uintptr_t)win, &w->attributes, win_keyval);
	return mpi_leave(me, code);
}

/* What the program gets for a predefined attribute; NULL: `keyval` is none. */
static void *predefined_value(struct mpi_win *win, int keyval)
{
	win->disp_unit_attribute = (int)win->disp_unit;
	win->flavor_attribute = win->window->flavor;
	win->model_attribute = MPI_WIN_UNIFIED;
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

int MPI_Win_get_attr(MPI_Win win, int win_keyval, void *attribute_val, int *flag)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_win *w;
	void *value;
	int code = rma_check_win(me, win, &w);

	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	value = win_keyval == MPI_WIN_BASE ? w->base : predefined_value(w, win_keyval);
	if ((value || win_keyval == MPI_WIN_BASE) && attribute_val && flag) {
		*(void **)attribute_val = value;
		*flag = 1;
		return mpi_leave(me, MPI_SUCCESS);
	}
	return mpi_leave(me, mpi_attribute_get(me, KIND_WIN, (uintptr_t)win, w->attributes,
					       win_keyval, attribute_val, flag));
}
