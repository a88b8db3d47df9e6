/* SPDX-License-Identifier: BSD-3-Clause */
/* The attribute functions of datatypes. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/core/objects.h"
#include "mpi/datatype/datatype.h"

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
