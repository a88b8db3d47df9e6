/* SPDX-License-Identifier: BSD-3-Clause */
/* The requests of the call at hand, in the simulator. */
#include <stdlib.h>

#include "mpi/record/internal.h"

static bool list_reserve(struct mpi_record_rank *rank, int n)
{
	int capacity = n < 16 ? 16 : 2 * n;
	uint32_t *listed;
	MPI_Status *statuses;

	if (n <= rank->list_capacity)
		return true;
	listed = realloc(rank->listed, (size_t)capacity * sizeof *listed);
	if (listed)
		rank->listed = listed;
	statuses = realloc(rank->statuses, (size_t)capacity * sizeof *statuses);
	if (statuses)
		rank->statuses = statuses;
	if (!listed || !statuses)
		return false;
	rank->list_capacity = capacity;
	return true;
}

void mpi_record_list(struct mpi_record_call *call, int n, const MPI_Request requests[])
{
	struct mpi_record_rank *rank = mpi_record_rank_of(call);

	if (!requests || n < 0)
		n = 0;
	if (!list_reserve(rank, n > 0 ? n : 1))
		pd_fail(call->me->pd, PD_FAILURE_MEMORY, "out of memory for a list of %d requests",
			n);
	for (int i = 0; i < n; i++)
		rank->listed[i] = mpi_handle_object(call->me, KIND_REQUEST, (uintptr_t)requests[i])
				      ? mpi_record_id(call->record, (uintptr_t)requests[i])
				      : 0;
}

MPI_Status *mpi_record_statuses(struct mpi_record_call *call, MPI_Status statuses[])
{
	return statuses == MPI_STATUSES_IGNORE ? mpi_record_rank_of(call)->statuses : statuses;
}

void mpi_record_done(struct mpi_record_call *call, int i, MPI_Request after,
		     const MPI_Status *status)
{
	struct mpi_record_rank *rank = mpi_record_rank_of(call);
	uint32_t id = rank->listed[i];

	if (!id)
		return;
	if (id < rank->match_capacity && rank->matches[id] && after == MPI_REQUEST_NULL) {
		if (status->MPI_SOURCE >= 0) /* was not cancelled */
			mtrace_patch_match(call->stream, rank->matches[id], status->MPI_SOURCE,
					   status->MPI_TAG);
		rank->matches[id] = 0;
	}
	if (after == MPI_REQUEST_NULL)
		mpi_record_free_number(&rank->requests, id);
}

int mpi_record_n_listed(const struct mpi_record_call *call, int n)
{
	const struct mpi_record_rank *rank = mpi_record_rank_of(call);
	int active = 0;

	for (int i = 0; i < n; i++)
		active += rank->listed[i] != 0;
	return active;
}

void mpi_record_index(struct mpi_record_call *call, int index)
{
	mtrace_put_int(call->stream, index);
}

void mpi_record_listed(struct mpi_record_call *call, int i)
{
	mtrace_put_uint(call->stream, mpi_record_rank_of(call)->listed[i]);
}
