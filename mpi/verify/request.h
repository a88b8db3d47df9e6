/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_REQUEST_H
#define MPI_VERIFY_REQUEST_H

#include "mpi/env/errhandler.h"
#include "mpi/verify/shadow.h"

/* Wrong lives of requests (mpi/verify/lifecycle.c). */
void mpi_verify_request_freed(struct mpi_rank *me, const struct mpi_shadow_request *request);
/* `me` finalizes. */
void mpi_verify_requests_at_end(struct mpi_rank *me, const struct mpi_shadow *shadow);

#endif
