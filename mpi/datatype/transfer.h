/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_DATATYPE_TRANSFER_H
#define MPI_DATATYPE_TRANSFER_H

#include "mpi/comm/comm.h"
#include "mpi/datatype/typemap.h"

/* Arguments of the packing functions: items at `buf`, their packed form in `packed` from position_B
 * on. */
struct mpi_transfer {
	void *buf;
	MPI_Count count;
	char *packed;
	MPI_Count packed_B, position_B;
};

/* Datatype, which must be committed, count and position are right. MPI_SUCCESS, or what mpi_raise returned.
 * `comm` may be NULL. */
int mpi_transfer_check(struct mpi_rank *me, struct mpi_comm *comm, const struct mpi_transfer *t,
		       const struct mpi_datatype *type);
/* The items, item_B bytes each when packed, fit behind the position, and the buffers are there.
 * Sets *need_B. */
int mpi_transfer_check_size(struct mpi_rank *me, struct mpi_comm *comm,
			    const struct mpi_transfer *t, const struct mpi_datatype *type,
			    MPI_Count item_B, MPI_Count *need_B);

#endif
