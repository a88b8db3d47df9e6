/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Type_get_envelope and MPI_Type_get_contents: how a type was made. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/datatype/typemap.h"

/* Predefined types have no contents but a combiner. */
static const struct mpi_type_contents named = {.combiner = MPI_COMBINER_NAMED};

static const struct mpi_type_contents *contents_of(const struct mpi_datatype *type)
{
	return type->contents ? type->contents : &named;
}

static int refuse_large(struct mpi_rank *me)
{
	return mpi_raise(
	    me, NULL, MPI_ERR_TYPE,
	    "datatype was made with large counts: only the _c form of this function can tell");
}

/* num_large_counts: NULL: the form that knows of none. */
int mpi_type_get_envelope(struct mpi_rank *me, struct mpi_datatype *type, MPI_Count *num_integers,
			  MPI_Count *num_addresses, MPI_Count *num_large_counts,
			  MPI_Count *num_datatypes, int *combiner)
{
	const struct mpi_type_contents *contents = contents_of(type);

	if (!num_large_counts && contents->n_counts > 0)
		return refuse_large(me);
	*num_integers = contents->n_integers;
	*num_addresses = contents->n_addresses;
	if (num_large_counts)
		*num_large_counts = contents->n_counts;
	*num_datatypes = contents->n_types;
	*combiner = contents->combiner;
	return MPI_SUCCESS;
}

/* Where the figures of the contents go, and how many fit. */
struct outputs {
	MPI_Count max_integers, max_addresses, max_counts, max_types;
	int *integers;
	MPI_Aint *addresses;
	MPI_Count *counts;
	MPI_Datatype *types;
};

static int check_room(struct mpi_rank *me, const char *what, MPI_Count room, const void *array,
		      MPI_Count wanted)
{
	if (room < wanted)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "max_%s is %lld, datatype has %lld", what,
				 (long long)room, (long long)wanted);
	if (wanted > 0 && !array)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "array_of_%s is NULL", what);
	return MPI_SUCCESS;
}

static int check_outputs(struct mpi_rank *me, const struct mpi_type_contents *contents,
			 const struct outputs *outputs)
{
	int code;

	if (contents->combiner == MPI_COMBINER_NAMED)
		return mpi_raise(me, NULL, MPI_ERR_TYPE,
				 "datatype is predefined: it has no contents");
	code = check_room(me, "integers", outputs->max_integers, outputs->integers,
			  contents->n_integers);
	if (code == MPI_SUCCESS)
		code = check_room(me, "addresses", outputs->max_addresses, outputs->addresses,
				  contents->n_addresses);
	if (code == MPI_SUCCESS)
		code = check_room(me, "large_counts", outputs->max_counts, outputs->counts,
				  contents->n_counts);
	if (code == MPI_SUCCESS)
		code = check_room(me, "datatypes", outputs->max_types, outputs->types,
				  contents->n_types);
	return code;
}

MPI_Datatype mpi_datatype_new_handle(struct mpi_rank *me, struct mpi_datatype *type)
{
	MPI_Datatype handle;

	if (type->is_predefined)
		return type->handle;
	handle = (MPI_Datatype)mpi_handle_create(me, KIND_DATATYPE, type);
	if (!handle)
		return MPI_DATATYPE_NULL;
	mpi_datatype_retain(type);
	if (!type->handle)
		type->handle = handle;
	return handle;
}

static void give(struct mpi_rank *me, const struct mpi_type_contents *contents,
		 const struct outputs *outputs)
{
	const MPI_Count *value = contents->values;

	for (MPI_Count i = 0; i < contents->n_integers; i++)
		outputs->integers[i] = (int)*value++;
	for (MPI_Count i = 0; i < contents->n_addresses; i++)
		outputs->addresses[i] = *value++;
	for (MPI_Count i = 0; i < contents->n_counts; i++)
		outputs->counts[i] = *value++;
	for (MPI_Count i = 0; i < contents->n_types; i++)
		outputs->types[i] = mpi_datatype_new_handle(me, contents->types[i]);
}

int mpi_type_get_contents(struct mpi_rank *me, int is_large, struct mpi_datatype *type,
			  MPI_Count max_integers, MPI_Count max_addresses,
			  MPI_Count max_large_counts, MPI_Count max_datatypes, int integers[],
			  MPI_Aint addresses[], MPI_Count large_counts[], MPI_Datatype datatypes[])
{
	const struct mpi_type_contents *contents = contents_of(type);
	const struct outputs outputs = {max_integers,  max_addresses, max_large_counts,
					max_datatypes, integers,      addresses,
					large_counts,  datatypes};
	int code;

	if (!is_large && contents->n_counts > 0)
		return refuse_large(me);
	code = check_outputs(me, contents, &outputs);
	if (code == MPI_SUCCESS)
		give(me, contents, &outputs);
	return code;
}
