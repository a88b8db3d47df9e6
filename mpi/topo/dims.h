/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_TOPO_DIMS_H
#define MPI_TOPO_DIMS_H

/*
 * MPI_Dims_create: dims[i] > 0 are kept; the others are set so that the product is n_nodes, as
 * close to each other as possible: the least difference between the largest and the smallest, and of
 * those the largest smallest, then second smallest, …; largest first. 0, -1 when the product of the given ones does not divide n_nodes, or UTIL_ENOMEM. n_nodes >= 1.
 * Cost: grows with the number of divisors.
 */
int mpi_dims_create(int n_nodes, int n_dims, int dims[]);

#endif
