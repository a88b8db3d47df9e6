/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_DYNAMIC_CONNECT_H
#define MPI_DYNAMIC_CONNECT_H

#include "mpi/create/intercomm.h"

/* How two groups with a root each become an intercommunicator. */

/*
 * The two roots get a communicator of their own, by which `link` leads from one to the other, or
 * says what went wrong. `other`: rank in the world; `name`: the same for both, and of nobody else.
 * They agree by messages, or need not. *pair is the caller's to release.
 */
void mpi_link_roots(struct mpi_rank *me, int other, const char *name, bool agrees,
		    struct mpi_comm **pair, struct mpi_leader_link *link);
/* Of connect, accept and spawn: MPI_SUCCESS, or what mpi_raise returned. */
int mpi_check_root(struct mpi_rank *me, int root, struct mpi_comm *comm);

#endif
