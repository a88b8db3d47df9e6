/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Type_commit, MPI_Type_free, and the names of types. */
#include <stdlib.h>
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/core/objects.h"
#include "mpi/datatype/typemap.h"

static void find_device(void *context, uintptr_t at, size_t size_B)
{
	bool *is_device = context;

	*is_device |= size_B > 0 && pd_memory_is_device((const void *)at);
}

int mpi_type_commit(struct mpi_rank *me, struct mpi_datatype *type, MPI_Datatype *place)
{
	bool is_device = false;

	if (!mpi_datatype_is_relative(type) && me->world->pd->cluster->accelerators.per_node > 0)
		mpi_datatype_runs(type, NULL, 1, find_device, &is_device);
	if (is_device)
		pd_fail(me->pd, PD_FAILURE_UNSUPPORTED,
			"a datatype of addresses is in the memory of an accelerator, wanted it given "
			"as the buffer");
	if (!type->is_predefined)
		type->is_committed = true;
	return MPI_SUCCESS;
}

int mpi_type_free(struct mpi_rank *me, struct mpi_datatype *type, MPI_Datatype *place)
{
	int code;

	if (type->is_predefined)
		return mpi_raise(me, NULL, MPI_ERR_TYPE, "%s is predefined and cannot be freed",
				 type->name);
	/* a second handle of MPI_Type_get_contents leaves the attributes to the first one */
	if (type->handle == *place) {
		code = mpi_attributes_delete_all(me, KIND_DATATYPE, (uintptr_t)*place,
						 &type->attributes);
		if (code != MPI_SUCCESS)
			return mpi_raise(me, NULL, code,
					 "the delete function of an attribute failed");
		type->handle = NULL;
	}
	mpi_handle_destroy(me, (uintptr_t)*place);
	mpi_datatype_release(me, type);
	*place = MPI_DATATYPE_NULL;
	return MPI_SUCCESS;
}

int mpi_type_set_name(struct mpi_rank *me, struct mpi_datatype *type, const char *type_name)
{
	struct mpi_type_overlay *overlay =
	    type->is_predefined ? mpi_type_overlay(me, type->handle) : NULL;
	char **slot, *copy = strndup(type_name, MPI_MAX_OBJECT_NAME - 1);

	if (!copy || (type->is_predefined && !overlay)) {
		free(copy);
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for a name");
	}
	slot = overlay ? &overlay->name : &type->name;
	free(*slot);
	*slot = copy;
	return MPI_SUCCESS;
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

int mpi_type_get_name(struct mpi_rank *me, struct mpi_datatype *type, char *type_name,
		      int *resultlen)
{
	const char *name = name_of(me, type);

	*resultlen = (int)strlen(name);
	memcpy(type_name, name, (size_t)*resultlen + 1);
	return MPI_SUCCESS;
}
