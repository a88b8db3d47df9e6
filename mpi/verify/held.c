/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/verify/held.h"

#include <stdlib.h>

#include "mpi/p2p/partitioned.h"
#include "mpi/verify/shadow.h"

/* What a request has; the request frees it. */
struct tie {
	struct mpi_foreign_memory memory; /* first */
	struct mpi_rank *me;
	/* A partition that is sent is MPI's from MPI_Pready on, one that is received until
	   MPI_Parrived says that it is there (MPI 4.1, §4.2). NULL: there are none. */
	const struct mpi_partitioned *half;
	int n;
	struct mpi_apart_held held[];
};

/* -1: all. */
static int asked_of(const struct tie *tie)
{
	return tie->half ? tie->half->asked : -1;
}

static void fetch(struct mpi_foreign_memory *memory)
{
	struct tie *tie = (struct tie *)memory;
	int asked = asked_of(tie);

	if (!tie->half || !tie->half->is_send) {
		mpi_apart_enter(tie->me, tie->n, tie->held);
		return;
	}
	if (asked < 0) /* the start */
		return;
	tie->held[asked].buffer.call =
	    (struct mpi_finding_call){tie->me->rank, tie->me->pd->function, tie->me->pd->site};
	mpi_apart_enter(tie->me, 1, &tie->held[asked]);
}

static void give(struct mpi_foreign_memory *memory)
{
	struct tie *tie = (struct tie *)memory;
	int asked = asked_of(tie);

	if (asked < 0)
		mpi_apart_leave(tie->me, tie->n, tie->held);
	else
		mpi_apart_leave(tie->me, 1, &tie->held[asked]);
}

static void end(struct mpi_foreign_memory *memory)
{
	struct tie *tie = (struct tie *)memory;

	mpi_apart_leave(tie->me, tie->n, tie->held);
	for (int i = 0; i < tie->n; i++)
		mpi_memory_buffer_finish(&tie->held[i].buffer);
}

/* Takes over the buffers. */
static struct tie *make_tie(const struct mpi_verify_call *call, const struct mpi_request *request,
			    struct mpi_memory_buffers *all)
{
	bool is_partitioned = call->function->kind == MPI_CALL_PARTITIONED;
	const struct mpi_partitioned *half = is_partitioned ? request->operation : NULL;
	int n = half ? half->n_partitions : all->n;
	struct tie *tie = mpisim_foreign_allocate(sizeof *tie + (size_t)n * sizeof tie->held[0]);

	if (!tie)
		mpi_request_fail_memory(call->me);
	*tie = (struct tie){.memory = {.fetch = fetch, .give = give, .end = end},
			    .me = call->me,
			    .half = half,
			    .n = n};
	for (int i = 0; i < n; i++) {
		tie->held[i].is_entered = false;
		if (half)
			mpi_memory_part(&all->buffers[0], i * half->count, half->count,
					&tie->held[i].buffer);
		else
			tie->held[i].buffer = all->buffers[i];
	}
	if (half)
		mpi_memory_buffer_finish(&all->buffers[0]);
	return tie;
}

void mpi_apart_hold(const struct mpi_verify_call *call)
{
	const struct mpi_call_info *info = call->function;
	const MPI_Request *handle;
	const struct mpi_request *request;
	struct mpi_memory_buffers all;
	struct tie *tie;

	if (info->kind == MPI_CALL_SEND || info->kind == MPI_CALL_RECV ||
	    info->kind == MPI_CALL_MRECV || !call->shadow->looks_at_buffers)
		return;
	mpi_memory_collect(call, &all);
	if (all.n == 0)
		return;
	handle = mpi_memory_argument(call, mpi_memory_parameter(info, PARAMETER_REQUEST)).p;
	request = mpi_request_get(call->me, *handle);
	if (!request) {
		for (int i = 0; i < all.n; i++)
			mpi_memory_buffer_finish(&all.buffers[i]);
		return;
	}
	tie = make_tie(call, request, &all);
	mpisim_foreign_keep(*handle, &tie->memory);
	if (info->form == FORM_NONBLOCKING)
		mpi_apart_enter(call->me, tie->n, tie->held);
}
