/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance variables: start, stop, read, set. */
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/tool/pvar.h"

int tool_pvar_check(const struct mpi_rank *me, MPI_T_pvar_session session, MPI_T_pvar_handle handle,
		    struct tool_pvar_handle **object)
{
	struct tool_pvar_session *found;
	int code = tool_pvar_session_check(me, session, &found);

	if (code != MPI_SUCCESS)
		return code;
	*object = mpi_handle_object(me, KIND_TOOL_PVAR, (uintptr_t)handle);
	return *object && (*object)->session == found ? MPI_SUCCESS : MPI_T_ERR_INVALID_HANDLE;
}

/* sum + now - begin */
static union tool_value value_of(const struct mpi_rank *me, const struct tool_pvar_handle *handle)
{
	const struct tool_pvar *pvar = handle->pvar;
	union tool_value value = handle->sum, now;

	if (pvar->is_level)
		return pvar->value(me);
	if (!handle->is_started)
		return value;
	now = pvar->value(me);
	if (pvar->datatype == MPI_DOUBLE)
		value.real += now.real - handle->begin.real;
	else
		value.count += now.count - handle->begin.count;
	return value;
}

static void set(const struct mpi_rank *me, struct tool_pvar_handle *handle, union tool_value value)
{
	handle->sum = value;
	handle->begin = handle->pvar->value(me);
}

static void apply(const struct mpi_rank *me, struct tool_pvar_handle *handle, int change)
{
	if (change == TOOL_RESET) {
		set(me, handle, (union tool_value){.count = 0}); /* and 0.0 */
	} else if (handle->is_started != (change == TOOL_START)) {
		set(me, handle, value_of(me, handle));
		handle->is_started = change == TOOL_START;
	}
}

/* Of all handles those that cannot be changed stay as they are; of a single one that is an error.
 */
int mpi_t_pvar_change(struct mpi_rank *me, int change, MPI_T_pvar_session session,
		      MPI_T_pvar_handle handle)
{
	struct tool_pvar_session *all;
	struct tool_pvar_handle *object;
	int code;

	if (handle != MPI_T_PVAR_ALL_HANDLES) {
		code = tool_pvar_check(me, session, handle, &object);
		if (code == MPI_SUCCESS && object->pvar->is_level)
			code = change == TOOL_RESET ? MPI_T_ERR_PVAR_NO_WRITE
						    : MPI_T_ERR_PVAR_NO_STARTSTOP;
		if (code == MPI_SUCCESS)
			apply(me, object, change);
		return code;
	}
	code = tool_pvar_session_check(me, session, &all);
	for (object = code == MPI_SUCCESS ? all->handles.first : NULL; object;
	     object = object->link.next)
		if (!object->pvar->is_level)
			apply(me, object, change);
	return code;
}

int mpi_t_pvar_read(struct mpi_rank *me, int is_resetting, MPI_T_pvar_session session,
		    MPI_T_pvar_handle handle, void *buf)
{
	struct tool_pvar_handle *object;
	int code = tool_pvar_check(me, session, handle, &object);
	union tool_value value;

	if (code == MPI_SUCCESS && is_resetting && object->pvar->is_level)
		code = MPI_T_ERR_PVAR_NO_WRITE;
	if (code != MPI_SUCCESS)
		return code;
	value = value_of(me, object);
	memcpy(buf, &value, tool_value_size(object->pvar->datatype));
	if (is_resetting)
		apply(me, object, TOOL_RESET);
	return MPI_SUCCESS;
}

int mpi_t_pvar_write(struct mpi_rank *me, MPI_T_pvar_session session, MPI_T_pvar_handle handle,
		     const void *buf)
{
	struct tool_pvar_handle *object;
	union tool_value value = {.count = 0};
	int code = tool_pvar_check(me, session, handle, &object);

	if (code == MPI_SUCCESS && object->pvar->is_level)
		code = MPI_T_ERR_PVAR_NO_WRITE;
	if (code != MPI_SUCCESS)
		return code;
	memcpy(&value, buf, tool_value_size(object->pvar->datatype));
	set(me, object, value);
	return MPI_SUCCESS;
}
