/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_COMPOUND_H
#define MPI_P2P_COMPOUND_H

#include "mpi/p2p/request.h"

/*
 * An operation of several sends and receives behind one request (REQUEST_COMPOUND), which is
 * complete when they all are. Its parts have no handles; they are taken, completed and destroyed
 * whenever the rank is in MPI. First member of what request->operation points to.
 */
struct mpi_compound {
	struct mpi_request *request;
	int n_left; /* parts that have yet to complete */
	int error;  /* the first error class of a part, or MPI_SUCCESS */
	/* A part has completed, maybe on another rank's fiber; may be NULL. */
	void (*part_completed)(struct mpi_compound *compound, const struct mpi_request *part);
	int peers[2]; /* world ranks that it waits for, -1: none; for reports of deadlocks */
};

/* Starts a prepared send or receive as a part. It may complete, and be gone, at once. */
void mpi_compound_send(struct mpi_rank *me, struct mpi_compound *compound,
		       struct mpi_request *part);
void mpi_compound_recv(struct mpi_rank *me, struct mpi_compound *compound,
		       struct mpi_request *part);
/* The end of a part, or of what would have been one: completes the whole after the last. */
void mpi_compound_end_part(struct mpi_compound *compound, struct mpi_request *part);

#endif
