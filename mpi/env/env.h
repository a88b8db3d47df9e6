/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_ENV_ENV_H
#define MPI_ENV_ENV_H

#include "mpi/core/rank.h"
#include "mpi/env/leaks.h"

/* Environmental management: MPI_Init to MPI_Finalize, errors, versions. */

/* The World model or a session begins and ends; with the last one the rank leaves MPI. */
void mpi_env_open(struct mpi_rank *me);
void mpi_env_close(struct mpi_rank *me);
/* The rank has returned from main or called exit: ending between MPI_Init and MPI_Finalize fails
 * the run. */
void mpi_env_rank_end(struct pd_rank *rank);

/* The level of thread support that is given where `required` is asked for: calls come from the
 * thread that runs the rank, so MPI_THREAD_FUNNELED is the highest. */
int mpi_env_thread_level(int required);

#endif
