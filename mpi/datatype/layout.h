/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_DATATYPE_LAYOUT_H
#define MPI_DATATYPE_LAYOUT_H

#include "mpi/datatype/typemap.h"

/* Size, bounds and density of a map, written into `type` (whose map it need not be yet). 0, or -1
 * when a figure does not fit into MPI_Count. */
int mpi_layout_measure(const struct mpi_typemap *map, struct mpi_datatype *type);

#endif
