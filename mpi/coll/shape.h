/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COLL_SHAPE_H
#define MPI_COLL_SHAPE_H

/*
 * Trees that messages go down, or contributions up. Positions are 0 … n-1 with 0 at the top
 * (position = rank relative to the root), but for the in-order tree, whose top is n-1.
 */
#define MPI_COLL_MAX_CHILDREN 64

struct mpi_coll_shape {
	int parent; /* -1: the top */
	int n_children;
	int children[MPI_COLL_MAX_CHILDREN]; /* in the order in which they are sent to */
};

typedef void (*mpi_coll_shape_fn)(int position, int n, struct mpi_coll_shape *out);

/* One chain: each position has the next one below it. */
void mpi_coll_shape_pipeline(int position, int n, struct mpi_coll_shape *out);
/* Four chains below the top, as equally long as can be. */
void mpi_coll_shape_chain(int position, int n, struct mpi_coll_shape *out);
/* Two children each. Odd positions are left of the top, even ones right. */
void mpi_coll_shape_binary(int position, int n, struct mpi_coll_shape *out);
/* The binomial tree of tree.h, largest subtree first. */
void mpi_coll_shape_binomial(int position, int n, struct mpi_coll_shape *out);
/* The same to base 4: up to three children per digit. */
void mpi_coll_shape_knomial(int position, int n, struct mpi_coll_shape *out);
/*
 * Binary, in the order left, right, own: the subtree of p is a range of positions that ends with p,
 * and the children have a half of the rest each, lower one first.
 */
void mpi_coll_shape_in_order(int position, int n, struct mpi_coll_shape *out);

#endif
