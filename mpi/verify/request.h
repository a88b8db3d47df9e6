/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_REQUEST_H
#define MPI_VERIFY_REQUEST_H

#include "mpi/core/errhandler.h"
#include "mpi/verify/shadow.h"

/* Wrong lives of requests (mpi/verify/lifecycle.c). */
void mpi_verify_request_freed(struct mpi_rank *me, const struct mpi_shadow_request *request);
/* Of a rank that finalizes; of all ranks (-1) of a run that cannot go on. */
void mpi_verify_requests_at_end(struct mpi_world *world, int rank, const struct mpi_shadow *shadow);

/* Epochs (mpi/verify/epoch.c): the call is MPI_Win_fence, or locks a window. */
void mpi_verify_fence(struct mpi_shadow *shadow, const struct mpi_verify_call *call);
void mpi_verify_lock(struct mpi_shadow *shadow, const struct mpi_verify_call *call);

/* --- plain messages (plain.c) --- */
/* The call is a blocking send or receive between ranks that both are as far in the strict view as
 * in the run, and nothing is in doubt; false: it is not, and nothing happened. */
bool mpi_shadow_before_plain(struct mpi_shadow *shadow, struct mpi_verify_call *call);

/* --- the table of requests (request.c) --- */
/* The index of a handle; UINT64_MAX for predefined ones. */
uint64_t mpi_shadow_index(const void *handle);
/* A new one, of this call; NULL: the handle is predefined, or there is no memory. */
struct mpi_shadow_request *mpi_shadow_new_request(struct mpi_shadow *shadow,
						  const struct mpi_verify_call *call,
						  const void *handle);
void mpi_shadow_forget(struct mpi_shadow *shadow, struct mpi_shadow_request *request);

/* --- probes (probe.c) --- */
void mpi_shadow_before_probe(struct mpi_shadow *shadow, struct mpi_verify_call *call);
void mpi_shadow_after_probe(struct mpi_shadow *shadow, struct mpi_verify_call *call, int code);
void mpi_shadow_after_mprobe(struct mpi_shadow *shadow, struct mpi_verify_call *call, int code);
void mpi_shadow_before_mrecv(struct mpi_shadow *shadow, struct mpi_verify_call *call);
void mpi_shadow_before_comm_free(struct mpi_shadow *shadow, const struct mpi_verify_call *call);

#endif
