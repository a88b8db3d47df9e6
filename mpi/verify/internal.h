/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_INTERNAL_H
#define MPI_VERIFY_INTERNAL_H

#include "mpi/verify/call.h"
#include "mpi/verify/verify.h"
#include "util/map.h"

/* What the files of this folder share. */

/* Functions of mpi/verify/direct.h. */
enum mpi_verify_direct {
	DIRECT_SEND,
	DIRECT_RECV,
	DIRECT_ISEND,
	DIRECT_IRECV,
	DIRECT_WAIT,
	DIRECT_WAITALL,
	DIRECT_SENDRECV,
	N_DIRECT,
};

struct mpi_verify {
	struct mpi_world *world;
	unsigned parts;
	struct mpi_finding *findings; /* [n_findings] */
	uint64_t *keys;		      /* [n_findings] of class and calls */
	int n_findings, capacity;
	struct mpi_memory *memory; /* mpi/verify/memory.h; NULL: it is not looked at */
	struct mpi_shadow *shadow; /* mpi/verify/shadow.h; NULL: only leaks are looked for */
	const struct mpi_call_info *rows[N_DIRECT]; /* what they stand for otherwise */
	struct util_map *senders; /* names of functions that send, by site; NULL: nobody asks */
	bool is_blind;	 /* calls were made that were not seen: no shadow of the matching */
	bool has_raised; /* the failure that ends the run is a finding already */
	bool has_ended, is_out_of_memory;
};

/* The calls of the program are told to it from now on. 0 or UTIL_ENOMEM. */
int mpi_verify_watch(struct mpi_verify *verify);
/* Whether a finding of that class has the same calls. */
bool mpi_verify_is_told_as(const struct mpi_world *world, const char *class_name,
			   const struct mpi_finding *finding);
/* The buffers of one call. */
void mpi_verify_overlap(const struct mpi_verify_call *call);
/* Of a one-sided operation: the datatypes at origin and target are of the same basic ones; of an
 * access to a file: those of the buffer and of the view's etype. */
void mpi_verify_sides(const struct mpi_verify_call *call);
/* Whether n items of each cannot have bytes in common; false: they may. */
bool mpi_verify_are_apart(const struct mpi_datatype *out, int64_t n_out, const void *from,
			  const struct mpi_datatype *in, int64_t n_in, const void *to);
/* Steps of the strict view that may go on, and what is looked for from time to time. */
void mpi_verify_look(struct mpi_shadow *shadow);
/* Fills in verify->rows. */
void mpi_verify_direct_init(struct mpi_verify *verify);
/* The failure that ended the run. */
void mpi_verify_failure(struct mpi_verify *verify);

#endif
