/* SPDX-License-Identifier: BSD-3-Clause */
/* Control variables: MPI_T_cvar_*. */
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/tool/tool.h"

static int check_index(int index)
{
	return index >= 0 && index < tool_n_cvars ? MPI_SUCCESS : MPI_T_ERR_INVALID_INDEX;
}

int mpi_t_cvar_get_num(struct mpi_rank *me, int *num_cvar)
{
	*num_cvar = tool_n_cvars;
	return MPI_SUCCESS;
}

int mpi_t_cvar_get_index(struct mpi_rank *me, const char *name, int *cvar_index)
{
	for (int i = 0; i < tool_n_cvars; i++)
		if (strcmp(tool_cvars[i].name, name) == 0) {
			*cvar_index = i;
			return MPI_SUCCESS;
		}
	return MPI_T_ERR_INVALID_NAME;
}

int mpi_t_cvar_get_info(struct mpi_rank *me, int cvar_index, char *name, int *name_len,
			int *verbosity, MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc,
			int *desc_len, int *bind, int *scope)
{
	const struct tool_cvar *cvar;
	int code = check_index(cvar_index);

	if (code != MPI_SUCCESS)
		return code;
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
	return MPI_SUCCESS;
}

/* The object behind a handle is the variable itself. */
int mpi_t_cvar_handle_alloc(struct mpi_rank *me, int cvar_index, void *obj_handle,
			    MPI_T_cvar_handle *handle, int *count)
{
	const struct tool_cvar *cvar;
	int code = check_index(cvar_index);

	if (code != MPI_SUCCESS)
		return code;
	cvar = &tool_cvars[cvar_index];
	*handle = (MPI_T_cvar_handle)mpi_handle_create(me, KIND_TOOL_CVAR, (void *)cvar);
	*count = cvar->text ? (int)strlen(cvar->text(me, cvar)) + 1 : 1;
	return *handle ? MPI_SUCCESS : MPI_T_ERR_OUT_OF_HANDLES;
}

static int check(const struct mpi_rank *me, MPI_T_cvar_handle handle, const struct tool_cvar **cvar)
{
	*cvar = mpi_handle_object(me, KIND_TOOL_CVAR, (uintptr_t)handle);
	return *cvar ? MPI_SUCCESS : MPI_T_ERR_INVALID_HANDLE;
}

int mpi_t_cvar_handle_free(struct mpi_rank *me, MPI_T_cvar_handle *handle)
{
	const struct tool_cvar *cvar;
	int code = check(me, *handle, &cvar);

	if (code != MPI_SUCCESS)
		return code;
	mpi_handle_destroy(me, (uintptr_t)*handle);
	*handle = MPI_T_CVAR_HANDLE_NULL;
	return MPI_SUCCESS;
}

int mpi_t_cvar_read(struct mpi_rank *me, MPI_T_cvar_handle handle, void *buf)
{
	const struct tool_cvar *cvar;
	union tool_value value;
	int code = check(me, handle, &cvar);

	if (code != MPI_SUCCESS)
		return code;
	if (cvar->text) {
		strcpy(buf, cvar->text(me, cvar)); /* the handle's count said how long it is */
	} else {
		value = cvar->value(me);
		memcpy(buf, &value, tool_value_size(cvar->datatype));
	}
	return MPI_SUCCESS;
}

int mpi_t_cvar_write(struct mpi_rank *me, MPI_T_cvar_handle handle, const void *buf)
{
	const struct tool_cvar *cvar;
	int code = check(me, handle, &cvar);

	return code == MPI_SUCCESS ? MPI_T_ERR_CVAR_SET_NEVER : code;
}
