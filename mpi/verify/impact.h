/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_IMPACT_H
#define MPI_VERIFY_IMPACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether a buffer that is touched while MPI has it changes results. In the run MPI reads buffers at the
 * post, and gives what comes at the completion. Of each operation with a finding this keeps what is in
 * the buffer at the completion. A run that is repeated takes it the other way: data that are sent as they
 * are at the completion, data that come as if they were there at the post.
 */
struct mpi_impact;
struct mpi_memory;
struct mpi_memory_active;

struct mpi_impact_operation { /* in a list, `size_B` bytes follow each */
	int32_t finding;
	int32_t rank;
	uint32_t ordinal; /* of the operations of the rank */
	uint32_t use;	  /* enum mpi_memory_use, by MPI */
	uint64_t size_B;
};

/* Keeps operations from now on. 0 or UTIL_ENOMEM. */
int mpi_impact_create(struct mpi_memory *memory);
/* The run is a repeated one: those of `finding` in `list`, which is borrowed, are taken the other way. */
int mpi_impact_repeat(struct mpi_memory *memory, const void *list, size_t size_B, int finding);
void mpi_impact_destroy(struct mpi_impact *impact); /* NULL is fine */

/* What was kept. */
const void *mpi_impact_list(const struct mpi_impact *impact, size_t *size_B);
/* The first operation of a finding; NULL: none was kept. */
const struct mpi_impact_operation *mpi_impact_first(const struct mpi_impact *impact, int finding);

/* The operation is complete, nothing is given to the program yet. */
void mpi_impact_note(struct mpi_impact *impact, const struct mpi_memory_active *active);
/* It begins: MPI's memory, or the program's, is filled. True: what comes is there already. */
bool mpi_impact_apply(const struct mpi_impact *impact, struct mpi_memory_active *active);

#endif
