/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructors of irregular types: indexed, hindexed, indexed_block, hindexed_block, struct. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/datatype/construct.h"

/* Arguments of the indexed family. `lengths` is absent for the _block forms, which have one
 * blocklength. */
struct indexed_arguments {
	int combiner;
	bool is_large;
	MPI_Count count, blocklength;
	struct mpi_counts lengths, displacements;
};

static bool is_in_items(int combiner)
{
	return combiner == MPI_COMBINER_INDEXED || combiner == MPI_COMBINER_INDEXED_BLOCK;
}

static bool is_block(int combiner)
{
	return combiner == MPI_COMBINER_INDEXED_BLOCK || combiner == MPI_COMBINER_HINDEXED_BLOCK;
}

static int check_indexed(struct mpi_rank *me, const struct indexed_arguments *a)
{
	int code = mpi_construct_check_count(me, "count", a->count);

	if (code == MPI_SUCCESS && is_block(a->combiner))
		code = mpi_construct_check_count(me, "blocklength", a->blocklength);
	if (code == MPI_SUCCESS && !is_block(a->combiner))
		code = mpi_construct_check_counts(me, "array_of_blocklengths", a->lengths, a->count,
						  false);
	if (code == MPI_SUCCESS)
		code = mpi_construct_check_counts(me, "array_of_displacements", a->displacements,
						  a->count, true);
	return code;
}

/* The figures in the order of MPI_Type_get_contents: count, length(s), displacements. */
static struct mpi_type_contents *indexed_contents(const struct indexed_arguments *a,
						  struct mpi_datatype *old)
{
	MPI_Count n_heads = is_block(a->combiner) ? 2 : 1 + a->count;
	MPI_Count n_addresses = is_in_items(a->combiner) ? 0 : a->count;
	MPI_Count n = n_heads + a->count;
	struct mpi_type_contents *contents =
	    a->is_large ? mpi_contents_create(a->combiner, 0, 0, n, 1)
			: mpi_contents_create(a->combiner, n - n_addresses, n_addresses, 0, 1);
	MPI_Count *to;

	if (!contents)
		return NULL;
	to = contents->values;
	*to++ = a->count;
	if (is_block(a->combiner))
		*to++ = a->blocklength;
	else
		mpi_construct_store(&to, a->lengths, a->count);
	mpi_construct_store(&to, a->displacements, a->count);
	contents->types[0] = old;
	mpi_datatype_retain(old);
	return contents;
}

static int indexed(struct mpi_rank *me, const struct indexed_arguments *a, struct mpi_datatype *old,
		   MPI_Datatype *newtype)
{
	struct mpi_type_contents *contents;
	struct mpi_datatype *type = NULL;
	struct mpi_typemap map;
	int code = check_indexed(me, a);

	if (code != MPI_SUCCESS)
		return code;
	contents = indexed_contents(a, old);
	if (!contents)
		return mpi_construct_out_of_memory(me);
	map = (struct mpi_typemap){
	    .kind = MAP_INDEXED,
	    .n_blocks = a->count,
	    .blocklength = a->blocklength,
	    .lengths = is_block(a->combiner) ? NULL : contents->values + 1,
	    .displs = contents->values + (is_block(a->combiner) ? 2 : 1 + a->count),
	    .scale_B = is_in_items(a->combiner) ? old->extent_B : 1,
	    .child = old,
	};
	code = mpi_datatype_build(me, &map, contents, &type);
	return mpi_datatype_publish(me, code, type, newtype);
}

int mpi_type_indexed(struct mpi_rank *me, int combiner, int is_large, MPI_Count count,
		     struct mpi_counts lengths, struct mpi_counts displacements,
		     struct mpi_datatype *old, MPI_Datatype *newtype)
{
	struct indexed_arguments a = {.combiner = combiner,
				      .is_large = is_large,
				      .count = count,
				      .lengths = lengths,
				      .displacements = displacements};

	return indexed(me, &a, old, newtype);
}

int mpi_type_create_indexed_block(struct mpi_rank *me, int combiner, int is_large, MPI_Count count,
				  MPI_Count blocklength, struct mpi_counts displacements,
				  struct mpi_datatype *old, MPI_Datatype *newtype)
{
	struct indexed_arguments a = {.combiner = combiner,
				      .is_large = is_large,
				      .count = count,
				      .blocklength = blocklength,
				      .displacements = displacements};

	return indexed(me, &a, old, newtype);
}

struct struct_arguments {
	bool is_large;
	MPI_Count count;
	struct mpi_counts lengths, displacements;
	const MPI_Datatype *types;
};

static int check_struct(struct mpi_rank *me, const struct struct_arguments *a)
{
	int code =
	    mpi_construct_check_counts(me, "array_of_blocklengths", a->lengths, a->count, false);

	if (code == MPI_SUCCESS)
		code = mpi_construct_check_counts(me, "array_of_displacements", a->displacements,
						  a->count, true);
	if (code != MPI_SUCCESS)
		return code;
	for (MPI_Count i = 0; i < a->count; i++)
		if (!mpi_datatype_get(me, a->types[i]))
			return mpi_raise(me, NULL, MPI_ERR_TYPE, "array_of_types[%lld] is %s",
					 (long long)i,
					 a->types[i] == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL"
									  : "not a datatype");
	return MPI_SUCCESS;
}

static struct mpi_type_contents *struct_contents(const struct mpi_rank *me,
						 const struct struct_arguments *a)
{
	MPI_Count n = 1 + 2 * a->count;
	struct mpi_type_contents *contents =
	    a->is_large
		? mpi_contents_create(MPI_COMBINER_STRUCT, 0, 0, n, a->count)
		: mpi_contents_create(MPI_COMBINER_STRUCT, 1 + a->count, a->count, 0, a->count);
	MPI_Count *to;

	if (!contents)
		return NULL;
	to = contents->values;
	*to++ = a->count;
	mpi_construct_store(&to, a->lengths, a->count);
	mpi_construct_store(&to, a->displacements, a->count);
	for (MPI_Count i = 0; i < a->count; i++) {
		contents->types[i] = mpi_datatype_get(me, a->types[i]);
		mpi_datatype_retain(contents->types[i]);
	}
	return contents;
}

static int create_struct(struct mpi_rank *me, const struct struct_arguments *a,
			 MPI_Datatype *newtype)
{
	struct mpi_type_contents *contents;
	struct mpi_datatype *type = NULL;
	struct mpi_typemap map;
	int code = check_struct(me, a);

	if (code != MPI_SUCCESS)
		return code;
	contents = struct_contents(me, a);
	if (!contents)
		return mpi_construct_out_of_memory(me);
	map = (struct mpi_typemap){
	    .kind = MAP_STRUCT,
	    .n_blocks = a->count,
	    .lengths = contents->values + 1,
	    .displs = contents->values + 1 + a->count,
	    .scale_B = 1,
	    .types = contents->types,
	};
	code = mpi_datatype_build(me, &map, contents, &type);
	return mpi_datatype_publish(me, code, type, newtype);
}

int mpi_type_create_struct(struct mpi_rank *me, int is_large, MPI_Count count,
			   struct mpi_counts lengths, struct mpi_counts displacements,
			   const MPI_Datatype types[], MPI_Datatype *newtype)
{
	struct struct_arguments a = {is_large, count, lengths, displacements, types};

	return create_struct(me, &a, newtype);
}
