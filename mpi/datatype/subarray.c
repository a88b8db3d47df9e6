/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Type_create_subarray: one strided node per dimension, the fastest innermost. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/datatype/construct.h"
#include "mpi/datatype/dimension.h"

struct subarray_arguments {
	bool is_large;
	int ndims, order;
	struct mpi_counts sizes, subsizes, starts;
};

static int check_subarray(struct mpi_rank *me, const struct subarray_arguments *a)
{
	if (a->ndims < 1)
		return mpi_raise(me, NULL, MPI_ERR_DIMS, "ndims is %d, it must be positive",
				 a->ndims);
	if (a->order != MPI_ORDER_C && a->order != MPI_ORDER_FORTRAN)
		return mpi_raise(me, NULL, MPI_ERR_ARG,
				 "order is %d, neither MPI_ORDER_C nor MPI_ORDER_FORTRAN",
				 a->order);
	for (int i = 0; i < a->ndims; i++) {
		MPI_Count size = mpi_counts_at(a->sizes, i),
			  subsize = mpi_counts_at(a->subsizes, i);
		MPI_Count start = mpi_counts_at(a->starts, i);

		if (size < 1)
			return mpi_raise(me, NULL, MPI_ERR_ARG,
					 "array_of_sizes[%d] is %lld, it must be positive", i,
					 (long long)size);
		if (subsize < 1 || subsize > size)
			return mpi_raise(me, NULL, MPI_ERR_ARG,
					 "array_of_subsizes[%d] is %lld, it must be in 1 … %lld", i,
					 (long long)subsize, (long long)size);
		if (start < 0 || start > size - subsize)
			return mpi_raise(me, NULL, MPI_ERR_ARG,
					 "array_of_starts[%d] is %lld, it must be in 0 … %lld", i,
					 (long long)start, (long long)(size - subsize));
	}
	return MPI_SUCCESS;
}

static struct mpi_type_contents *subarray_contents(const struct subarray_arguments *a,
						   struct mpi_datatype *old)
{
	struct mpi_type_contents *contents =
	    a->is_large
		? mpi_contents_create(MPI_COMBINER_SUBARRAY, 2, 0, 3 * (MPI_Count)a->ndims, 1)
		: mpi_contents_create(MPI_COMBINER_SUBARRAY, 3 * (MPI_Count)a->ndims + 2, 0, 0, 1);
	MPI_Count *to;

	if (!contents)
		return NULL;
	to = contents->values;
	*to++ = a->ndims;
	if (a->is_large)
		*to++ = a->order;
	mpi_construct_store(&to, a->sizes, a->ndims);
	mpi_construct_store(&to, a->subsizes, a->ndims);
	mpi_construct_store(&to, a->starts, a->ndims);
	if (!a->is_large)
		*to = a->order;
	contents->types[0] = old;
	mpi_datatype_retain(old);
	return contents;
}

static int build_subarray(struct mpi_rank *me, const struct subarray_arguments *a,
			  struct mpi_datatype *old, struct mpi_array *array)
{
	int code = mpi_array_begin(array, old);

	for (int i = 0; i < a->ndims && code == MPI_SUCCESS; i++) {
		int dim = a->order == MPI_ORDER_C ? a->ndims - 1 - i : i;

		code = mpi_array_take_run(me, array, mpi_counts_at(a->starts, dim),
					  mpi_counts_at(a->subsizes, dim));
		if (code == MPI_SUCCESS)
			code = mpi_array_next_dimension(array, mpi_counts_at(a->sizes, dim));
	}
	return code;
}

int mpi_type_create_subarray(struct mpi_rank *me, int is_large, int ndims, struct mpi_counts sizes,
			     struct mpi_counts subsizes, struct mpi_counts starts, int order,
			     struct mpi_datatype *old, MPI_Datatype *newtype)
{
	const struct subarray_arguments a = {is_large, ndims, order, sizes, subsizes, starts};
	struct mpi_type_contents *contents;
	struct mpi_datatype *type = NULL;
	struct mpi_array array;
	int code = check_subarray(me, &a);

	if (code != MPI_SUCCESS)
		return code;
	contents = subarray_contents(&a, old);
	if (!contents)
		return mpi_construct_out_of_memory(me);
	code = build_subarray(me, &a, old, &array);
	code = mpi_array_finish(me, &array, code, contents, &type);
	return mpi_datatype_publish(me, code, type, newtype);
}
