/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_LISTED_H
#define MPI_P2P_LISTED_H

#include <stdlib.h>

#include "mpi/p2p/choose.h"
#include "mpi/p2p/request.h"

#define MPI_LISTED_ON_STACK 32

/* The requests of an application's array: requests[i] is NULL for MPI_REQUEST_NULL. */
struct mpi_request_list {
	int n, n_active;
	struct mpi_request **requests;
	struct mpi_request *on_stack[MPI_LISTED_ON_STACK];
};

/* Room for list->n requests. MPI_SUCCESS, or what was raised. */
int mpi_listed_reserve(struct mpi_rank *me, struct mpi_request_list *list);

/* Room for `n` requests, none of them active. MPI_SUCCESS, or what was raised; then there is
 * nothing to finish. */
static inline int mpi_listed_init(struct mpi_rank *me, struct mpi_request_list *list, int n)
{
	list->n = n;
	list->n_active = 0;
	list->requests = list->on_stack;
	return n > MPI_LISTED_ON_STACK ? mpi_listed_reserve(me, list) : MPI_SUCCESS;
}

/* Harmless twice: whoever raises an error finishes the list before, since a handler may not come
 * back. */
static inline void mpi_listed_finish(struct mpi_request_list *list)
{
	if (list->requests != list->on_stack)
		free(list->requests);
	list->requests = list->on_stack;
}

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
