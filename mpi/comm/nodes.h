/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COMM_NODES_H
#define MPI_COMM_NODES_H

#include <stdbool.h>

struct mpi_group;
struct mpi_rank;

/*
 * Which members of a group share a node. Nodes are counted in the order of their first members;
 * `place` counts the members of a node, in the order of the group: 0 is its leader.
 */
struct mpi_nodes {
	int n_nodes;
	int *node, *place; /* [size] of each member */
	int *members;	   /* [size] by node */
	int *first;	   /* [n_nodes + 1] where in `members` a node's begin */
	int *leaders;	   /* [n_nodes] */
};

/* Several nodes, and not one member on each. */
static inline bool mpi_nodes_have_levels(const struct mpi_nodes *nodes, int size)
{
	return nodes->n_nodes > 1 && nodes->n_nodes < size;
}

/*
 * The nodes of a group; its own, made when first asked for. Never NULL: no memory fails the run.
 * Cost: O(size + highest number of a node) once for all ranks that share the group.
 */
const struct mpi_nodes *mpi_group_nodes(struct mpi_rank *me, struct mpi_group *group);
/* With the group; NULL is fine. */
void mpi_nodes_destroy(struct mpi_nodes *nodes);

#endif
