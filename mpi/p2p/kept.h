/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_KEPT_H
#define MPI_P2P_KEPT_H

#include "mpi/p2p/request.h"

/*
 * What a request keeps of memory that stands for the program's buffers: mpisim_foreign_keep. It
 * puts itself before the request's `query` and `release`, so that requests without it pay nothing.
 * On the rank's fiber, O(size of the buffers).
 */
/* Takes the program's data; nothing for a request that keeps nothing. */
void mpi_kept_fetch(struct mpi_request *request);
/* What the request was given, linked by `next`; NULL: nothing. */
struct mpi_foreign_memory *mpi_kept_memories(const struct mpi_request *request);
/* Gives the program what has come so far. */
void mpi_kept_give(struct mpi_request *request);

#endif
