/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_REQUEST_H
#define MPI_VERIFY_REQUEST_H

#include "mpi/core/errhandler.h"
#include "mpi/verify/shadow.h"

/* The call did nothing: a message that is cut is one all the same. */
static inline bool mpi_verify_has_failed(const struct mpi_rank *me, int code)
{
	return code != MPI_SUCCESS && mpi_error_class_of(me, code) != MPI_ERR_TRUNCATE;
}

/* Wrong lives of requests (mpi/verify/lifecycle.c). */
void mpi_verify_request_freed(struct mpi_rank *me, const struct mpi_shadow_request *request,
			      MPI_Request handle);
/* Of a rank that finalizes; of all ranks (-1) of a run that cannot go on. */
void mpi_verify_requests_at_end(struct mpi_world *world, int rank, const struct mpi_shadow *shadow);

/* Epochs (mpi/verify/epoch.c): the call is MPI_Win_fence, or locks a window. */
void mpi_verify_fence(struct mpi_shadow *shadow, const struct mpi_verify_call *call);
void mpi_verify_lock(struct mpi_shadow *shadow, const struct mpi_verify_call *call);

/* --- the table of requests (request.c) --- */
#define SHADOW_NO_REQUEST UINT64_MAX
/* The index of a handle, or that for predefined ones. */
static inline uint64_t mpi_shadow_index(const void *handle)
{
	return (uintptr_t)handle <= MPI_HANDLE_PREDEFINED_MAX ? SHADOW_NO_REQUEST
							      : mpi_handle_index((uintptr_t)handle);
}
/* The place of one that is not there. NULL: there is no memory. */
struct mpi_shadow_request *mpi_shadow_new_place(struct mpi_shadow *shadow, uint64_t index);
/* A new one, of this call; NULL: the handle is predefined, or there is no memory. */
static MPI_HOT struct mpi_shadow_request *
mpi_shadow_new_request(struct mpi_shadow *shadow, struct mpi_rank *me,
		       const struct mpi_call_info *function, const void *handle)
{
	uint64_t index = mpi_shadow_index(handle), at = index / SHADOW_IN_CHUNK;
	struct mpi_shadow_request *request;

	if (index == SHADOW_NO_REQUEST)
		return NULL;
	request = at < shadow->n_chunks && shadow->requests[at]
		      ? &shadow->requests[at][index % SHADOW_IN_CHUNK]
		      : mpi_shadow_new_place(shadow, index);
	if (!request)
		return NULL;
	mpi_apart_begin(&shadow->ranks[me->rank].apart);
	*request =
	    (struct mpi_shadow_request){.function = (uint16_t)(function - mpi_call_infos + 1),
					.site = me->pd->site,
					.rank = me->rank,
					.is_active = true};
	return request;
}
/* The call is given these requests. */
void mpi_shadow_note(struct mpi_verify_call *call, int n, const MPI_Request handles[]);
void mpi_shadow_forget_handles(struct mpi_verify_call *call);
void mpi_shadow_wait_for_given(struct mpi_shadow *shadow, struct mpi_verify_call *call, bool any);
/* The operations of the call belong to a new request; the call has failed. */
void mpi_shadow_publish(struct mpi_shadow *shadow, struct mpi_verify_call *call,
			MPI_Request handle);
void mpi_shadow_give_up_ops(struct mpi_shadow *shadow, struct mpi_verify_call *call);
void mpi_shadow_give_up(struct mpi_shadow *shadow, struct mpi_shadow_op *op);
void mpi_shadow_forget(struct mpi_shadow *shadow, struct mpi_shadow_request *request);

/* --- probes (probe.c) --- */
void mpi_shadow_before_probe(struct mpi_shadow *shadow, struct mpi_verify_call *call);
void mpi_shadow_after_probe(struct mpi_shadow *shadow, struct mpi_verify_call *call, int code);
void mpi_shadow_after_mprobe(struct mpi_shadow *shadow, struct mpi_verify_call *call, int code);
void mpi_shadow_before_mrecv(struct mpi_shadow *shadow, struct mpi_verify_call *call);
void mpi_shadow_before_comm_free(struct mpi_shadow *shadow, const struct mpi_verify_call *call);

#endif
