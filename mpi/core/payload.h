/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_CORE_PAYLOAD_H
#define MPI_CORE_PAYLOAD_H

#include <stddef.h>

#include "util/pool.h"

/*
 * Memory for the data of messages that have to keep it: pools by size, four to a power of two, up
 * to the size of usual eager messages; larger ones are malloc's. All that is still in use goes with
 * them, as the data of messages that are under way when the last rank ends.
 */
enum { MPI_PAYLOAD_MIN_LOG2 = 6, MPI_PAYLOAD_MAX_LOG2 = 16 };
#define MPI_PAYLOAD_POOLS (4 * (MPI_PAYLOAD_MAX_LOG2 - MPI_PAYLOAD_MIN_LOG2))

struct mpi_payload_large;

struct mpi_payloads {
	struct util_pool pools[MPI_PAYLOAD_POOLS];
	struct mpi_payload_large *large; /* list */
};

void mpi_payloads_init(struct mpi_payloads *payloads);
void mpi_payloads_finish(struct mpi_payloads *payloads);
/* `size_B` uninitialised bytes; NULL when there is no memory. O(1). */
void *mpi_payload_get(struct mpi_payloads *payloads, size_t size_B);
/* Gives back what was got for `size_B` bytes. */
void mpi_payload_put(struct mpi_payloads *payloads, void *payload, size_t size_B);

#endif
