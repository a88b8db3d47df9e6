/* SPDX-License-Identifier: BSD-3-Clause */
/* Types as they lie in files: the tree of a type again, with leaves of other sizes. */
#include <stdlib.h>

#include "mpi/io/datarep.h"

/* Whoever makes the layout of one type: what displacements are multiplied by, and where the tree of
 * the type it is made of begins. */
struct scale {
	MPI_Count numerator, denominator;
	struct mpi_datatype *old, *old_layout; /* NULL: its children are types of their own */
};

static MPI_Count scaled(const struct scale *scale, MPI_Count bytes)
{
	if (scale->numerator == scale->denominator || scale->denominator == 0)
		return bytes;
	return bytes / scale->denominator * scale->numerator;
}

static int element_size(const struct io_datarep *datarep, const struct mpi_datatype *type,
			MPI_Count *out_B)
{
	MPI_Aint extent_B = 0;

	*out_B = datarep->kind == DATAREP_EXTERNAL ? mpi_external_size(type) : type->size_B;
	if (datarep->kind != DATAREP_USER || type->size_B == 0)
		return MPI_SUCCESS;
	if (io_datarep_extent(datarep, type, &extent_B) != MPI_SUCCESS ||
	    extent_B <= 0)
		return MPI_ERR_CONVERSION;
	*out_B = extent_B;
	return MPI_SUCCESS;
}

/* One element that nobody looks into. */
static int make_leaf(const struct io_datarep *datarep, struct mpi_datatype *type,
		     struct mpi_datatype **out)
{
	struct mpi_datatype *leaf;
	MPI_Count size_B;
	int code = element_size(datarep, type, &size_B);

	if (code != MPI_SUCCESS)
		return code;
	if (size_B == type->size_B && type->is_contiguous) {
		mpi_datatype_retain(type);
		*out = type;
		return MPI_SUCCESS;
	}
	leaf = calloc(1, sizeof *leaf);
	if (!leaf)
		return MPI_ERR_NO_MEM;
	*leaf = (struct mpi_datatype){.n_references = 1,
				      .is_committed = true,
				      .is_contiguous = true,
				      .is_dense = true,
				      .size_B = size_B,
				      .extent_B = size_B,
				      .true_extent_B = size_B,
				      .n_elements = type->n_elements,
				      .alignment_B = 1};
	*out = leaf;
	return MPI_SUCCESS;
}

static int make_tree(struct mpi_rank *me, const struct io_datarep *datarep,
		     struct mpi_datatype *type, const struct scale *scale,
		     struct mpi_datatype **out);

static int make_child(struct mpi_rank *me, const struct io_datarep *datarep,
		      struct mpi_datatype *child, const struct scale *scale,
		      struct mpi_datatype **out)
{
	if (!scale->old)
		return io_datarep_layout(me, datarep, child, out);
	if (child != scale->old)
		return make_tree(me, datarep, child, scale, out);
	mpi_datatype_retain(scale->old_layout);
	*out = scale->old_layout;
	return MPI_SUCCESS;
}

/* A list of different types needs lists of its own. */
static int make_struct(struct mpi_rank *me, const struct io_datarep *datarep,
		       const struct mpi_typemap *map, const struct scale *scale,
		       struct mpi_datatype **out)
{
	MPI_Count n = map->n_blocks;
	struct mpi_type_contents *contents = mpi_contents_create(MPI_COMBINER_STRUCT, n, n, 0, n);
	struct mpi_typemap copy = *map;
	int code = contents ? MPI_SUCCESS : MPI_ERR_NO_MEM;

	for (MPI_Count i = 0; i < n && code == MPI_SUCCESS; i++) {
		contents->values[i] = mpi_map_length(map, i);
		contents->values[n + i] = scaled(scale, mpi_map_displacement(map, i));
		code = make_child(me, datarep, map->types[i], scale, &contents->types[i]);
	}
	if (code != MPI_SUCCESS) {
		mpi_contents_destroy(me, contents);
		return code;
	}
	copy.lengths = contents->values;
	copy.displs = contents->values + n;
	copy.scale_B = 1;
	copy.types = contents->types;
	copy.inner = NULL;
	return mpi_datatype_build(me, &copy, contents, out);
}

static int make_tree(struct mpi_rank *me, const struct io_datarep *datarep,
		     struct mpi_datatype *type, const struct scale *scale,
		     struct mpi_datatype **out)
{
	struct mpi_typemap copy = *type->map;
	int code;

	*out = NULL;
	if (copy.kind == MAP_STRUCT) {
		code = make_struct(me, datarep, type->map, scale, out);
	} else {
		code = make_child(me, datarep, type->map->child, scale, &copy.child);
		if (code != MPI_SUCCESS)
			return code;
		copy.inner = copy.child;
		copy.offset_B = scaled(scale, copy.offset_B);
		copy.stride_B = scaled(scale, copy.stride_B);
		copy.scale_B = scaled(scale, copy.scale_B);
		code = mpi_datatype_build(me, &copy, NULL, out);
	}
	return code;
}

/* Do displacements count bytes? They are then those in the file already. */
static bool counts_bytes(int combiner)
{
	switch (combiner) {
	case MPI_COMBINER_HVECTOR:
	case MPI_COMBINER_HINDEXED:
	case MPI_COMBINER_HINDEXED_BLOCK:
	case MPI_COMBINER_STRUCT:
	case MPI_COMBINER_RESIZED:
		return true;
	default:
		return false;
	}
}

static bool sets_bounds(int combiner)
{
	return combiner == MPI_COMBINER_RESIZED || combiner == MPI_COMBINER_SUBARRAY ||
	       combiner == MPI_COMBINER_DARRAY;
}

int io_datarep_layout(struct mpi_rank *me, const struct io_datarep *datarep,
		      struct mpi_datatype *type, struct mpi_datatype **out)
{
	const struct mpi_type_contents *contents = type->contents;
	struct scale scale = {1, 1, NULL, NULL};
	int code;

	if (datarep->kind == DATAREP_NATIVE) {
		mpi_datatype_retain(type);
		*out = type;
		return MPI_SUCCESS;
	}
	if (!type->map || type->is_predefined)
		return make_leaf(datarep, type, out);
	if (contents->combiner != MPI_COMBINER_STRUCT &&
	    contents->combiner != MPI_COMBINER_VALUE_INDEX) {
		scale.old = contents->types[0];
		code = io_datarep_layout(me, datarep, scale.old, &scale.old_layout);
		if (code != MPI_SUCCESS)
			return code;
		if (!counts_bytes(contents->combiner)) {
			scale.numerator = scale.old_layout->extent_B;
			scale.denominator = scale.old->extent_B;
		}
	}
	code = make_tree(me, datarep, type, &scale, out);
	if (code == MPI_SUCCESS && sets_bounds(contents->combiner))
		mpi_datatype_set_bounds(*out, scaled(&scale, type->lb_B),
					scaled(&scale, type->extent_B));
	mpi_datatype_release(me, scale.old_layout);
	return code;
}
