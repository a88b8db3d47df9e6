/* SPDX-License-Identifier: BSD-3-Clause */
/* Control variables: MPI_T_cvar_*. */
#include <string.h>

#include "mpi/tool/tool.h"

static int check_index(int index)
{
	return index >= 0 && index < tool_n_cvars ? MPI_SUCCESS : MPI_T_ERR_INVALID_INDEX;
}

int MPI_T_cvar_get_num(int *num_cvar)
{
	struct mpi_rank *me;
	int code = TOOL_ENTER(&me);

	if (code == MPI_SUCCESS && !num_cvar)
		code = MPI_T_ERR_INVALID;
	if (code == MPI_SUCCESS)
		*num_cvar = tool_n_cvars;
	return mpi_leave(me, code);
}

int MPI_T_cvar_get_index(const char *name, int *cvar_index)
{
	struct mpi_rank *me;
	int code = TOOL_ENTER(&me), i = 0;

	if (code == MPI_SUCCESS && (!name || !cvar_index))
		code = MPI_T_ERR_INVALID;
	while (code == MPI_SUCCESS && i < tool_n_cvars && strcmp(tool_cvars[i].name, name) != 0)
		i++;
	if (code == MPI_SUCCESS && i == tool_n_cvars)
		code = MPI_T_ERR_INVALID_NAME;
	if (code == MPI_SUCCESS)
		*cvar_index = i;
	return mpi_leave(me, code);
}

int MPI_T_cvar_get_info(int cvar_index, char *name, int *name_len, int *verbosity,
			MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len,
			int *bind, int *scope)
{
	const struct tool_cvar *cvar;
	struct mpi_rank *me;
	int code = TOOL_ENTER(&me);

	if (code == MPI_SUCCESS)
		code = check_index(cvar_index);
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	cvar = &tool_cvars[cvar_index];
	tool_give_text(cvar->name, name, name_len);
	tool_give_int(MPI_T_VERBOSITY_USER_BASIC, verbosity);
	if (datatype)
		*datatype = cvar->datatype;
	if (enumtype)
		*enumtype = cvar->enumtype ? (MPI_T_enum)cvar->enumtype : MPI_T_ENUM_NULL;
	tool_give_text(cvar->description, desc, desc_len);
	tool_give_int(MPI_T_BIND_NO_OBJECT, bind);
	tool_give_int(MPI_T_SCOPE_CONSTANT, scope);
	return mpi_leave(me, MPI_SUCCESS);
}

/* The object behind a handle is the variable itself. */
int MPI_T_cvar_handle_alloc(int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count)
{
	const struct tool_cvar *cvar;
	struct mpi_rank *me;
	int code = TOOL_ENTER(&me);

	if (code == MPI_SUCCESS)
		code = check_index(cvar_index);
	if (code == MPI_SUCCESS && (!handle || !count))
		code = MPI_T_ERR_INVALID;
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	cvar = &tool_cvars[cvar_index];
	*handle = (MPI_T_cvar_handle)mpi_handle_create(me, KIND_TOOL_CVAR, (void *)cvar);
	*count = cvar->text ? (int)strlen(cvar->text(me, cvar)) + 1 : 1;
	return mpi_leave(me, *handle ? MPI_SUCCESS : MPI_T_ERR_OUT_OF_HANDLES);
}

static int check(const struct mpi_rank *me, MPI_T_cvar_handle handle, const struct tool_cvar **cvar)
{
	*cvar = mpi_handle_object(me, KIND_TOOL_CVAR, (uintptr_t)handle);
	return *cvar ? MPI_SUCCESS : MPI_T_ERR_INVALID_HANDLE;
}

int MPI_T_cvar_handle_free(MPI_T_cvar_handle *handle)
{
	const struct tool_cvar *cvar;
	struct mpi_rank *me;
	int code = TOOL_ENTER(&me);

	if (code == MPI_SUCCESS)
		code = handle ? check(me, *handle, &cvar) : MPI_T_ERR_INVALID;
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	mpi_handle_destroy(me, (uintptr_t)*handle);
	*handle = MPI_T_CVAR_HANDLE_NULL;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_T_cvar_read(MPI_T_cvar_handle handle, void *buf)
{
	const struct tool_cvar *cvar;
	union tool_value value;
	struct mpi_rank *me;
	int code = TOOL_ENTER(&me);

	if (code == MPI_SUCCESS)
		code = check(me, handle, &cvar);
	if (code == MPI_SUCCESS && !buf)
		code = MPI_T_ERR_INVALID;
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	if (cvar->text) {
		strcpy(buf, cvar->text(me, cvar)); /* the handle's count said how long it is */
	} else {
		value = cvar->value(me);
		memcpy(buf, &value, tool_value_size(cvar->datatype));
	}
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_T_cvar_write(MPI_T_cvar_handle handle, const void *buf)
{
	const struct tool_cvar *cvar;
	struct mpi_rank *me;
	int code = TOOL_ENTER(&me);

	if (code == MPI_SUCCESS)
		code = check(me, handle, &cvar);
	return mpi_leave(me, code == MPI_SUCCESS ? MPI_T_ERR_CVAR_SET_NEVER : code);
}
