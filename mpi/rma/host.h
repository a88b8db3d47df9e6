/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_RMA_HOST_H
#define MPI_RMA_HOST_H

#include "mpi/rma/window.h"

struct rma_op;

/* The rank's part of this chapter, made on first use; fails the run when out of memory. */
struct rma_host *rma_host(struct mpi_rank *me);
/*
 * Who serves a message that has arrived, and when: the one place that knows of `rma.progress`;
 * helper threads and copy engines of the target are in design.h.
 */
void rma_host_serve(struct rma_op *op);
/* Does to the target what the message says, and answers. From anywhere (operation.c). */
void rma_op_serve(struct rma_op *op);

#endif
