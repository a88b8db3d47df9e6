/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_IO_IO_H
#define MPI_IO_IO_H

#include "mpi/core/rank.h"

/* Files, for the rest of the library. mpi/io/README.md says how it works. */

int mpi_io_create(struct mpi_world *world); /* 0 or UTIL_ENOMEM */
void mpi_io_destroy(struct mpi_world *world);

#endif
