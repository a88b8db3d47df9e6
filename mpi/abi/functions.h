/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_ABI_FUNCTIONS_H
#define MPI_ABI_FUNCTIONS_H

#include <stddef.h>

/*
 * What the library knows of MPI's functions, those that were removed from the standard and are there
 * all the same included: from the tables of mpi/abi. Whether a function is implemented shows in the
 * library itself: its stub is a weak symbol, its definition is not.
 */
struct mpi_function {
	const char *name, *chapter;
	const char *since;	 /* the version that restricted it first; NULL: nothing does */
	const char *restriction; /* how; NULL: none */
};

extern const struct mpi_function mpi_functions[]; /* [mpi_n_functions], sorted by strcmp of names */
extern const int mpi_n_functions;

#endif
