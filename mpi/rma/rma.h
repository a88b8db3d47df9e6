/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_RMA_RMA_H
#define MPI_RMA_RMA_H

#include "mpi/p2p/request.h"

/* One-sided communication, for the rest of the library. mpi/rma/README.md says how it works. */

int mpi_rma_create(struct mpi_world *world); /* 0 or UTIL_ENOMEM */
void mpi_rma_destroy(struct mpi_world *world);
/* MPI_Finalize: from now on nothing of this rank's memory is read or written. */
void mpi_rma_finalize(struct mpi_rank *me);

/*
 * While it is chosen who is first (mpi_asks) locks are granted by the second one only: of `rank` on
 * the window of `target`, -1: of all members. False: there is no such request, or others hold it. The
 * first one visits those that can be granted now.
 */
void mpi_rma_visit_locks(struct mpi_world *world,
			 void (*visit)(void *context, int rank, int target), void *context);
bool mpi_rma_grant(struct mpi_world *world, int rank, int target);

#endif
