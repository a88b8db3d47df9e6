/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_INTERNAL_H
#define MPI_VERIFY_INTERNAL_H

#include "mpi/verify/call.h"
#include "mpi/verify/verify.h"

/* What the files of this folder share. */

struct mpi_verify {
	struct mpi_world *world;
	unsigned parts;
	struct mpi_finding *findings; /* [n_findings] */
	uint64_t *keys;		      /* [n_findings] of class and calls */
	int n_findings, capacity;
	struct mpi_memory *memory; /* mpi/verify/memory.h; NULL: it is not looked at */
	struct mpi_shadow *shadow; /* mpi/verify/shadow.h; NULL: only leaks are looked for */
	bool is_blind;	 /* calls were made that were not seen: no shadow of the matching */
	bool has_raised; /* the failure that ends the run is a finding already */
	bool has_ended, is_out_of_memory;
};

/* The calls of the program are told to it from now on. 0 or UTIL_ENOMEM. */
int mpi_verify_watch(struct mpi_verify *verify);
/* The buffers of one call. */
void mpi_verify_overlap(const struct mpi_verify_call *call);
/* The failure that ended the run. */
void mpi_verify_failure(struct mpi_verify *verify);

#endif
