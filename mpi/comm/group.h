/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COMM_GROUP_H
#define MPI_COMM_GROUP_H

#include <mpi.h>

#include "mpi/core/rank.h"

/* A member of a group that is no sequence, for look-up by world rank. */
struct mpi_group_entry {
	int world_rank, index;
};

/*
 * An ordered set of processes. `ranks` NULL: the arithmetic sequence first, first + stride, … so
 * that groups of a whole world cost nothing. Never changes, so that all ranks share one where they
 * can: references are counted over all of them, and several handles may name one group.
 */
struct mpi_group {
	MPI_Group handle; /* MPI_GROUP_EMPTY for the constant empty group, 0 otherwise */
	int n_references; /* communicators and handles that use it */
	int size;
	int first, stride;
	int *ranks;			/* [size] ranks in MPI_COMM_WORLD, or NULL */
	struct mpi_group_entry *sorted; /* [size] by world rank, or NULL with `ranks` */
	MPI_Session session; /* of one rank, that it comes from; 0: none, or nobody asked */
	struct mpi_nodes *nodes; /* mpi/comm/nodes.h; NULL: nobody asked */
};

/* Rank in MPI_COMM_WORLD of member `index` (0 … size-1). */
static inline int mpi_group_world_rank(const struct mpi_group *group, int index)
{
	return group->ranks ? group->ranks[index] : group->first + index * group->stride;
}

/* Index of a world rank in the group, or MPI_UNDEFINED. O(1) for sequences, O(log size) otherwise.
 */
int mpi_group_index(const struct mpi_group *group, int world_rank);
/* The group of a handle (MPI_GROUP_EMPTY included), NULL when it is none. O(1). */
struct mpi_group *mpi_group_get(const struct mpi_rank *me, MPI_Group handle);
/* Takes `ranks` (malloc; different from each other); NULL when out of memory (then `ranks` is
 * freed). O(size log size); O(size) when they are a sequence. */
struct mpi_group *mpi_group_create(int size, int *ranks);
struct mpi_group *mpi_group_create_sequence(int size, int first, int stride);
void mpi_group_retain(struct mpi_group *group);
/* Frees at the last reference; NULL is fine. */
void mpi_group_release(struct mpi_rank *me, struct mpi_group *group);
/* One more handle, of an object that lives on: MPI_SUCCESS, or what raising the error gave. */
int mpi_group_publish(struct mpi_rank *me, struct mpi_group *group, MPI_Group *newgroup);
/* MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL. O(size log size) at most. */
int mpi_group_compare(const struct mpi_group *a, const struct mpi_group *b);

#endif
