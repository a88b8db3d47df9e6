/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Type_create_darray: the part of a block-cyclically distributed array that one process has. */
#include <limits.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/datatype/construct.h"
#include "mpi/datatype/dimension.h"

struct darray_arguments {
	bool is_large;
	int size, rank, ndims, order;
	struct mpi_counts gsizes;
	const int *distribs, *dargs, *psizes;
};

static int check_distribution(struct mpi_rank *me, const struct darray_arguments *a, int i)
{
	MPI_Count gsize = mpi_counts_at(a->gsizes, i);
	int distrib = a->distribs[i], darg = a->dargs[i], psize = a->psizes[i];

	if (gsize < 1)
		return mpi_raise(me, NULL, MPI_ERR_ARG,
				 "array_of_gsizes[%d] is %lld, it must be positive", i,
				 (long long)gsize);
	if (psize < 1)
		return mpi_raise(me, NULL, MPI_ERR_ARG,
				 "array_of_psizes[%d] is %d, it must be positive", i, psize);
	if (distrib != MPI_DISTRIBUTE_NONE && distrib != MPI_DISTRIBUTE_BLOCK &&
	    distrib != MPI_DISTRIBUTE_CYCLIC)
		return mpi_raise(me, NULL, MPI_ERR_ARG,
				 "array_of_distribs[%d] is %d, no MPI_DISTRIBUTE_ constant", i,
				 distrib);
	if (distrib == MPI_DISTRIBUTE_NONE && psize != 1)
		return mpi_raise(me, NULL, MPI_ERR_ARG,
				 "array_of_psizes[%d] is %d, it must be 1 in a dimension with "
				 "MPI_DISTRIBUTE_NONE",
				 i, psize);
	if (darg != MPI_DISTRIBUTE_DFLT_DARG && darg < 1)
		return mpi_raise(me, NULL, MPI_ERR_ARG,
				 "array_of_dargs[%d] is %d, it must be positive", i, darg);
	if (distrib == MPI_DISTRIBUTE_BLOCK && darg != MPI_DISTRIBUTE_DFLT_DARG &&
	    (MPI_Count)darg * psize < gsize)
		return mpi_raise(
		    me, NULL, MPI_ERR_ARG,
		    "array_of_dargs[%d] is %d: %d blocks of that size do not hold %lld items", i,
		    darg, psize, (long long)gsize);
	return MPI_SUCCESS;
}

static int check_darray(struct mpi_rank *me, const struct darray_arguments *a)
{
	MPI_Count n_processes = 1;

	if (a->size < 1)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "size is %d, it must be positive", a->size);
	if (a->rank < 0 || a->rank >= a->size)
		return mpi_raise(me, NULL, MPI_ERR_RANK, "rank is %d, it must be in 0 … %d",
				 a->rank, a->size - 1);
	if (a->ndims < 1)
		return mpi_raise(me, NULL, MPI_ERR_DIMS, "ndims is %d, it must be positive",
				 a->ndims);
	if (a->order != MPI_ORDER_C && a->order != MPI_ORDER_FORTRAN)
		return mpi_raise(me, NULL, MPI_ERR_ARG,
				 "order is %d, neither MPI_ORDER_C nor MPI_ORDER_FORTRAN",
				 a->order);
	for (int i = 0; i < a->ndims; i++) {
		int code = check_distribution(me, a, i);

		if (code != MPI_SUCCESS)
			return code;
		n_processes =
		    n_processes * a->psizes[i] > INT_MAX ? INT_MAX : n_processes * a->psizes[i];
	}
	if (n_processes != a->size)
		return mpi_raise(me, NULL, MPI_ERR_ARG,
				 "the product of array_of_psizes is %lld, it must be size = %d",
				 (long long)n_processes, a->size);
	return MPI_SUCCESS;
}

static struct mpi_type_contents *darray_contents(const struct darray_arguments *a,
						 struct mpi_datatype *old)
{
	MPI_Count n = a->ndims;
	struct mpi_type_contents *contents =
	    a->is_large ? mpi_contents_create(MPI_COMBINER_DARRAY, 3 * n + 4, 0, n, 1)
			: mpi_contents_create(MPI_COMBINER_DARRAY, 4 * n + 4, 0, 0, 1);
	MPI_Count *to;

	if (!contents)
		return NULL;
	to = contents->values;
	*to++ = a->size;
	*to++ = a->rank;
	*to++ = a->ndims;
	if (!a->is_large)
		mpi_construct_store(&to, a->gsizes, n);
	mpi_construct_store(&to, (struct mpi_counts){.narrow = a->distribs}, n);
	mpi_construct_store(&to, (struct mpi_counts){.narrow = a->dargs}, n);
	mpi_construct_store(&to, (struct mpi_counts){.narrow = a->psizes}, n);
	*to++ = a->order;
	if (a->is_large)
		mpi_construct_store(&to, a->gsizes, n);
	contents->types[0] = old;
	mpi_datatype_retain(old);
	return contents;
}

/* The part of dimension `dim` that process `coord` of the dimension's psizes has. */
static int take_dimension(struct mpi_rank *me, const struct darray_arguments *a, int dim, int coord,
			  struct mpi_array *array)
{
	MPI_Count gsize = mpi_counts_at(a->gsizes, dim), block = a->dargs[dim],
		  psize = a->psizes[dim];
	MPI_Count start, cycle, n;

	if (a->distribs[dim] == MPI_DISTRIBUTE_NONE)
		return mpi_array_take_run(me, array, 0, gsize);
	if (block == MPI_DISTRIBUTE_DFLT_DARG)
		block = a->distribs[dim] == MPI_DISTRIBUTE_BLOCK ? (gsize + psize - 1) / psize : 1;
	start = coord * block;
	if (start >= gsize)
		return mpi_array_take_run(me, array, 0, 0);
	if (a->distribs[dim] == MPI_DISTRIBUTE_BLOCK)
		return mpi_array_take_run(me, array, start,
					  gsize - start < block ? gsize - start : block);
	cycle = block * psize;
	n = (gsize - start) / cycle * block;
	n += (gsize - start) % cycle < block ? (gsize - start) % cycle : block;
	return mpi_array_take_blocks(me, array, start, n, block, cycle);
}

static int build_darray(struct mpi_rank *me, const struct darray_arguments *a,
			struct mpi_datatype *old, struct mpi_array *array)
{
	int code = mpi_array_begin(array, old);

	for (int i = 0; i < a->ndims && code == MPI_SUCCESS; i++) {
		int dim = a->order == MPI_ORDER_C ? a->ndims - 1 - i : i;
		int rank = a->rank, coord;

		/* the process grid is in C order for both orders of the array: coordinates from the
		 * last one */
		for (int d = a->ndims - 1; d > dim; d--)
			rank /= a->psizes[d];
		coord = rank % a->psizes[dim];
		code = take_dimension(me, a, dim, coord, array);
		if (code == MPI_SUCCESS)
			code = mpi_array_next_dimension(array, mpi_counts_at(a->gsizes, dim));
	}
	return code;
}

int mpi_type_create_darray(struct mpi_rank *me, int is_large, int size, int rank, int ndims,
			   struct mpi_counts gsizes, const int distribs[], const int dargs[],
			   const int psizes[], int order, struct mpi_datatype *old,
			   MPI_Datatype *newtype)
{
	const struct darray_arguments a = {is_large, size,     rank,  ndims, order,
					   gsizes,   distribs, dargs, psizes};
	struct mpi_type_contents *contents;
	struct mpi_datatype *type = NULL;
	struct mpi_array array;
	int code = check_darray(me, &a);

	if (code != MPI_SUCCESS)
		return code;
	contents = darray_contents(&a, old);
	if (!contents)
		return mpi_construct_out_of_memory(me);
	code = build_darray(me, &a, old, &array);
	code = mpi_array_finish(me, &array, code, contents, &type);
	return mpi_datatype_publish(me, code, type, newtype);
}
