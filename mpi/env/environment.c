/* SPDX-License-Identifier: BSD-3-Clause */
/* Versions, names, time, memory. */
#include <stdio.h>
#include <stdlib.h>

#include "mpi/core/rank.h"
#include "mpi/info/info.h"
#include "util/version.h"

int MPI_Get_version(int *version, int *subversion)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));

	if (!version || !subversion)
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_ARG, "an output argument is NULL"));
	*version = MPI_VERSION;
	*subversion = MPI_SUBVERSION;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Get_library_version(char *version, int *resultlen)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));

	if (!version || !resultlen)
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_ARG, "an output argument is NULL"));
	*resultlen = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "mpisim %s", util_version());
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Get_processor_name(char *name, int *resultlen)
{
	struct mpi_rank *me = MPI_ENTER();

	if (!name || !resultlen)
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_ARG, "an output argument is NULL"));
	*resultlen = snprintf(name, MPI_MAX_PROCESSOR_NAME, "node%d", me->pd->node);
	return mpi_leave(me, MPI_SUCCESS);
}

double MPI_Wtime(void)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));
	double now = sim_time_to_s(pd_clock_read(me->pd));

	mpi_leave(me, MPI_SUCCESS);
	return now;
}

double MPI_Wtick(void)
{
	return 1.0 / (double)SIM_PS_PER_S;
}

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));
	void *memory;

	if (size < 0 || !baseptr)
		return mpi_leave(
		    me, mpi_raise(me, NULL, MPI_ERR_ARG, "size is negative or baseptr is NULL"));
	if (info != MPI_INFO_NULL && !mpi_info_get(me, info))
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_INFO, "info is not an info object"));
	memory = mpi_info_aligned_alloc(mpi_info_get(me, info), (size_t)size);
	if (!memory)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_NO_MEM,
					       "%lld bytes are not to be had", (long long)size));
	*(void **)baseptr = memory;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Free_mem(void *base)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));

	free(base);
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Pcontrol(const int level, ...)
{
	return MPI_SUCCESS;
}

/* What a process runs on; whether it may use no more than one of it. */
int MPI_Get_hw_resource_info(MPI_Info *hw_info)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));
	struct mpi_info *info = hw_info ? mpi_info_create() : NULL;

	if (!hw_info)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "hw_info is NULL"));
	if (!info || mpi_info_set(info, MPI_RESOURCE_NODE, "true") < 0 ||
	    mpi_info_set(info, MPI_RESOURCE_CORE, "false") < 0) {
		mpi_info_destroy(info);
		return mpi_leave(
		    me, mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for an info object"));
	}
	return mpi_leave(me, mpi_info_publish(me, info, hw_info));
}
