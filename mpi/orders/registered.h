/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_ORDERS_REGISTERED_H
#define MPI_ORDERS_REGISTERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/core/rank.h"

/* Memory that a program registers with mpisim_state (include/mpisim.h). */
struct mpi_registered_item {
	char *name;
	const void *address;
	int64_t count;
	struct mpi_datatype *type; /* retained */
	void *
	    kept; /* [count] packed, as it was in MPI_Finalize; NULL: it is to be read where it is */
};

struct mpi_registered {
	struct mpi_registered_item *items; /* [n] in the order of registration */
	int n;
};

/* The same name again replaces what was there; a NULL address or count 0 takes it out. */
void mpi_registered_add(struct mpi_rank *me, struct mpi_registered *registered, const char *name,
			const void *address, int64_t count, struct mpi_datatype *type);
/* The rank finalizes: the memory may go away. On its fiber. */
void mpi_registered_keep(struct mpi_rank *me, struct mpi_registered *registered);
void mpi_registered_finish(struct mpi_registered *registered);

/* A copy of the item's value, packed; the caller frees. NULL: no memory. `size_B` is set. */
void *mpi_registered_value(const struct mpi_rank *me, const struct mpi_registered_item *item,
			   size_t *size_B);
/* Of all items; floating-point numbers closer than `epsilon` (relative) mostly have equal ones. */
void mpi_registered_digest(const struct mpi_rank *me, const struct mpi_registered *registered,
			   double epsilon, uint64_t out[2]);
uint64_t mpi_registered_hash_bytes(const void *bytes, int64_t size_B);

#endif
