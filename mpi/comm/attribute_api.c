/* SPDX-License-Identifier: BSD-3-Clause */
/* The attribute functions of communicators (with their MPI-1 names), and the predefined attributes. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/comm/comm.h"
#include "mpi/core/objects.h"
#include "mpi/core/errhandler.h"

/* The value of a predefined attribute, NULL when `keyval` is none of a communicator. */
static const int *predefined_value(struct mpi_rank *me, int keyval)
{
	struct mpi_world_objects *values = me->world->predefined;
	struct mpi_rank_objects *objects;

	switch (keyval) {
	case MPI_TAG_UB:
		return &values->tag_ub;
	case MPI_IO:
		return &values->io;
	case MPI_HOST:
		return &values->host;
	case MPI_WTIME_IS_GLOBAL:
		return &values->wtime_is_global;
	case MPI_APPNUM:
		return mpi_rank_appnum(me);
	case MPI_UNIVERSE_SIZE:
		return &mpi_rank_job(me)->universe_size;
	case MPI_LASTUSEDCODE:
		objects = mpi_rank_objects(me);
		if (objects)
			objects->last_used_code = mpi_error_last_code(me);
		return objects ? &objects->last_used_code : NULL;
	default:
		return NULL;
	}
}

int mpi_comm_get_attr(struct mpi_rank *me, struct mpi_comm *comm, int keyval, void *value,
		      int *flag)
{
	const int *predefined = predefined_value(me, keyval);

	if (predefined && value && flag) {
		*(const int **)value = predefined;
		*flag = 1;
		return MPI_SUCCESS;
	}
	return mpi_attribute_get(me, KIND_COMM, 0, comm->attributes, keyval, value, flag);
}

int mpi_comm_set_attr(struct mpi_rank *me, struct mpi_comm *comm, int keyval, void *value)
{
	return mpi_attribute_set(me, KIND_COMM, (uintptr_t)comm->handle, &comm->attributes, keyval,
				 value);
}

int mpi_comm_delete_attr(struct mpi_rank *me, struct mpi_comm *comm, int keyval)
{
	return mpi_attribute_delete(me, KIND_COMM, (uintptr_t)comm->handle, &comm->attributes,
				    keyval);
}
