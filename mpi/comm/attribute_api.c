/* SPDX-License-Identifier: BSD-3-Clause */
/* The attribute functions of communicators (with their MPI-1 names) and of datatypes, and the
 * predefined attributes. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/objects.h"
#include "mpi/env/errhandler.h"

int mpi_comm_give_keyval(struct mpi_rank *me, MPI_Comm_copy_attr_function *copy,
			 MPI_Comm_delete_attr_function *delete, int *keyval, void *extra_state)
{
	return mpi_keyval_create(me, KIND_COMM, (void (*)(void))copy, (void (*)(void)) delete,
				 keyval, extra_state);
}

int mpi_comm_drop_keyval(struct mpi_rank *me, int *keyval)
{
	return mpi_keyval_free(me, KIND_COMM, keyval);
}

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

int mpi_type_give_keyval(struct mpi_rank *me, MPI_Type_copy_attr_function *copy,
			 MPI_Type_delete_attr_function *delete, int *keyval, void *extra_state)
{
	return mpi_keyval_create(me, KIND_DATATYPE, (void (*)(void))copy, (void (*)(void)) delete,
				 keyval, extra_state);
}

int mpi_type_drop_keyval(struct mpi_rank *me, int *keyval)
{
	return mpi_keyval_free(me, KIND_DATATYPE, keyval);
}

/* MPI_SUCCESS and where the attributes of the type hang, or the error. */
static int type_list(struct mpi_rank *me, struct mpi_datatype *type, struct mpi_attribute ***list)
{
	*list = mpi_type_attributes(me, type);
	return *list ? MPI_SUCCESS
		     : mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for an attribute");
}

int mpi_type_get_attr(struct mpi_rank *me, struct mpi_datatype *type, int keyval, void *value,
		      int *flag)
{
	struct mpi_attribute **list;
	int code = type_list(me, type, &list);

	return code == MPI_SUCCESS
		   ? mpi_attribute_get(me, KIND_DATATYPE, 0, *list, keyval, value, flag)
		   : code;
}

int mpi_type_set_attr(struct mpi_rank *me, struct mpi_datatype *type, MPI_Datatype handle,
		      int keyval, void *value)
{
	struct mpi_attribute **list;
	int code = type_list(me, type, &list);

	return code == MPI_SUCCESS
		   ? mpi_attribute_set(me, KIND_DATATYPE, (uintptr_t)handle, list, keyval, value)
		   : code;
}

int mpi_type_delete_attr(struct mpi_rank *me, struct mpi_datatype *type, MPI_Datatype handle,
			 int keyval)
{
	struct mpi_attribute **list;
	int code = type_list(me, type, &list);

	return code == MPI_SUCCESS
		   ? mpi_attribute_delete(me, KIND_DATATYPE, (uintptr_t)handle, list, keyval)
		   : code;
}
