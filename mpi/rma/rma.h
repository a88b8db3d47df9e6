/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_RMA_RMA_H
#define MPI_RMA_RMA_H

#include "mpi/p2p/request.h"

/* One-sided communication, for the rest of the library. mpi/rma/README.md says how it works. */

int mpi_rma_create(struct mpi_world *world); /* 0 or UTIL_ENOMEM */
void mpi_rma_destroy(struct mpi_world *world);
/* MPI_Finalize: from now on nothing of this rank's memory is read or written. */
void mpi_rma_finalize(struct mpi_rank *me);

#endif
