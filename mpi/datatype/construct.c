/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructors of regular types: contiguous, vector, hvector, resized, dup. */
#include "mpi/datatype/construct.h"

#include "mpi/abi/mpi-calls.h"
#include "mpi/core/objects.h"

int mpi_construct_check_count(struct mpi_rank *me, const char *name, MPI_Count value)
{
	if (value >= 0)
		return MPI_SUCCESS;
	return mpi_raise(me, NULL, MPI_ERR_COUNT, "%s is %lld, it must not be negative", name,
			 (long long)value);
}

int mpi_construct_check_counts(struct mpi_rank *me, const char *name, struct mpi_counts values,
			       MPI_Count n, bool may_be_negative)
{
	if (n > 0 && !mpi_counts_are_set(values))
		return mpi_raise(me, NULL, MPI_ERR_ARG, "%s is NULL", name);
	for (MPI_Count i = 0; i < n && !may_be_negative; i++)
		if (mpi_counts_at(values, i) < 0)
			return mpi_raise(me, NULL, MPI_ERR_ARG,
					 "%s[%lld] is %lld, it must not be negative", name,
					 (long long)i, (long long)mpi_counts_at(values, i));
	return MPI_SUCCESS;
}

int mpi_construct_out_of_memory(struct mpi_rank *me)
{
	return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for a datatype");
}

void mpi_construct_store(MPI_Count **to, struct mpi_counts values, MPI_Count n)
{
	for (MPI_Count i = 0; i < n; i++)
		*(*to)++ = mpi_counts_at(values, i);
}

/* Contents of n figures and one type; `is_large`: made by a _c function, figures are large counts.
 */
static struct mpi_type_contents *simple_contents(int combiner, bool is_large, MPI_Count n_integers,
						 MPI_Count n_addresses, const MPI_Count values[],
						 struct mpi_datatype *old)
{
	MPI_Count n = n_integers + n_addresses;
	struct mpi_type_contents *contents =
	    is_large ? mpi_contents_create(combiner, 0, 0, n, 1)
		     : mpi_contents_create(combiner, n_integers, n_addresses, 0, 1);

	if (!contents)
		return NULL;
	for (MPI_Count i = 0; i < n; i++)
		contents->values[i] = values[i];
	contents->types[0] = old;
	mpi_datatype_retain(old);
	return contents;
}

int mpi_type_contiguous(struct mpi_rank *me, int is_large, MPI_Count count,
			struct mpi_datatype *old, MPI_Datatype *newtype)
{
	struct mpi_type_contents *contents;
	struct mpi_datatype *type;
	struct mpi_typemap map;
	int code = mpi_construct_check_count(me, "count", count);

	if (code != MPI_SUCCESS)
		return code;
	contents = simple_contents(MPI_COMBINER_CONTIGUOUS, is_large, 1, 0, &count, old);
	if (!contents)
		return mpi_construct_out_of_memory(me);
	map = (struct mpi_typemap){
	    .kind = MAP_STRIDED, .n_blocks = count > 0, .blocklength = count, .child = old};
	code = mpi_datatype_build(me, &map, contents, &type);
	return mpi_datatype_publish(me, code, type, newtype);
}

int mpi_type_vector(struct mpi_rank *me, int combiner, int is_large, MPI_Count count,
		    MPI_Count blocklength, MPI_Count stride, struct mpi_datatype *old,
		    MPI_Datatype *newtype)
{
	bool is_in_items = combiner == MPI_COMBINER_VECTOR;
	struct mpi_type_contents *contents;
	struct mpi_datatype *type = NULL;
	struct mpi_typemap map = {
	    .kind = MAP_STRIDED, .n_blocks = count, .blocklength = blocklength, .child = old};
	int code = mpi_construct_check_count(me, "count", count);

	if (code == MPI_SUCCESS)
		code = mpi_construct_check_count(me, "blocklength", blocklength);
	if (code != MPI_SUCCESS)
		return code;
	if (__builtin_mul_overflow(stride, is_in_items ? old->extent_B : 1, &map.stride_B))
		return mpi_datatype_publish(me, MPI_ERR_VALUE_TOO_LARGE, NULL, newtype);
	contents = simple_contents(combiner, is_large, is_in_items ? 3 : 2, is_in_items ? 0 : 1,
				   (MPI_Count[]){count, blocklength, stride}, old);
	if (!contents)
		return mpi_construct_out_of_memory(me);
	code = mpi_datatype_build(me, &map, contents, &type);
	return mpi_datatype_publish(me, code, type, newtype);
}

/* The map of `old` itself, so that chains of dup and resized do not deepen the tree. */
static struct mpi_typemap same_map(struct mpi_datatype *old)
{
	struct mpi_typemap map = {
	    .kind = MAP_STRIDED, .n_blocks = 1, .blocklength = 1, .child = old};

	if (old->map)
		map = *old->map;
	map.inner = NULL;
	return map;
}

int mpi_type_create_resized(struct mpi_rank *me, int is_large, struct mpi_datatype *old,
			    MPI_Count lb, MPI_Count extent, MPI_Datatype *newtype)
{
	struct mpi_type_contents *contents;
	struct mpi_datatype *type = NULL;
	struct mpi_typemap map = same_map(old);
	MPI_Count ub;
	int code;

	if (__builtin_add_overflow(lb, extent, &ub))
		return mpi_datatype_publish(me, MPI_ERR_VALUE_TOO_LARGE, NULL, newtype);
	contents =
	    simple_contents(MPI_COMBINER_RESIZED, is_large, 0, 2, (MPI_Count[]){lb, extent}, old);
	if (!contents)
		return mpi_construct_out_of_memory(me);
	code = mpi_datatype_build(me, &map, contents, &type);
	if (code == MPI_SUCCESS)
		mpi_datatype_set_bounds(type, lb, extent);
	return mpi_datatype_publish(me, code, type, newtype);
}

static int duplicate(struct mpi_rank *me, struct mpi_datatype *old, struct mpi_datatype **out)
{
	struct mpi_type_contents *contents =
	    simple_contents(MPI_COMBINER_DUP, false, 0, 0, NULL, old);
	struct mpi_typemap map = same_map(old);
	struct mpi_datatype *type;
	int code = contents ? mpi_datatype_build(me, &map, contents, &type) : MPI_ERR_NO_MEM;

	if (code != MPI_SUCCESS)
		return code;
	type->is_committed = old->is_committed;
	type->basic = old->basic; /* operations that accept the old type accept its duplicate */
	type->element = old->element;
	type->lb_B = old->lb_B;
	type->extent_B = old->extent_B;
	type->has_lb = old->has_lb;
	type->has_ub = old->has_ub;
	type->is_contiguous = old->is_contiguous;
	*out = type;
	return MPI_SUCCESS;
}

static int copy_attributes(struct mpi_rank *me, struct mpi_datatype *old, MPI_Datatype handle,
			   struct mpi_datatype *type)
{
	struct mpi_attribute **from = mpi_type_attributes(me, old);

	return from ? mpi_attributes_copy(me, KIND_DATATYPE, (uintptr_t)handle, *from,
					  &type->attributes)
		    : MPI_ERR_NO_MEM;
}

int mpi_type_dup(struct mpi_rank *me, struct mpi_datatype *old, MPI_Datatype handle,
		 MPI_Datatype *newtype)
{
	struct mpi_datatype *type = NULL;
	int code = duplicate(me, old, &type), failure = MPI_SUCCESS;

	if (code == MPI_SUCCESS)
		failure = copy_attributes(me, old, handle, type);
	if (failure != MPI_SUCCESS) {
		mpi_datatype_release(me, type);
		*newtype = MPI_DATATYPE_NULL;
		return mpi_raise(me, NULL, failure, "the copy function of an attribute failed");
	}
	return mpi_datatype_publish(me, code, type, newtype);
}
