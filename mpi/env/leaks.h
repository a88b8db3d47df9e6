/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_ENV_LEAKS_H
#define MPI_ENV_LEAKS_H

#include <stdint.h>

/*
 * What ranks still held when they called MPI_Finalize: equal finds (kind, function, site) of all
 * ranks are one entry.
 */
struct mpi_leak {
	const char *what;     /* "communicator", "receive that was never completed", … */
	const char *function; /* the call that made it; NULL: unknown */
	const void *site;     /* where the application called it */
	uint64_t count;	      /* objects, over all ranks */
	int first_rank;
};

struct mpi_leaks {
	struct mpi_leak *entries; /* [n], in the order found */
	int n;
};

struct mpi_world;
struct mpi_rank;

/* Looks for leaks of `me`, and when it is the last rank for messages that nobody received and
 * collectives that not all ranks called; called
 * once, by MPI_Finalize or where the rank ends. */
void mpi_leaks_collect(struct mpi_rank *me);
void mpi_leaks_destroy(struct mpi_leaks *leaks);

#endif
