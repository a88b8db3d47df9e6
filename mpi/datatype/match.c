/* SPDX-License-Identifier: BSD-3-Clause */
/* Predefined types found by what they hold: MPI_Type_match_size, MPI_Type_get_value_index. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/datatype/typemap.h"

struct sized_type {
	int typeclass, size;
	MPI_Datatype type;
};

static const struct sized_type sized_types[] = {
    {MPIX_TYPECLASS_LOGICAL, 1, MPI_LOGICAL1},	 {MPIX_TYPECLASS_LOGICAL, 2, MPI_LOGICAL2},
    {MPIX_TYPECLASS_LOGICAL, 4, MPI_LOGICAL4},	 {MPIX_TYPECLASS_LOGICAL, 8, MPI_LOGICAL8},
    {MPIX_TYPECLASS_LOGICAL, 16, MPI_LOGICAL16}, {MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1},
    {MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2},	 {MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4},
    {MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8},	 {MPI_TYPECLASS_INTEGER, 16, MPI_INTEGER16},
    {MPI_TYPECLASS_REAL, 2, MPI_REAL2},		 {MPI_TYPECLASS_REAL, 4, MPI_REAL4},
    {MPI_TYPECLASS_REAL, 8, MPI_REAL8},		 {MPI_TYPECLASS_REAL, 16, MPI_REAL16},
    {MPI_TYPECLASS_COMPLEX, 4, MPI_COMPLEX4},	 {MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8},
    {MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16},	 {MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32},
};

int mpi_type_match_size(struct mpi_rank *me, int typeclass, int size, MPI_Datatype *datatype)
{
	if (typeclass < MPIX_TYPECLASS_LOGICAL || typeclass > MPI_TYPECLASS_COMPLEX)
		return mpi_raise(me, NULL, MPI_ERR_ARG,
				 "typeclass is %d, no MPI_TYPECLASS_ constant", typeclass);
	for (size_t i = 0; i < sizeof sized_types / sizeof sized_types[0]; i++) {
		if (sized_types[i].typeclass != typeclass || sized_types[i].size != size)
			continue;
		*datatype = sized_types[i].type;
		return MPI_SUCCESS;
	}
	return mpi_raise(me, NULL, MPI_ERR_ARG, "no type of this class has size %d", size);
}

struct pair_type {
	MPI_Datatype value, index, pair;
};

static const struct pair_type pair_types[] = {
    {MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},
    {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
    {MPI_LONG, MPI_INT, MPI_LONG_INT},
    {MPI_INT, MPI_INT, MPI_2INT},
    {MPI_SHORT, MPI_INT, MPI_SHORT_INT},
    {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
    {MPI_REAL, MPI_REAL, MPI_2REAL},
    {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
    {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER},
};

/* MPI_DATATYPE_NULL for pairs that are no predefined type. */
int mpi_type_get_value_index(struct mpi_rank *me, struct mpi_datatype *value,
			     struct mpi_datatype *index, MPI_Datatype *pair_type)
{
	*pair_type = MPI_DATATYPE_NULL;
	for (size_t i = 0; i < sizeof pair_types / sizeof pair_types[0]; i++)
		if (pair_types[i].value == value->handle && pair_types[i].index == index->handle)
			*pair_type = pair_types[i].pair;
	return MPI_SUCCESS;
}
