/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COMM_CONTEXT_H
#define MPI_COMM_CONTEXT_H

#include <stdint.h>

#include "mpi/comm/group.h"
#include "mpi/core/meeting.h"
#include "mpi/core/rank.h"

#define MPI_CONTEXT_WORLD 0u
#define MPI_CONTEXT_SELF 1u

/* A context id that nobody has, nor the two after it: the groups of an intercommunicator get those.
 */
uint32_t mpi_context_new(struct mpi_world *world);

/* Where the members of one new communicator meet while they make it. */
struct mpi_birth {
	struct mpi_meeting meeting; /* first; n_left: members that have yet to come */
	uint32_t context;	    /* of the new communicator */
	struct mpi_group
	    *group, /* NULL for the first one, which sets it; the birth owns a reference */
	    *other; /* the second group of an intercommunicator, in the same way */
	struct mpi_topology *topology; /* of a grid or graph, in the same way; NULL otherwise */
	/* Not a communicator, but what its members agree on: mpi/create/board.h. NULL: nothing. */
	void *shared;
	void (*free_shared)(void *shared);
};
/* Colours of communicators are not negative. Boards: of all members, and of the second group of an
 * intercommunicator. */
#define MPI_BIRTH_BOARD (-1)
#define MPI_BIRTH_OTHER_BOARD (-2)

/*
 * The birth with this parent context, number of the collective on the parent, and colour; made when
 * the caller is the first to ask. NULL when out of memory. O(1) expected.
 */
struct mpi_birth *mpi_birth_join(struct mpi_world *world, uint32_t parent, uint32_t sequence,
				 int color);
/*
 * The same for communicators without a parent: who gives the same name and colour makes one.
 */
struct mpi_birth *mpi_birth_join_by_name(struct mpi_world *world, const char *name, int color);
/* The caller has what it wants: counts n_left down, and forgets the birth at the last one. */
void mpi_birth_leave(struct mpi_world *world, struct mpi_birth *birth);

#endif
