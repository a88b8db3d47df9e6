/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_RMA_MEMORY_H
#define MPI_RMA_MEMORY_H

#include "mpi/datatype/datatype.h"
#include "mpi/rma/operation.h"

/* Where the bytes of `data` lie: low … high - 1, as its rank sees them. False when that is beyond
 * all addresses. */
bool rma_span(const struct rma_data *data, uintptr_t *low, uintptr_t *high);
/* Marshals `data` of `rank`, wherever its memory lies now, into `packed`; and back the first
 * `size_B` bytes. From anywhere; not for absent memory. */
void rma_read(const struct mpi_rank *rank, const struct rma_data *data, void *packed);
void rma_write(const struct mpi_rank *rank, const struct rma_data *data, const void *packed,
	       int64_t size_B);
/* Reads the first and the last byte, on the rank's own fiber: an address that is wrong ends the run
 * in the call that has it, and not in the engine's loop, later. */
void rma_touch(const struct rma_data *data);
/* Bytes of the block of the heap that begins at `base`, where it has fewer than `size_B`; -1: it has
 * not, or nothing is known of it (pdexec/heap.h). */
MPI_Aint rma_short_of(const void *base, MPI_Aint size_B);
/* Is there memory behind the data? Not with --no-alloc, and not when there is no data. */
static inline bool rma_is_there(const struct rma_data *data)
{
	return data->type && data->count > 0 && data->type->size_B > 0 &&
	       !pd_memory_is_absent(data->addr + data->type->true_lb_B);
}
/* The predefined type that `type` is made of, NULL when it is made of several. */
struct mpi_datatype *rma_basic_type(struct mpi_datatype *type);

#endif
