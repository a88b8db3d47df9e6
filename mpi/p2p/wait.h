/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_WAIT_H
#define MPI_P2P_WAIT_H

#include <stdbool.h>

#include "mpi/core/rank.h"

struct mpi_request;
struct mpi_blocked;

/* What a rank is blocked in: one of these for each, which the report of a deadlock reads. */
struct mpi_wait {
	enum mpi_wait_kind {
		MPI_WAIT_NOTHING,
		MPI_WAIT_REQUESTS, /* mpi/p2p/request.h */
		MPI_WAIT_MESSAGE,  /* a probe */
		MPI_WAIT_POLL,	   /* the pause of a poll that found nothing (mpi/p2p/poll.h) */
		MPI_WAIT_CONDITION,
	} kind;
	int n; /* of requests */
	union {
		struct mpi_request *const *requests; /* [n] borrowed from the caller */
		struct {			     /* as given to the probe */
			struct mpi_comm *comm;
			int source, tag;
		} message;
		const char *text; /* of a condition: "a process at the other side of a port" */
	} of;
	/* For mpi_wait: whether what it waits for has happened. */
	bool (*is_satisfied)(struct mpi_rank *me, const struct mpi_wait *wait);
	/* Adds text and ranks of a condition (mpi/p2p/blocked.h); NULL: there is of.text. */
	void (*describe)(const struct mpi_wait *wait, struct mpi_blocked *out);
	const void *context; /* for both, borrowed */
};

/*
 * Blocks until wait->is_satisfied, making progress on everything else of the rank meanwhile. On the
 * rank's fiber. What makes it satisfied has to wake the rank (mpi_endpoint_wake).
 */
void mpi_wait(struct mpi_rank *me, const struct mpi_wait *wait);

#endif
