/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance variables: what there is, sessions and handles. Their values: pvar_value.c. */
#include "mpi/tool/pvar.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/abi/mpi-calls.h"

static int check_index(int index)
{
	return index >= 0 && index < tool_n_pvars ? MPI_SUCCESS : MPI_T_ERR_INVALID_INDEX;
}

int mpi_t_pvar_get_num(struct mpi_rank *me, int *num_pvar)
{
	*num_pvar = tool_n_pvars;
	return MPI_SUCCESS;
}

int mpi_t_pvar_get_index(struct mpi_rank *me, const char *name, int var_class, int *pvar_index)
{
	for (int i = 0; i < tool_n_pvars; i++)
		if (tool_pvars[i].class == var_class && strcmp(tool_pvars[i].name, name) == 0) {
			*pvar_index = i;
			return MPI_SUCCESS;
		}
	return MPI_T_ERR_INVALID_NAME;
}

int mpi_t_pvar_get_info(struct mpi_rank *me, int pvar_index, char *name, int *name_len,
			int *verbosity, int *var_class, MPI_Datatype *datatype,
			MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *readonly,
			int *continuous, int *atomic)
{
	const struct tool_pvar *pvar;
	int code = check_index(pvar_index);

	if (code != MPI_SUCCESS)
		return code;
	pvar = &tool_pvars[pvar_index];
	tool_give_text(pvar->name, name, name_len);
	tool_give_int(MPI_T_VERBOSITY_USER_BASIC, verbosity);
	tool_give_int(pvar->class, var_class);
	if (datatype)
		*datatype = pvar->datatype;
	if (enumtype)
		*enumtype = MPI_T_ENUM_NULL;
	tool_give_text(pvar->description, desc, desc_len);
	tool_give_int(MPI_T_BIND_NO_OBJECT, bind);
	tool_give_int(pvar->is_level, readonly);
	tool_give_int(pvar->is_level, continuous);
	tool_give_int(1, atomic);
	return MPI_SUCCESS;
}

/* --- sessions --- */

int mpi_t_pvar_session_create(struct mpi_rank *me, MPI_T_pvar_session *session)
{
	struct tool_pvar_session *made = calloc(1, sizeof *made);

	if (!made)
		return MPI_T_ERR_OUT_OF_SESSIONS;
	*session = (MPI_T_pvar_session)mpi_handle_create(me, KIND_TOOL_SESSION, made);
	if (!*session)
		free(made);
	return *session ? MPI_SUCCESS : MPI_T_ERR_OUT_OF_SESSIONS;
}

int tool_pvar_session_check(const struct mpi_rank *me, MPI_T_pvar_session handle,
			    struct tool_pvar_session **session)
{
	*session = mpi_handle_object(me, KIND_TOOL_SESSION, (uintptr_t)handle);
	return *session ? MPI_SUCCESS : MPI_T_ERR_INVALID_SESSION;
}

static void destroy(struct mpi_rank *me, struct tool_pvar_handle *handle)
{
	util_list_remove(&handle->session->handles, handle);
	mpi_handle_destroy(me, (uintptr_t)handle->handle);
	free(handle);
}

int mpi_t_pvar_session_free(struct mpi_rank *me, MPI_T_pvar_session *session)
{
	struct tool_pvar_session *object;
	int code = tool_pvar_session_check(me, *session, &object);

	if (code != MPI_SUCCESS)
		return code;
	while (object->handles.first)
		destroy(me, object->handles.first);
	mpi_handle_destroy(me, (uintptr_t)*session);
	free(object);
	*session = MPI_T_PVAR_SESSION_NULL;
	return MPI_SUCCESS;
}

/* --- handles --- */

static struct tool_pvar_handle *create(struct mpi_rank *me, struct tool_pvar_session *session,
				       const struct tool_pvar *pvar)
{
	struct tool_pvar_handle *made = calloc(1, sizeof *made);

	if (!made)
		return NULL;
	made->handle = (MPI_T_pvar_handle)mpi_handle_create(me, KIND_TOOL_PVAR, made);
	if (!made->handle) {
		free(made);
		return NULL;
	}
	made->pvar = pvar;
	made->session = session;
	util_list_prepend(&session->handles, made);
	return made;
}

int mpi_t_pvar_handle_alloc(struct mpi_rank *me, MPI_T_pvar_session session, int pvar_index,
			    void *obj_handle, MPI_T_pvar_handle *handle, int *count)
{
	struct tool_pvar_session *object;
	struct tool_pvar_handle *made;
	int code = tool_pvar_session_check(me, session, &object);

	if (code == MPI_SUCCESS)
		code = check_index(pvar_index);
	if (code != MPI_SUCCESS)
		return code;
	made = create(me, object, &tool_pvars[pvar_index]);
	*handle = made ? made->handle : MPI_T_PVAR_HANDLE_NULL;
	*count = 1;
	return made ? MPI_SUCCESS : MPI_T_ERR_OUT_OF_HANDLES;
}

int mpi_t_pvar_handle_free(struct mpi_rank *me, MPI_T_pvar_session session,
			   MPI_T_pvar_handle *handle)
{
	struct tool_pvar_handle *object = NULL;
	int code = tool_pvar_check(me, session, *handle, &object);

	if (code != MPI_SUCCESS)
		return code;
	destroy(me, object);
	*handle = MPI_T_PVAR_HANDLE_NULL;
	return MPI_SUCCESS;
}
