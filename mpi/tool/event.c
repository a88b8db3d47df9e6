/* SPDX-License-Identifier: BSD-3-Clause */
/* Events: there are none, no index and no handle is one of an event. Their one source is the
 * simulated clock. */
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/info/info.h"
#include "mpi/tool/tool.h"

int mpi_t_event_get_num(struct mpi_rank *me, int *num_events)
{
	*num_events = 0;
	return MPI_SUCCESS;
}

int mpi_t_event_get_index(struct mpi_rank *me, const char *name, int *event_index)
{
	return MPI_T_ERR_INVALID_NAME;
}

/* --- sources --- */

int mpi_t_source_get_num(struct mpi_rank *me, int *num_sources)
{
	*num_sources = 1;
	return MPI_SUCCESS;
}

int mpi_t_source_get_info(struct mpi_rank *me, int source_index, char *name, int *name_len,
			  char *desc, int *desc_len, MPI_T_source_order *ordering,
			  MPI_Count *ticks_per_second, MPI_Count *max_ticks, MPI_Info *info)
{
	int code = source_index == 0 ? MPI_SUCCESS : MPI_T_ERR_INVALID_INDEX;

	if (code == MPI_SUCCESS && info)
		code = mpi_info_publish(me, mpi_info_create(), info);
	if (code != MPI_SUCCESS)
		return code;
	tool_give_text("simulated_time", name, name_len);
	tool_give_text("the simulated clock, equal on all processes", desc, desc_len);
	if (ordering)
		*ordering = MPI_T_SOURCE_ORDERED;
	if (ticks_per_second)
		*ticks_per_second = SIM_PS_PER_S;
	if (max_ticks)
		*max_ticks = SIM_TIME_MAX;
	return MPI_SUCCESS;
}

int mpi_t_source_get_timestamp(struct mpi_rank *me, int source_index, MPI_Count *timestamp)
{
	*timestamp = me->pd->world->engine.now;
	return source_index == 0 ? MPI_SUCCESS : MPI_T_ERR_INVALID_INDEX;
}
