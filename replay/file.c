/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls about files, of which neither the names nor the data matter any more. */
#include "mpi/io/effects.h"
#include "mpi/p2p/request.h"
#include "replay/call.h"

int replay_effects(struct replay_rank *rank)
{
	struct mpi_rank *me = rank->mpi;
	const struct mtrace_file *file = rank->replay->file;
	struct mpi_comm *comm = mpi_comm_get(me, replay_comm(rank));
	const MPI_Count *items = replay_counts(rank);
	uint64_t n = rank->n_items;
	MPI_Request *place = replay_request(rank);
	struct mpi_request *request;
	int code = io_effects_play(me, comm, n, items, file->n_strings, file->strings, &request);

	if (code == -1 || (request && place == rank->requests))
		replay_damaged(rank, "a file cannot be used so");
	if (request)
		*place = mpi_request_publish(me, request);
	return code;
}
