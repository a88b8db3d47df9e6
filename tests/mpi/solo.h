/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MPI_SOLO_H
#define TESTS_MPI_SOLO_H

#include "mpi/core/rank.h"

/*
 * One rank of a world of `n_ranks`, between MPI_Init and MPI_Finalize, without a program, a clock
 * or messages: enough to call the MPI functions that are local. Errors return (MPI_ERRORS_RETURN on
 * both predefined communicators).
 */
struct solo;

struct solo *solo_create(int n_ranks, int rank);
void solo_destroy(struct solo *solo);
struct mpi_rank *solo_rank(struct solo *solo);

#endif
