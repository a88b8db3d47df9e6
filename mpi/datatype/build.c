/* SPDX-License-Identifier: BSD-3-Clause */
/* Life of derived types: contents, construction, references. */
#include <stdlib.h>

#include "mpi/core/attribute.h"
#include "mpi/datatype/layout.h"
#include "mpi/datatype/typemap.h"

struct mpi_type_contents *mpi_contents_create(int combiner, MPI_Count n_integers,
					      MPI_Count n_addresses, MPI_Count n_counts,
					      MPI_Count n_types)
{
	size_t n_values = (size_t)(n_integers + n_addresses + n_counts);
	struct mpi_type_contents *contents = calloc(1, sizeof *contents);

	if (!contents)
		return NULL;
	*contents = (struct mpi_type_contents){
	    .combiner = combiner,
	    .n_integers = n_integers,
	    .n_addresses = n_addresses,
	    .n_counts = n_counts,
	    .n_types = n_types,
	    .values = calloc(n_values + 1, sizeof *contents->values),
	    .types = calloc((size_t)n_types + 1, sizeof(struct mpi_datatype *)),
	};
	if (contents->values && contents->types)
		return contents;
	mpi_contents_destroy(NULL, contents);
	return NULL;
}

void mpi_contents_destroy(struct mpi_rank *me, struct mpi_type_contents *contents)
{
	if (!contents)
		return;
	for (MPI_Count i = 0; contents->types && i < contents->n_types; i++)
		mpi_datatype_release(me, contents->types[i]);
	free(contents->values);
	free(contents->types);
	free(contents);
}

void mpi_datatype_destroy(struct mpi_rank *me, struct mpi_datatype *type)
{
	mpi_contents_destroy(me, type->contents);
	mpi_attributes_discard(type->attributes);
	if (type->map)
		mpi_datatype_release(me, type->map->inner);
	free(type->map);
	free(type->name);
	free(type);
}

int mpi_datatype_build(struct mpi_rank *me, const struct mpi_typemap *map,
		       struct mpi_type_contents *contents, struct mpi_datatype **out)
{
	struct mpi_datatype *type = calloc(1, sizeof *type);
	struct mpi_typemap *copy = malloc(sizeof *copy);

	if (!type || !copy) {
		free(type);
		free(copy);
		mpi_datatype_release(me, map->inner);
		mpi_contents_destroy(me, contents);
		return MPI_ERR_NO_MEM;
	}
	*copy = *map;
	type->n_references = 1;
	type->map = copy;
	type->contents = contents;
	if (mpi_layout_measure(map, type) < 0) {
		mpi_datatype_destroy(me, type);
		return MPI_ERR_VALUE_TOO_LARGE;
	}
	*out = type;
	return MPI_SUCCESS;
}

void mpi_datatype_set_bounds(struct mpi_datatype *type, MPI_Count lb_B, MPI_Count extent_B)
{
	type->lb_B = lb_B;
	type->extent_B = extent_B;
	type->has_lb = type->has_ub = true;
	type->is_contiguous = type->is_dense && (type->size_B == 0 || extent_B == type->size_B);
}

int mpi_datatype_publish(struct mpi_rank *me, int code, struct mpi_datatype *type,
			 MPI_Datatype *newtype)
{
	if (code == MPI_ERR_VALUE_TOO_LARGE)
		return mpi_raise(me, NULL, code,
				 "size or bounds of the new datatype do not fit into MPI_Count");
	if (code == MPI_SUCCESS)
		type->handle = (MPI_Datatype)mpi_handle_create(me, KIND_DATATYPE, type);
	if (code == MPI_SUCCESS && !type->handle) {
		mpi_datatype_release(me, type);
		code = MPI_ERR_NO_MEM;
	}
	if (code != MPI_SUCCESS)
		return mpi_raise(me, NULL, code, "out of memory for a datatype");
	*newtype = type->handle;
	return MPI_SUCCESS;
}
