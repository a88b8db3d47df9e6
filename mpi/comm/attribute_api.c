/* SPDX-License-Identifier: BSD-3-Clause */
/* The attribute functions of communicators (with their MPI-1 names) and of datatypes, and the
 * predefined attributes. */
#include "mpi/comm/comm.h"
#include "mpi/comm/objects.h"
#include "mpi/env/errhandler.h"

static int create_comm_keyval(struct mpi_rank *me, MPI_Comm_copy_attr_function *copy,
			      MPI_Comm_delete_attr_function *delete, int *keyval, void *extra_state)
{
	return mpi_leave(me, mpi_keyval_create(me, KIND_COMM, (void (*)(void))copy,
					       (void (*)(void)) delete, keyval, extra_state));
}

int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *comm_copy_attr_fn,
			   MPI_Comm_delete_attr_function *comm_delete_attr_fn, int *comm_keyval,
			   void *extra_state)
{
	return create_comm_keyval(MPI_ENTER(), comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval,
				  extra_state);
}

int MPI_Keyval_create(MPI_Copy_function *copy_fn, MPI_Delete_function *delete_fn, int *keyval,
		      void *extra_state)
{
	return create_comm_keyval(MPI_ENTER(), copy_fn, delete_fn, keyval, extra_state);
}

int MPI_Comm_free_keyval(int *comm_keyval)
{
	struct mpi_rank *me = MPI_ENTER();

	return mpi_leave(me, mpi_keyval_free(me, KIND_COMM, comm_keyval));
}

int MPI_Keyval_free(int *keyval)
{
	struct mpi_rank *me = MPI_ENTER();

	return mpi_leave(me, mpi_keyval_free(me, KIND_COMM, keyval));
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

static int get_comm_attribute(struct mpi_rank *me, MPI_Comm handle, int keyval, void *value,
			      int *flag)
{
	struct mpi_comm *comm = mpi_comm_get(me, handle);
	const int *predefined;

	if (!comm)
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_COMM, "comm is not a communicator"));
	predefined = predefined_value(me, keyval);
	if (predefined && value && flag) {
		*(const int **)value = predefined;
		*flag = 1;
		return mpi_leave(me, MPI_SUCCESS);
	}
	return mpi_leave(me, mpi_attribute_get(me, KIND_COMM, 0, comm->attributes, keyval, value,
					       flag));
}

int MPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag)
{
	return get_comm_attribute(MPI_ENTER(), comm, comm_keyval, attribute_val, flag);
}

int MPI_Attr_get(MPI_Comm comm, int keyval, void *attribute_val, int *flag)
{
	return get_comm_attribute(MPI_ENTER(), comm, keyval, attribute_val, flag);
}

static int set_comm_attribute(struct mpi_rank *me, MPI_Comm handle, int keyval, void *value)
{
	struct mpi_comm *comm = mpi_comm_get(me, handle);

	if (!comm)
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_COMM, "comm is not a communicator"));
	return mpi_leave(me, mpi_attribute_set(me, KIND_COMM, (uintptr_t)handle, &comm->attributes,
					       keyval, value));
}

int MPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void *attribute_val)
{
	return set_comm_attribute(MPI_ENTER(), comm, comm_keyval, attribute_val);
}

int MPI_Attr_put(MPI_Comm comm, int keyval, void *attribute_val)
{
	return set_comm_attribute(MPI_ENTER(), comm, keyval, attribute_val);
}

static int delete_comm_attribute(struct mpi_rank *me, MPI_Comm handle, int keyval)
{
	struct mpi_comm *comm = mpi_comm_get(me, handle);

	if (!comm)
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_COMM, "comm is not a communicator"));
	return mpi_leave(
	    me, mpi_attribute_delete(me, KIND_COMM, (uintptr_t)handle, &comm->attributes, keyval));
}

int MPI_Comm_delete_attr(MPI_Comm comm, int comm_keyval)
{
	return delete_comm_attribute(MPI_ENTER(), comm, comm_keyval);
}

int MPI_Attr_delete(MPI_Comm comm, int keyval)
{
	return delete_comm_attribute(MPI_ENTER(), comm, keyval);
}

int MPI_Type_create_keyval(MPI_Type_copy_attr_function *type_copy_attr_fn,
			   MPI_Type_delete_attr_function *type_delete_attr_fn, int *type_keyval,
			   void *extra_state)
{
	struct mpi_rank *me = MPI_ENTER();

	return mpi_leave(me, mpi_keyval_create(me, KIND_DATATYPE, (void (*)(void))type_copy_attr_fn,
					       (void (*)(void))type_delete_attr_fn, type_keyval,
					       extra_state));
}

int MPI_Type_free_keyval(int *type_keyval)
{
	struct mpi_rank *me = MPI_ENTER();

	return mpi_leave(me, mpi_keyval_free(me, KIND_DATATYPE, type_keyval));
}

/* MPI_SUCCESS and where the attributes of the type hang, or the error. */
static int type_list(struct mpi_rank *me, MPI_Datatype datatype, struct mpi_attribute ***list)
{
	struct mpi_datatype *type = mpi_datatype_get(me, datatype);

	if (!type)
		return mpi_raise(me, NULL, MPI_ERR_TYPE, "datatype is not a datatype");
	*list = mpi_type_attributes(me, type);
	return *list ? MPI_SUCCESS
		     : mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for an attribute");
}

int MPI_Type_get_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val, int *flag)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_attribute **list;
	int code = type_list(me, datatype, &list);

	if (code == MPI_SUCCESS)
		code =
		    mpi_attribute_get(me, KIND_DATATYPE, 0, *list, type_keyval, attribute_val, flag);
	return mpi_leave(me, code);
}

int MPI_Type_set_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_attribute **list;
	int code = type_list(me, datatype, &list);

	if (code == MPI_SUCCESS)
		code = mpi_attribute_set(me, KIND_DATATYPE, (uintptr_t)datatype, list, type_keyval,
					 attribute_val);
	return mpi_leave(me, code);
}

int MPI_Type_delete_attr(MPI_Datatype datatype, int type_keyval)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_attribute **list;
	int code = type_list(me, datatype, &list);

	if (code == MPI_SUCCESS)
		code =
		    mpi_attribute_delete(me, KIND_DATATYPE, (uintptr_t)datatype, list, type_keyval);
	return mpi_leave(me, code);
}
