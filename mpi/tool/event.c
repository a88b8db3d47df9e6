/* SPDX-License-Identifier: BSD-3-Clause */
/* Events: there are none. Their one source is the simulated clock. */
#include <string.h>

#include "mpi/info/info.h"
#include "mpi/tool/tool.h"

static int leave_with(const char *function, const void *site, int error)
{
	struct mpi_rank *me;
	int code = tool_enter(&me, function, site);

	return mpi_leave(me, code == MPI_SUCCESS ? error : code);
}
/* No index and no handle is one of an event. */
#define LEAVE_WITH(error) leave_with(__func__, __builtin_return_address(0), error)

int MPI_T_event_get_num(int *num_events)
{
	struct mpi_rank *me;
	int code = TOOL_ENTER(&me);

	if (code == MPI_SUCCESS && !num_events)
		code = MPI_T_ERR_INVALID;
	if (code == MPI_SUCCESS)
		*num_events = 0;
	return mpi_leave(me, code);
}

int MPI_T_event_get_index(const char *name, int *event_index)
{
	return LEAVE_WITH(name && event_index ? MPI_T_ERR_INVALID_NAME : MPI_T_ERR_INVALID);
}

int MPI_T_event_get_info(int event_index, char *name, int *name_len, int *verbosity,
			 MPI_Datatype array_of_datatypes[], MPI_Aint array_of_displacements[],
			 int *num_elements, MPI_T_enum *enumtype, MPI_Info *info, char *desc,
			 int *desc_len, int *bind)
{
	return LEAVE_WITH(MPI_T_ERR_INVALID_INDEX);
}

int MPI_T_event_handle_alloc(int event_index, void *obj_handle, MPI_Info info,
			     MPI_T_event_registration *event_registration)
{
	return LEAVE_WITH(MPI_T_ERR_INVALID_INDEX);
}

int MPI_T_event_handle_free(MPI_T_event_registration event_registration, void *user_data,
			    MPI_T_event_free_cb_function free_cb_function)
{
	return LEAVE_WITH(MPI_T_ERR_INVALID_HANDLE);
}

int MPI_T_event_handle_get_info(MPI_T_event_registration event_registration, MPI_Info *info_used)
{
	return LEAVE_WITH(MPI_T_ERR_INVALID_HANDLE);
}

int MPI_T_event_handle_set_info(MPI_T_event_registration event_registration, MPI_Info info)
{
	return LEAVE_WITH(MPI_T_ERR_INVALID_HANDLE);
}

int MPI_T_event_register_callback(MPI_T_event_registration event_registration,
				  MPI_T_cb_safety cb_safety, MPI_Info info, void *user_data,
				  MPI_T_event_cb_function event_cb_function)
{
	return LEAVE_WITH(MPI_T_ERR_INVALID_HANDLE);
}

int MPI_T_event_callback_get_info(MPI_T_event_registration event_registration,
				  MPI_T_cb_safety cb_safety, MPI_Info *info_used)
{
	return LEAVE_WITH(MPI_T_ERR_INVALID_HANDLE);
}

int MPI_T_event_callback_set_info(MPI_T_event_registration event_registration,
				  MPI_T_cb_safety cb_safety, MPI_Info info)
{
	return LEAVE_WITH(MPI_T_ERR_INVALID_HANDLE);
}

int MPI_T_event_set_dropped_handler(MPI_T_event_registration event_registration,
				    MPI_T_event_dropped_cb_function dropped_cb_function)
{
	return LEAVE_WITH(MPI_T_ERR_INVALID_HANDLE);
}

int MPI_T_event_read(MPI_T_event_instance event_instance, int element_index, void *buffer)
{
	return LEAVE_WITH(MPI_T_ERR_INVALID_HANDLE);
}

int MPI_T_event_copy(MPI_T_event_instance event_instance, void *buffer)
{
	return LEAVE_WITH(MPI_T_ERR_INVALID_HANDLE);
}

int MPI_T_event_get_timestamp(MPI_T_event_instance event_instance, MPI_Count *event_timestamp)
{
	return LEAVE_WITH(MPI_T_ERR_INVALID_HANDLE);
}

int MPI_T_event_get_source(MPI_T_event_instance event_instance, int *source_index)
{
	return LEAVE_WITH(MPI_T_ERR_INVALID_HANDLE);
}

/* --- sources --- */

int MPI_T_source_get_num(int *num_sources)
{
	struct mpi_rank *me;
	int code = TOOL_ENTER(&me);

	if (code == MPI_SUCCESS && !num_sources)
		code = MPI_T_ERR_INVALID;
	if (code == MPI_SUCCESS)
		*num_sources = 1;
	return mpi_leave(me, code);
}

int MPI_T_source_get_info(int source_index, char *name, int *name_len, char *desc, int *desc_len,
			  MPI_T_source_order *ordering, MPI_Count *ticks_per_second,
			  MPI_Count *max_ticks, MPI_Info *info)
{
	struct mpi_rank *me;
	int code = TOOL_ENTER(&me);

	if (code == MPI_SUCCESS && source_index != 0)
		code = MPI_T_ERR_INVALID_INDEX;
	if (code == MPI_SUCCESS && info)
		code = mpi_info_publish(me, mpi_info_create(), info);
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	tool_give_text("simulated_time", name, name_len);
	tool_give_text("the simulated clock, equal on all processes", desc, desc_len);
	if (ordering)
		*ordering = MPI_T_SOURCE_ORDERED;
	if (ticks_per_second)
		*ticks_per_second = SIM_PS_PER_S;
	if (max_ticks)
		*max_ticks = SIM_TIME_MAX;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_T_source_get_timestamp(int source_index, MPI_Count *timestamp)
{
	struct mpi_rank *me;
	int code = TOOL_ENTER(&me);

	if (code == MPI_SUCCESS && source_index != 0)
		code = MPI_T_ERR_INVALID_INDEX;
	if (code == MPI_SUCCESS && !timestamp)
		code = MPI_T_ERR_INVALID;
	if (code == MPI_SUCCESS)
		*timestamp = me->pd->world->engine.now;
	return mpi_leave(me, code);
}
