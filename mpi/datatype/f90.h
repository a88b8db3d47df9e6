/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_DATATYPE_F90_H
#define MPI_DATATYPE_F90_H

#include "mpi/datatype/datatype.h"

/* The unnamed predefined types of MPI_Type_create_f90_*, of one rank: the same arguments give the
 * same handle. */
struct mpi_f90_type {
	struct mpi_f90_type *next;
	int combiner, precision, range;
	struct mpi_datatype *type;
};

void mpi_f90_types_destroy(struct mpi_rank *me, struct mpi_f90_type *types);

#endif
