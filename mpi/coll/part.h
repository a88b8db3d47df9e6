/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COLL_PART_H
#define MPI_COLL_PART_H

#include "mpi/coll/algorithms.h"

/*
 * A stage that is an operation of its own, such as the reduction in an allreduce: done by what
 * would be chosen for that operation. Only for kinds whose algorithms have a single stage:
 * broadcast and reduce.
 */

/* From a stage's `prepare`, when coll->call is what the operation needs. */
void mpi_coll_part_choose(struct mpi_rank *me, struct mpi_coll *coll, enum mpi_coll_kind kind);
/* The stage's round. */
bool mpi_coll_part_round(struct mpi_rank *me, struct mpi_coll *coll);

#endif
