/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COMM_GROUP_RECALL_H
#define MPI_COMM_GROUP_RECALL_H

#include "mpi/comm/group.h"

/*
 * Groups that some rank has made lately. The ranks of a program make the same groups from the same
 * ones, and a group never changes: so the first makes it and the others get it, instead of each
 * going through all members and holding a list of them.
 */
enum mpi_group_operation {
	GROUP_UNION,
	GROUP_INTERSECTION,
	GROUP_DIFFERENCE,
	GROUP_INCL,
	GROUP_EXCL,
	GROUP_RANGE_INCL,
	GROUP_RANGE_EXCL,
	GROUP_WITHIN, /* `a`, of which all members are in `b` */
};

/* What a group was made of. */
struct mpi_group_recipe {
	enum mpi_group_operation operation;
	struct mpi_group *a, *b; /* b NULL: there is none */
	int64_t n;
	const int *numbers; /* [n]: ranks, or ranges one after the other */
};

struct mpi_group_recall;

int mpi_group_recall_create(struct mpi_world *world); /* 0 or UTIL_ENOMEM */
void mpi_group_recall_destroy(struct mpi_world *world);
/* The group that was made so, with a reference for the caller; NULL: nobody knows. O(n + groups
 * remembered, at most 64). */
struct mpi_group *mpi_group_recall(const struct mpi_rank *me,
				   const struct mpi_group_recipe *recipe);
/* Remembers it, in place of one that was made longer ago; keeps references. Without memory it is
 * forgotten. O(n). */
void mpi_group_remember(struct mpi_rank *me, const struct mpi_group_recipe *recipe,
			struct mpi_group *made);

#endif
