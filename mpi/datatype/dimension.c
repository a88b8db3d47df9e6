/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/datatype/dimension.h"

int mpi_array_begin(struct mpi_array *array, struct mpi_datatype *old)
{
	mpi_datatype_retain(old);
	array->part = old;
	array->stride_B = old->extent_B;
	return MPI_SUCCESS;
}

/* n single items of `child` from offset_B on, stride_B apart. Takes the child over, also on
 * failure. */
static int build_row(struct mpi_rank *me, struct mpi_datatype *child, MPI_Count offset_B,
		     MPI_Count n, MPI_Count stride_B, struct mpi_datatype **out)
{
	struct mpi_typemap map = {
	    .kind = MAP_STRIDED,
	    .n_blocks = n,
	    .blocklength = 1,
	    .offset_B = offset_B,
	    .stride_B = stride_B,
	    .child = child,
	    .inner = child,
	};

	*out = NULL;
	return mpi_datatype_build(me, &map, NULL, out);
}

int mpi_array_take_run(struct mpi_rank *me, struct mpi_array *array, MPI_Count start, MPI_Count n)
{
	MPI_Count offset_B;

	if (__builtin_mul_overflow(start, array->stride_B, &offset_B))
		return MPI_ERR_VALUE_TOO_LARGE;
	return build_row(me, array->part, offset_B, n, array->stride_B, &array->part);
}

/* `whole` followed by `rest`, which lies rest_B further. Takes both over. */
static int build_with_rest(struct mpi_rank *me, struct mpi_datatype *whole,
			   struct mpi_datatype *rest, MPI_Count rest_B, struct mpi_datatype **out)
{
	struct mpi_type_contents *contents = mpi_contents_create(MPI_COMBINER_STRUCT, 3, 2, 0, 2);
	struct mpi_typemap map = {
	    .kind = MAP_STRUCT, .n_blocks = 2, .blocklength = 1, .scale_B = 1};

	if (!contents) {
		mpi_datatype_release(me, whole);
		mpi_datatype_release(me, rest);
		return MPI_ERR_NO_MEM;
	}
	contents->values[0] = 2;
	contents->values[1] = contents->values[2] = 1;
	contents->values[4] = rest_B;
	contents->types[0] = whole;
	contents->types[1] = rest;
	map.lengths = contents->values + 1;
	map.displs = contents->values + 3;
	map.types = contents->types;
	return mpi_datatype_build(me, &map, contents, out);
}

int mpi_array_take_blocks(struct mpi_rank *me, struct mpi_array *array, MPI_Count start,
			  MPI_Count n, MPI_Count block, MPI_Count period)
{
	struct mpi_datatype *item = array->part, *whole, *rest;
	MPI_Count n_whole = n / block, n_rest = n % block, start_B, period_B, rest_B;
	int code;

	if (__builtin_mul_overflow(start, array->stride_B, &start_B) ||
	    __builtin_mul_overflow(period, array->stride_B, &period_B) ||
	    __builtin_mul_overflow(n_whole, period_B, &rest_B) ||
	    __builtin_add_overflow(start_B, rest_B, &rest_B))
		return MPI_ERR_VALUE_TOO_LARGE;
	mpi_datatype_retain(item); /* for `rest` */
	array->part = NULL;
	code = build_row(me, item, 0, block, array->stride_B, &whole);
	if (code == MPI_SUCCESS)
		code = build_row(me, whole, start_B, n_whole, period_B, &whole);
	if (code != MPI_SUCCESS || n_rest == 0) {
		mpi_datatype_release(me, item);
		array->part = whole;
		return code;
	}
	code = build_row(me, item, 0, n_rest, array->stride_B, &rest);
	if (code != MPI_SUCCESS) {
		array->part = whole;
		return code;
	}
	return build_with_rest(me, whole, rest, rest_B, &array->part);
}

int mpi_array_next_dimension(struct mpi_array *array, MPI_Count size)
{
	return __builtin_mul_overflow(array->stride_B, size, &array->stride_B)
		   ? MPI_ERR_VALUE_TOO_LARGE
		   : MPI_SUCCESS;
}

int mpi_array_finish(struct mpi_rank *me, struct mpi_array *array, int code,
		     struct mpi_type_contents *contents, struct mpi_datatype **out)
{
	struct mpi_typemap map = {.kind = MAP_STRIDED, .n_blocks = 1, .blocklength = 1};

	if (code != MPI_SUCCESS) {
		mpi_datatype_release(me, array->part);
		mpi_contents_destroy(me, contents);
		return code;
	}
	map.child = map.inner = array->part;
	code = mpi_datatype_build(me, &map, contents, out);
	if (code == MPI_SUCCESS)
		mpi_datatype_set_bounds(*out, 0, array->stride_B);
	return code;
}
