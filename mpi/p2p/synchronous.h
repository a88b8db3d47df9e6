/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_SYNCHRONOUS_H
#define MPI_P2P_SYNCHRONOUS_H

#include "mpi/core/rank.h"

/* Where the program calls MPI_Ssend and MPI_Issend, by places in its file. */
enum { MPI_MAX_SYNCHRONOUS = 64 };
struct mpi_synchronous {		      /* world->synchronous, borrowed; NULL: nobody asks */
	uint64_t places[MPI_MAX_SYNCHRONOUS]; /* [n] */
	const char *functions[MPI_MAX_SYNCHRONOUS];
	int ranks[MPI_MAX_SYNCHRONOUS]; /* one that calls it */
	int n;
	int turned; /* 1 + place whose sends are standard ones; 0: none */
};

/* Notes the send that `me` calls; whether it is to be a standard one. */
bool mpi_synchronous_is_turned(struct mpi_rank *me);

#endif
