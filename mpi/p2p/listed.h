/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_LISTED_H
#define MPI_P2P_LISTED_H

#include "mpi/p2p/choose.h"

#define MPI_LISTED_ON_STACK 32

/* The requests of an application's array: requests[i] is NULL for MPI_REQUEST_NULL. */
struct mpi_request_list {
	int n, n_active;
	struct mpi_request **requests;
	struct mpi_request *on_stack[MPI_LISTED_ON_STACK];
};

/*
 * Where it is chosen which requests are told of (mpi_asks; listed.c). On the rank's fiber, for lists with
 * an active request but for the first one.
 *
 * Whether a test of all requests of a list is to find nothing.
 */
bool mpi_listed_is_told_nothing(struct mpi_rank *me, const struct mpi_request_list *list);
/* Of a wait or a test for any: the one that is told of, complete now; -1: none. */
int mpi_listed_choose_any(struct mpi_rank *me, struct mpi_request_list *list,
			  enum mpi_choice_kind kind);
/* The same for some: -1: all that are complete, -2: none. */
int mpi_listed_choose_some(struct mpi_rank *me, struct mpi_request_list *list,
			   enum mpi_choice_kind kind);

#endif
