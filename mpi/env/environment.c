/* SPDX-License-Identifier: BSD-3-Clause */
/* Versions, names, time, memory. */
#include <stdio.h>
#include <stdlib.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/core/rank.h"
#include "mpi/info/info.h"
#include "util/version.h"

int mpi_get_version(struct mpi_rank *me, int *version, int *subversion)
{
	*version = MPI_VERSION;
	*subversion = MPI_SUBVERSION;
	return MPI_SUCCESS;
}

int mpi_get_library_version(struct mpi_rank *me, char *version, int *resultlen)
{
	*resultlen = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "mpisim %s", util_version());
	return MPI_SUCCESS;
}

int mpi_get_processor_name(struct mpi_rank *me, char *name, int *resultlen)
{
	*resultlen = snprintf(name, MPI_MAX_PROCESSOR_NAME, "node%d", me->pd->node);
	return MPI_SUCCESS;
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

int mpi_alloc_mem(struct mpi_rank *me, MPI_Aint size, struct mpi_info *info, void *baseptr)
{
	void *memory;

	if (size < 0)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "size is negative");
	memory = mpi_info_aligned_alloc(info, (size_t)size);
	if (!memory)
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "%lld bytes are not to be had",
				 (long long)size);
	*(void **)baseptr = memory;
	return MPI_SUCCESS;
}

int mpi_free_mem(struct mpi_rank *me, void *base)
{
	free(base);
	return MPI_SUCCESS;
}

int MPI_Pcontrol(const int level, ...)
{
	return MPI_SUCCESS;
}

/* What a process runs on; whether it may use no more than one of it. */
int mpi_get_hw_resource_info(struct mpi_rank *me, MPI_Info *hw_info)
{
	struct mpi_info *info = mpi_info_create();

	if (!info || mpi_info_set(info, MPI_RESOURCE_NODE, "true") < 0 ||
	    mpi_info_set(info, MPI_RESOURCE_SOCKET, "true") < 0 ||
	    mpi_info_set(info, MPI_RESOURCE_DOMAIN, "true") < 0 ||
	    mpi_info_set(info, MPI_RESOURCE_CORE, "false") < 0) {
		mpi_info_destroy(info);
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for an info object");
	}
	return mpi_info_publish(me, info, hw_info);
}
