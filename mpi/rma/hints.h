/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_RMA_HINTS_H
#define MPI_RMA_HINTS_H

#include "mpi/info/info.h"
#include "mpi/rma/window.h"

/*
 * Takes the standard's hints out of `given` (NULL: none); those that it does not have keep their
 * values, at first the standard's defaults. What is no hint for windows is ignored. MPI_SUCCESS or
 * MPI_ERR_NO_MEM.
 */
int rma_hints_set(struct mpi_win *win, const struct mpi_info *given);

#endif
