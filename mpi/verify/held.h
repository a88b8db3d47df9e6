/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_HELD_H
#define MPI_VERIFY_HELD_H

#include "mpi/verify/memory.h"

/*
 * What an active operation other than one send or receive has of the program's memory: a buffer of a
 * collective, of a one-sided operation with a request, of an access to a file; a partition. It is
 * entered when it becomes MPI's and leaves when it is the program's again.
 */
struct mpi_apart_held {
	struct mpi_memory_buffer buffer;
	bool is_entered;
};

/* Those of one operation: looks whether they are apart from what other operations have. */
void mpi_apart_enter(struct mpi_rank *me, int n, struct mpi_apart_held held[]);
void mpi_apart_leave(struct mpi_rank *me, int n, struct mpi_apart_held held[]);

#endif
