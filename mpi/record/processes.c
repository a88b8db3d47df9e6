/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of processes that meet, and processes that are spawned. */
#include "mpi/comm/comm.h"
#include "mpi/comm/group.h"
#include "mpi/core/objects.h"
#include "mpi/dynamic/spawn.h"
#include "mpi/record/internal.h"

static void put_launch(struct mpi_record_call *call, const struct mpi_launch *launch)
{
	struct mtrace_stream *s = call->stream;
	uint64_t n_words = 0;

	while (launch->argv[n_words])
		n_words++;
	mtrace_put_uint(s, n_words);
	for (uint64_t i = 0; i < n_words; i++)
		mtrace_put_uint(s, mtrace_writer_string(s->writer, launch->argv[i]));
	mtrace_put_int(s, launch->n_wanted);
	mtrace_put_int(s, launch->n_ranks);
	mtrace_put_uint(s, (uint64_t)launch->n_hosts);
	for (int i = 0; i < launch->n_hosts; i++)
		mtrace_put_int(s, launch->hosts[i]);
}

/* NULL: another rank than the root made it, or nobody. */
static const struct mpi_spawn *spawn_of(const struct mpi_record_call *call, const MPI_Comm *made,
					int code)
{
	const struct mpi_comm *comm = code == MPI_SUCCESS ? mpi_comm_get(call->me, *made) : NULL;
	const struct mpi_spawn *spawn;

	if (!comm)
		return NULL;
	spawn = mpi_rank_job(&call->me->world->ranks[mpi_group_world_rank(comm->remote, 0)])->spawn;
	return spawn && spawn->root == call->me->rank ? spawn : NULL;
}

void mpi_record_processes(struct mpi_record_call *call, char letter, const MPI_Comm *made, int code)
{
	const struct mpi_spawn *spawn = letter == 'P' ? spawn_of(call, made, code) : NULL;

	if (letter == 'N')
		mtrace_put_uint(call->stream, code == MPI_SUCCESS ? call->me->meeting : 0);
	else
		mtrace_put_uint(call->stream, spawn ? (uint64_t)spawn->n_launches : 0);
	for (int i = 0; spawn && i < spawn->n_launches; i++)
		put_launch(call, &spawn->launches[i]);
	if (spawn)
		mtrace_put_uint(call->stream, (uint64_t)spawn->first_rank);
}
