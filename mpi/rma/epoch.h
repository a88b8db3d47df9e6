/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_RMA_EPOCH_H
#define MPI_RMA_EPOCH_H

#include "mpi/rma/window.h"

/* What the synchronization calls and the communication calls check of each other. All return
 * MPI_SUCCESS, or what was raised. */

/* May an operation on `target` be started now? `is_request`: MPI_Rput and the like, which need a
 * passive target. Notes that the epoch is used. */
int rma_check_access(struct mpi_rank *me, struct mpi_win *win, int target, bool is_request);
/* May an access epoch begin? A fence that nothing followed has begun none. */
int rma_check_no_access(struct mpi_rank *me, struct mpi_win *win);
/* No epoch is open: the window may be freed. */
int rma_check_no_epoch(struct mpi_rank *me, struct mpi_win *win);
/* `assert` consists of `allowed`. */
int rma_check_assert(struct mpi_rank *me, struct mpi_win *win, int assert, int allowed);
/* `rank` is a member or MPI_PROC_NULL. */
int rma_check_rank(struct mpi_rank *me, struct mpi_win *win, int rank);

#endif
