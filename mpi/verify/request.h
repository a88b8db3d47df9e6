/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_REQUEST_H
#define MPI_VERIFY_REQUEST_H

#include "mpi/env/errhandler.h"
#include "mpi/verify/shadow.h"

/* Wrong lives of requests (mpi/verify/lifecycle.c). */
void mpi_verify_request_freed(struct mpi_rank *me, const struct mpi_shadow_request *request);
/* Of a rank that finalizes; of all ranks (-1) of a run that cannot go on. */
void mpi_verify_requests_at_end(struct mpi_world *world, int rank, const struct mpi_shadow *shadow);

/* Epochs (mpi/verify/epoch.c): the call is MPI_Win_fence, or locks a window. */
void mpi_verify_fence(struct mpi_shadow *shadow, const struct mpi_verify_call *call);
void mpi_verify_lock(struct mpi_shadow *shadow, const struct mpi_verify_call *call);

#endif
