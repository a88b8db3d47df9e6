/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COMM_GROUP_H
#define MPI_COMM_GROUP_H

#include <mpi.h>

#include "mpi/core/rank.h"

/* An ordered set of processes. `ranks` NULL: the arithmetic sequence first, first + stride, … so that groups of a whole world cost nothing. */
struct mpi_group {
	MPI_Group handle;       /* of the rank that made it; 0 while it has none */
	int n_references;       /* communicators and handles that use it */
	int size;
	int first, stride;
	int *ranks;             /* [size] ranks in MPI_COMM_WORLD, or NULL */
};

/* Rank in MPI_COMM_WORLD of member `index` (0 … size-1). */
static inline int mpi_group_world_rank(const struct mpi_group *group, int index)
{
	return group->ranks ? group->ranks[index] : group->first + index * group->stride;
}

/* Index of a world rank in the group, or MPI_UNDEFINED. O(1) for sequences, O(size) otherwise. */
int mpi_group_index(const struct mpi_group *group, int world_rank);
struct mpi_group *mpi_group_get(const struct mpi_rank *me, MPI_Group handle);
struct mpi_group *mpi_group_create(int size, int *ranks); /* takes `ranks` (malloc); NULL when out of memory */
void mpi_group_retain(struct mpi_group *group);
void mpi_group_release(struct mpi_rank *me, struct mpi_group *group);

#endif
