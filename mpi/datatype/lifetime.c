/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Type_commit, MPI_Type_free, and the names of types. */
#include <stdlib.h>
#include <string.h>

#include "mpi/comm/objects.h"
#include "mpi/datatype/typemap.h"

int MPI_Type_commit(MPI_Datatype *datatype)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_datatype *type = datatype ? mpi_datatype_get(me, *datatype) : NULL;

	if (!datatype)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "datatype is NULL"));
	if (!type)
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_TYPE, "*datatype is not a datatype"));
	if (!type->is_predefined)
		type->is_committed = true;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Type_free(MPI_Datatype *datatype)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_datatype *type = datatype ? mpi_datatype_get(me, *datatype) : NULL;
	int code;

	if (!datatype)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "datatype is NULL"));
	if (!type)
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_TYPE, "*datatype is not a datatype"));
	if (type->is_predefined)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_TYPE,
					       "%s is predefined and cannot be freed", type->name));
	/* a second handle of MPI_Type_get_contents leaves the attributes to the first one */
	if (type->handle == *datatype) {
		code = mpi_attributes_delete_all(me, KIND_DATATYPE, (uintptr_t)*datatype,
						 &type->attributes);
		if (code != MPI_SUCCESS)
			return mpi_leave(me,
					 mpi_raise(me, NULL, code,
						   "the delete function of an attribute failed"));
		type->handle = NULL;
	}
	mpi_handle_destroy(me, (uintptr_t)*datatype);
	mpi_datatype_release(me, type);
	*datatype = MPI_DATATYPE_NULL;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Type_set_name(MPI_Datatype datatype, const char *type_name)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_datatype *type = mpi_datatype_get(me, datatype);
	struct mpi_type_overlay *overlay = NULL;
	char **slot, *copy;

	if (!type)
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_TYPE, "datatype is not a datatype"));
	if (!type_name)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "type_name is NULL"));
	if (type->is_predefined)
		overlay = mpi_type_overlay(me, datatype);
	copy = strndup(type_name, MPI_MAX_OBJECT_NAME - 1);
	if (!copy || (type->is_predefined && !overlay)) {
		free(copy);
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for a name"));
	}
	slot = overlay ? &overlay->name : &type->name;
	free(*slot);
	*slot = copy;
	return mpi_leave(me, MPI_SUCCESS);
}

static const char *name_of(const struct mpi_rank *me, const struct mpi_datatype *type)
{
	const struct mpi_type_overlay *overlay;

	if (!type)
		return "MPI_DATATYPE_NULL";
	overlay = type->is_predefined ? mpi_type_overlay_find(me, type->handle) : NULL;
	if (overlay && overlay->name)
		return overlay->name;
	return type->name ? type->name : "";
}

int MPI_Type_get_name(MPI_Datatype datatype, char *type_name, int *resultlen)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_datatype *type = mpi_datatype_get(me, datatype);
	const char *name;

	if (!type && datatype != MPI_DATATYPE_NULL)
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_TYPE, "datatype is not a datatype"));
	if (!type_name || !resultlen)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "%s is NULL",
					       type_name ? "resultlen" : "type_name"));
	name = name_of(me, type);
	*resultlen = (int)strlen(name);
	memcpy(type_name, name, (size_t)*resultlen + 1);
	return mpi_leave(me, MPI_SUCCESS);
}
