/* SPDX-License-Identifier: BSD-3-Clause */
/* Start and end of the tool information interface, enumerations. */
#include "mpi/tool/tool.h"

#include <stdio.h>
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/env/env.h"

int tool_enter(struct mpi_rank **me, const char *function, const void *site)
{
	*me = mpi_enter_anytime(function, site);
	return (*me)->n_tool_inits > 0 ? MPI_SUCCESS : MPI_T_ERR_NOT_INITIALIZED;
}

void tool_give_text(const char *text, char *buffer, int *length)
{
	if (!length)
		return;
	if (buffer && *length > 0)
		snprintf(buffer, (size_t)*length, "%s", text);
	*length = (int)strlen(text) + 1;
}

size_t tool_value_size(MPI_Datatype datatype)
{
	return datatype == MPI_INT		    ? sizeof(int)
	       : datatype == MPI_UNSIGNED_LONG_LONG ? sizeof(unsigned long long)
						    : sizeof(double);
}

int MPI_T_init_thread(int required, int *provided)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));

	if (!provided || (required != MPI_THREAD_SINGLE && required != MPI_THREAD_FUNNELED &&
			  required != MPI_THREAD_SERIALIZED && required != MPI_THREAD_MULTIPLE))
		return mpi_leave(me, MPI_T_ERR_INVALID);
	*provided = mpi_env_thread_level(required);
	me->n_tool_inits++;
	return mpi_leave(me, MPI_SUCCESS);
}

int mpi_t_finalize(struct mpi_rank *me)
{
	me->n_tool_inits--;
	return MPI_SUCCESS;
}

/* A handle of an enumeration is its address. */
static const struct tool_enum *find_enum(MPI_T_enum handle)
{
	for (int i = 0; i < tool_n_cvars; i++)
		if (tool_cvars[i].enumtype && (MPI_T_enum)tool_cvars[i].enumtype == handle)
			return tool_cvars[i].enumtype;
	return NULL;
}

int mpi_t_enum_get_info(struct mpi_rank *me, MPI_T_enum enumtype, int *num, char *name,
			int *name_len)
{
	const struct tool_enum *found = find_enum(enumtype);

	if (!found)
		return MPI_T_ERR_INVALID_HANDLE;
	tool_give_int(found->n, num);
	tool_give_text(found->name, name, name_len);
	return MPI_SUCCESS;
}

int mpi_t_enum_get_item(struct mpi_rank *me, MPI_T_enum enumtype, int indx, int *value, char *name,
			int *name_len)
{
	const struct tool_enum *found = find_enum(enumtype);

	if (!found)
		return MPI_T_ERR_INVALID_HANDLE;
	if (indx < 0 || indx >= found->n)
		return MPI_T_ERR_INVALID_INDEX;
	tool_give_int(indx, value);
	tool_give_text(found->items[indx], name, name_len);
	return MPI_SUCCESS;
}
