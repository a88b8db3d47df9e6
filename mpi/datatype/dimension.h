/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_DATATYPE_DIMENSION_H
#define MPI_DATATYPE_DIMENSION_H

#include "mpi/datatype/typemap.h"

/*
 * Builds the type of a part of an array, dimension by dimension from the fastest to the slowest.
 * For each dimension one take_… and then next_dimension; the functions return MPI_SUCCESS or what
 * mpi_datatype_build returns. After an error go to mpi_array_finish.
 */
struct mpi_array {
	struct mpi_datatype *part; /* of the dimensions so far; owned */
	MPI_Count stride_B; /* between neighbours in this dimension: after the last one, the extent
			       of the array */
};

int mpi_array_begin(struct mpi_array *array, struct mpi_datatype *old);
/* `n` neighbours from `start` on. */
int mpi_array_take_run(struct mpi_rank *me, struct mpi_array *array, MPI_Count start, MPI_Count n);
/* `n` items in all: blocks of `block` items that begin at `start`, `start + period`, …; the last
 * one may be shorter. */
int mpi_array_take_blocks(struct mpi_rank *me, struct mpi_array *array, MPI_Count start,
			  MPI_Count n, MPI_Count block, MPI_Count period);
/* The array has `size` items in this dimension. */
int mpi_array_next_dimension(struct mpi_array *array, MPI_Count size);
/*
 * The type with lower bound 0 and the array's extent. `code` not MPI_SUCCESS: releases everything
 * and returns it. Takes the contents over.
 */
int mpi_array_finish(struct mpi_rank *me, struct mpi_array *array, int code,
		     struct mpi_type_contents *contents, struct mpi_datatype **out);

#endif
