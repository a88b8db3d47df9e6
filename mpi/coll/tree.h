/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COLL_TREE_H
#define MPI_COLL_TREE_H

#include "mpi/coll/operation.h"

/*
 * The binomial tree over positions 0 … n-1 (position = rank relative to the root). The parent of p
 * is p without its lowest set bit; its children are p + m for every power of two m below that bit
 * (any, for position 0); the subtree of p + m is [p + m, p + 2m).
 */
static inline int mpi_coll_position(int rank, int root, int size)
{
	return rank >= root ? rank - root : rank - root + size;
}

static inline int mpi_coll_rank_at(int position, int root, int size)
{
	return position < size - root ? position + root : position - (size - root);
}

static inline int mpi_coll_tree_parent(int position)
{
	return position & (position - 1);
}

/*
 * Distance to the farthest child, if it existed, times two: the lowest set bit, or for 0 the next
 * power of two >= n.
 */
static inline int mpi_coll_tree_reach(int position, int n)
{
	int reach = 1;

	while (position ? !(position & reach) : reach < n)
		reach <<= 1;
	return reach;
}

/* How many positions the subtree [position, position + reach) really has. */
static inline int mpi_coll_tree_size(int position, int reach, int n)
{
	return n - position < reach ? n - position : reach;
}

/* The largest power of two <= n; n >= 1. */
static inline int mpi_coll_power_of_two(int n)
{
	return 1 << (31 - __builtin_clz((unsigned int)n));
}

/* The shape of the tree that the operation, or the part of it that runs, goes along. */
static inline mpi_coll_shape_fn mpi_coll_tree_of(const struct mpi_coll *coll)
{
	return (coll->part ? coll->part : coll->algorithm)->shape;
}

#endif
