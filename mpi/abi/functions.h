/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_ABI_FUNCTIONS_H
#define MPI_ABI_FUNCTIONS_H

#include <stdbool.h>

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
	int base;	 /* index of the function whose large-count twin it is, or its own */
	bool repeats;	 /* a replay may jump over repetitions of it */
	bool is_ordered; /* what it does may depend on what else happens at the same instant */
	bool meets;	 /* two groups of processes meet by it, each by its own function */
};

extern const struct mpi_function mpi_functions[]; /* [mpi_n_functions], sorted by strcmp of names */
extern const int mpi_n_functions;

/* NULL: there is none of this name. */
const struct mpi_function *mpi_function_find(const char *name);

#endif
