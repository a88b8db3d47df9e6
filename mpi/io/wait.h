/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_IO_WAIT_H
#define MPI_IO_WAIT_H

#include "mpi/io/file.h"
#include "mpi/p2p/request.h"

/*
 * The time of accesses. What an access does to the file and to memory is done when it is called;
 * its bytes are then charged to the model of the storage, and whoever waits for them waits in
 * simulated time.
 */
struct io_op {
	struct net_storage_op storage; /* first */
	struct io_op *next, **link;    /* of the run: see io_world */
	struct mpi_request *request;
	struct mpi_file *file; /* of which it is pending; NULL: of none */
	sim_time_ps started;
	int64_t cause_mark; /* mpi/p2p/causes.h: of the start */
};

/* An access to which net_storage_add then gives its bytes. Never NULL: fails the run when out of
 * memory. */
struct io_op *io_op_create(struct mpi_rank *me);
/* For one that was not started, or when the run is over. */
void io_op_destroy(struct io_op *op);
/*
 * Starts it: a request without a handle, which owns the access and has an empty status. `file`
 * counts it as pending until it completes; NULL: none does.
 */
struct mpi_request *io_op_start(struct mpi_rank *me, struct io_op *op, struct mpi_file *file,
				bool is_write, int n_metadata);
/* Waits for a started one and destroys its request. */
void io_op_wait(struct mpi_rank *me, struct mpi_request *request);
/* `n` operations on metadata, one after the other. */
void io_wait_metadata(struct mpi_rank *me, int n);

#endif
