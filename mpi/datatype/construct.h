/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_DATATYPE_CONSTRUCT_H
#define MPI_DATATYPE_CONSTRUCT_H

#include "mpi/core/arguments.h"
#include "mpi/datatype/typemap.h"

/* Checks that the constructors share: MPI_SUCCESS, or what mpi_raise returned. */

/* `value`, called `name` in the message, is not negative. */
int mpi_construct_check_count(struct mpi_rank *me, const char *name, MPI_Count value);
/* `values` is there when it needs to be, and (unless `may_be_negative`) holds no negative figure.
 */
int mpi_construct_check_counts(struct mpi_rank *me, const char *name, struct mpi_counts values,
			       MPI_Count n, bool may_be_negative);
/* Raises MPI_ERR_NO_MEM. */
int mpi_construct_out_of_memory(struct mpi_rank *me);

/* Writes the n figures of an array at *to and advances it. */
void mpi_construct_store(MPI_Count **to, struct mpi_counts values, MPI_Count n);

#endif
