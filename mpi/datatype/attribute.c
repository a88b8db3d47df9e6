/* SPDX-License-Identifier: BSD-3-Clause */
/* The attribute functions of datatypes. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/core/objects.h"
#include "mpi/datatype/datatype.h"

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
		code = mpi_attribute_get(me, KIND_DATATYPE, 0, *list, type_keyval, attribute_val,
					 flag);
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
