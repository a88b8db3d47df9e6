/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_ENV_ENV_H
#define MPI_ENV_ENV_H

#include "mpi/core/rank.h"
#include "mpi/env/leaks.h"

/* Environmental management: MPI_Init to MPI_Finalize, errors, versions. */

/* The rank has returned from main or called exit: ending between MPI_Init and MPI_Finalize fails
 * the run. */
void mpi_env_rank_end(struct pd_rank *rank);

#endif
