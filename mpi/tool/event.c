/* SPDX-License-Identifier: BSD-3-Clause */
/* Events: there are none, no index and no handle is one of an event. Their one source is the
 * simulated clock. */
#include <string.h>

#include "mpi/info/info.h"
#include "mpi/tool/tool.h"

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
	struct mpi_rank *me;
	int code = TOOL_ENTER(&me);

	if (code == MPI_SUCCESS)
		code = name && event_index ? MPI_T_ERR_INVALID_NAME : MPI_T_ERR_INVALID;
	return mpi_leave(me, code);
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
