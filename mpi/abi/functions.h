/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_ABI_FUNCTIONS_H
#define MPI_ABI_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What the library knows of MPI's functions, those that were removed from the standard and are there
 * all the same included: from the table mpi/abi/functions.txt, whose head says what the columns are.
 * Whether a function is implemented shows in the library itself: its stub is a weak symbol, its
 * definition is not.
 */
struct mpi_function {
	const char *name, *chapter;
	const char *since;	 /* the version that restricted it first; NULL: nothing does */
	const char *restriction; /* how; NULL: none */
	int base;		 /* index of the function whose large-count twin it is, or its own */
	bool repeats;		 /* a replay may jump over repetitions of it */
	bool is_ordered; /* what it does may depend on what else happens at the same instant */
	bool meets;	 /* two groups of processes meet by it, each by its own function */
};

extern const struct mpi_function mpi_functions[]; /* [mpi_n_functions], sorted by strcmp of names */
extern const int mpi_n_functions;

/* NULL: there is none of this name. */
const struct mpi_function *mpi_function_find(const char *name);

/*
 * Tables of functions that stand for those of MPI: [n] items of `item_B` bytes, by name, each of which begins as this
 * does. The item for `name`, also as PMPI_…; NULL: there is none. O(log n).
 */
struct mpi_substitute {
	const char *name;
	void (*function)(void); /* of the type of the function it stands for; NULL: none */
};
const void *mpi_substitute_find(const void *table, int n, size_t item_B, const char *name);
/* Its function, as config->substitute gives it. */
void *mpi_substitute_address(const void *table, int n, size_t item_B, const char *name);

#endif
