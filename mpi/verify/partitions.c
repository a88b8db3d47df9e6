/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Partitioned communication: a partition that is sent is MPI's from MPI_Pready on, one that is received from the
 * start until MPI_Parrived says that it is there; all are the program's again when the operation is complete
 * (MPI 4.1, §4.2). MPI works on the program's memory.
 */
#include <stdlib.h>

#include "mpi/p2p/partitioned.h"
#include "mpi/verify/internal.h"
#include "mpi/verify/memory.h"
#include "mpi/verify/unread.h"

struct tie {
	struct mpi_foreign_memory memory; /* first */
	struct mpi_memory *checks;
	const struct mpi_partitioned *half; /* of the request, which frees this */
	struct mpi_rank *me;
	int n;
	struct mpi_memory_active **actives; /* [n]; NULL: there was no memory */
};

static void give_to_mpi(struct tie *tie, int i)
{
	struct mpi_memory_active *active = tie->actives[i];
	struct mpi_memory_buffer *buffer;

	if (!active || active->is_locked)
		return;
	buffer = &active->buffer;
	if (tie->half->is_send)
		buffer->call = (struct mpi_finding_call){tie->me->rank, tie->me->pd->function,
							 tie->me->pd->site};
	mpi_memory_check(tie->checks, tie->me, buffer);
	mpi_memory_touch_buffer(tie->checks, tie->me, buffer);
	if (tie->checks->unread)
		mpi_unread_touch_buffer(tie->checks->unread, buffer);
	mpi_memory_lock(tie->checks, active);
}

static void fetch(struct mpi_foreign_memory *memory)
{
	struct tie *tie = (struct tie *)memory;

	if (tie->half->is_send && tie->half->asked >= 0)
		give_to_mpi(tie, tie->half->asked);
	for (int i = 0; i < tie->n && !tie->half->is_send; i++)
		give_to_mpi(tie, i);
}

static void give(struct mpi_foreign_memory *memory)
{
	struct tie *tie = (struct tie *)memory;
	int asked = tie->half->asked;

	for (int i = asked < 0 ? 0 : asked; i < (asked < 0 ? tie->n : asked + 1); i++)
		if (tie->actives[i])
			mpi_memory_unlock(tie->checks, tie->actives[i]);
}

static void end(struct mpi_foreign_memory *memory)
{
	struct tie *tie = (struct tie *)memory;

	for (int i = 0; i < tie->n; i++) {
		if (!tie->actives[i])
			continue;
		tie->actives[i]->is_held = false;
		mpi_memory_forget(tie->checks, tie->me, tie->actives[i]);
	}
	free(tie->actives);
}

static bool bind(struct mpi_memory *memory, struct mpi_rank *me, struct mpi_request *request,
		 MPI_Request handle, const struct mpi_memory_buffer *whole)
{
	const struct mpi_partitioned *half = request->operation;
	struct tie *tie = mpisim_foreign_allocate(sizeof *tie);

	if (!tie)
		return false;
	*tie = (struct tie){.memory = {.fetch = fetch, .give = give, .end = end},
			    .checks = memory,
			    .half = half,
			    .me = me,
			    .n = half->n_partitions};
	tie->actives = calloc((size_t)tie->n, sizeof(struct mpi_memory_active *));
	if (!tie->actives) {
		free(tie);
		return false;
	}
	for (int i = 0; i < tie->n; i++) {
		struct mpi_memory_buffer part;

		mpi_memory_part(whole, i * half->count, half->count, &part);
		tie->actives[i] = mpi_memory_hold_in_place(memory, me, &part);
		if (tie->actives[i])
			tie->actives[i]->is_held = true;
		mpi_memory_buffer_finish(&part);
	}
	mpisim_foreign_keep(handle, &tie->memory);
	return true;
}

void mpi_memory_hold_partitions(struct mpi_memory *memory, struct mpi_verify_call *call)
{
	int place = mpi_memory_parameter(mpi_memory_info(call), PARAMETER_REQUEST);
	const MPI_Request *handle = mpi_memory_argument(call, place).p;
	struct mpi_request *request = mpi_request_get(call->me, *handle);

	if (request && call->buffers->n == 1 && call->buffers->buffers[0].type &&
	    !bind(memory, call->me, request, *handle, &call->buffers->buffers[0]))
		mpi_request_fail_memory(call->me);
}
