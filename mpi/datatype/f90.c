/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Type_create_f90_real, _complex and _integer: types by decimal precision and exponent range.
 */
#include "mpi/datatype/f90.h"

#include "mpi/abi/mpi-calls.h"

#include <stdlib.h>

#include "mpi/core/objects.h"
#include "mpi/datatype/typemap.h"

/* What a Fortran compiler's selected_real_kind and selected_int_kind choose from; in the order of
 * their sizes. */
struct kind {
	int precision, range;
	MPI_Datatype real, complex;
};

static const struct kind real_kinds[] = {
    {6, 37, MPI_REAL4, MPI_COMPLEX8},
    {15, 307, MPI_REAL8, MPI_COMPLEX16},
    {18, 4931, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX},
    {33, 4931, MPI_REAL16, MPI_COMPLEX32},
};

static const struct {
	int range;
	MPI_Datatype type;
} integer_kinds[] = {{2, MPI_INTEGER1},
		     {4, MPI_INTEGER2},
		     {9, MPI_INTEGER4},
		     {18, MPI_INTEGER8},
		     {38, MPI_INTEGER16}};

/* The smallest type that has the precision and range, MPI_DATATYPE_NULL when there is none.
 * MPI_UNDEFINED (negative) asks for nothing. */
static MPI_Datatype find_kind(int combiner, int precision, int range)
{
	if (combiner == MPI_COMBINER_F90_INTEGER) {
		for (size_t i = 0; i < sizeof integer_kinds / sizeof integer_kinds[0]; i++)
			if (range <= integer_kinds[i].range)
				return integer_kinds[i].type;
		return MPI_DATATYPE_NULL;
	}
	for (size_t i = 0; i < sizeof real_kinds / sizeof real_kinds[0]; i++)
		if (precision <= real_kinds[i].precision && range <= real_kinds[i].range)
			return combiner == MPI_COMBINER_F90_REAL ? real_kinds[i].real
								 : real_kinds[i].complex;
	return MPI_DATATYPE_NULL;
}

/* A type like `base` that knows how it was asked for; like other predefined ones it is committed
 * and never freed by the program. NULL: out of memory. */
static struct mpi_datatype *build(struct mpi_rank *me, int combiner, int precision, int range,
				  MPI_Datatype base)
{
	bool is_integer = combiner == MPI_COMBINER_F90_INTEGER;
	struct mpi_type_contents *contents =
	    mpi_contents_create(combiner, is_integer ? 1 : 2, 0, 0, 0);
	struct mpi_typemap map = {.kind = MAP_STRIDED,
				  .n_blocks = 1,
				  .blocklength = 1,
				  .child = mpi_datatype_get(me, base)};
	struct mpi_datatype *type;

	if (!contents)
		return NULL;
	contents->values[0] = is_integer ? range : precision;
	if (!is_integer)
		contents->values[1] = range;
	if (mpi_datatype_build(me, &map, contents, &type) != MPI_SUCCESS)
		return NULL;
	type->handle = (MPI_Datatype)mpi_handle_create(me, KIND_DATATYPE, type);
	if (!type->handle) {
		mpi_datatype_release(me, type);
		return NULL;
	}
	type->is_predefined = type->is_committed = true;
	type->basic = map.child->basic;
	type->element = map.child->element;
	return type;
}

static struct mpi_f90_type *add(struct mpi_rank *me, struct mpi_rank_objects *objects, int combiner,
				int precision, int range, MPI_Datatype base)
{
	struct mpi_f90_type *entry = malloc(sizeof *entry);

	if (!entry)
		return NULL;
	*entry = (struct mpi_f90_type){.next = objects->f90_types,
				       .combiner = combiner,
				       .precision = precision,
				       .range = range};
	entry->type = build(me, combiner, precision, range, base);
	if (!entry->type) {
		free(entry);
		return NULL;
	}
	objects->f90_types = entry;
	return entry;
}

int mpi_type_create_f90(struct mpi_rank *me, int combiner, int precision, int range,
			MPI_Datatype *newtype)
{
	struct mpi_rank_objects *objects = mpi_rank_objects(me);
	MPI_Datatype base = find_kind(combiner, precision, range);
	struct mpi_f90_type *entry = objects ? objects->f90_types : NULL;

	if (combiner != MPI_COMBINER_F90_INTEGER && precision == MPI_UNDEFINED &&
	    range == MPI_UNDEFINED)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "p and r are both MPI_UNDEFINED");
	if (base == MPI_DATATYPE_NULL)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "no type has precision %d and range %d",
				 precision, range);
	while (entry && (entry->combiner != combiner || entry->precision != precision ||
			 entry->range != range))
		entry = entry->next;
	if (!entry && objects)
		entry = add(me, objects, combiner, precision, range, base);
	if (!entry)
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for a datatype");
	*newtype = entry->type->handle;
	return MPI_SUCCESS;
}

int mpi_type_create_f90_integer(struct mpi_rank *me, int range, MPI_Datatype *newtype)
{
	return mpi_type_create_f90(me, MPI_COMBINER_F90_INTEGER, 0, range, newtype);
}

void mpi_f90_types_destroy(struct mpi_rank *me, struct mpi_f90_type *types)
{
	while (types) {
		struct mpi_f90_type *next = types->next;

		mpi_handle_destroy(me, (uintptr_t)types->type->handle);
		types->type->is_predefined = false;
		mpi_datatype_release(me, types->type);
		free(types);
		types = next;
	}
}
