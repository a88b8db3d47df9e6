/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_RMA_DESIGN_H
#define MPI_RMA_DESIGN_H

#include "mpi/rma/window.h"

/* Who moves the data at the target, and what that costs (docs/model.md §8): `rma.design`. */
struct rma_op;

/* Takes over a message that has arrived, which is served later; false: its design does not do that. */
bool rma_design_takes(struct rma_op *op);
/* On the target's fiber: copies what the message brings or fetches. */
void rma_design_copy(struct mpi_rank *me, const struct rma_op *op);
/* On the origin's fiber, before it starts the operation. */
void rma_design_register(struct mpi_rank *me, const struct rma_op *op);
/* A rank has its first window. On its fiber. */
void rma_design_begin(struct mpi_rank *me);
/* Is it the target's CPU, while it is in MPI, that serves messages? */
bool rma_is_served_in_mpi(const struct mpi_rank *me);

#endif
