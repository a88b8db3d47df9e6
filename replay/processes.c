/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that are spawned, groups that meet, and requests that the program completes itself. */
#include <stdio.h>
#include <stdlib.h>

#include "mpi/comm/comm.h"
#include "mpi/core/objects.h"
#include "mpi/dynamic/port.h"
#include "mpi/dynamic/spawn.h"
#include "replay/call.h"

struct replay_rank *replay_rank_begin(struct replay *replay, struct pd_rank *pd)
{
	int first = mtrace_ranks_at_start(replay->file);
	const struct mpi_rank *me = pd->mpi;
	uint64_t place = (uint64_t)pd->rank;

	if (pd->rank >= first) {
		const struct mpi_spawn *spawn = mpi_rank_job(me)->spawn;

		place = replay->ranks[replay->places[spawn->root]].spawned +
			(uint64_t)(pd->rank - spawn->first_rank);
		if (place < (uint64_t)first || place >= (uint64_t)replay->file->n_ranks ||
		    replay->ranks[place].mpi)
			pd_fail(pd, PD_FAILURE_UNSUPPORTED,
				"'%s' is damaged: it has no such process that was spawned",
				replay->file->path);
	}
	replay->places[pd->rank] = (int)place;
	replay->ranks[place].mpi = pd->mpi;
	return &replay->ranks[place];
}

struct commands { /* [n] each */
	int n;
	char **names, ***arguments;
	int *n_wanted;
	MPI_Info *infos;
};

static void *reserve(struct replay_rank *rank, size_t n, size_t size)
{
	void *items = calloc(n + 1, size);

	if (!items)
		pd_fail(rank->mpi->pd, PD_FAILURE_MEMORY, "out of memory for %zu commands", n);
	return items;
}

static void commands_finish(struct commands *commands)
{
	for (int i = 0; i < commands->n; i++) {
		free(commands->arguments[i]);
		MPI_Info_free(&commands->infos[i]);
	}
	free(commands->names);
	free(commands->arguments);
	free(commands->n_wanted);
	free(commands->infos);
}

/* "node3,node4": what the info key host says. */
static void read_hosts(struct replay_rank *rank, MPI_Info info)
{
	uint64_t n = mtrace_get_count(&rank->cursor);
	char *text = reserve(rank, n, sizeof ",node2147483647"), *end = text;

	for (uint64_t i = 0; i < n; i++)
		end += sprintf(end, "%snode%d", i ? "," : "", (int)mtrace_get_int(&rank->cursor));
	if (n > 0)
		MPI_Info_set(info, "host", text);
	free(text);
}

static void read_command(struct replay_rank *rank, struct commands *commands, int i)
{
	uint64_t n = mtrace_get_count(&rank->cursor);
	char soft[16], **words = reserve(rank, n, sizeof *words);

	for (uint64_t k = 0; k < n; k++)
		words[k] = (char *)(uintptr_t)replay_text(rank);
	if (n == 0)
		replay_damaged(rank, "a process without a command");
	commands->names[i] = words[0];
	for (uint64_t k = 0; k < n; k++)
		words[k] = words[k + 1];
	commands->arguments[i] = words;
	commands->n_wanted[i] = (int)replay_int(rank);
	snprintf(soft, sizeof soft, "%d", (int)replay_int(rank));
	MPI_Info_create(&commands->infos[i]);
	MPI_Info_set(commands->infos[i], "soft", soft);
	read_hosts(rank, commands->infos[i]);
}

/* As many processes as were started then, with what their launcher and places take here. */
int replay_own_Comm_spawn(struct replay_rank *rank)
{
	int root = (int)replay_int(rank), code;
	MPI_Comm comm = replay_comm(rank), *made = replay_new_comm(rank);
	size_t n = mtrace_get_count(&rank->cursor);
	struct commands commands = {
	    .n = (int)n,
	    .names = reserve(rank, n, sizeof *commands.names),
	    .arguments = reserve(rank, n, sizeof *commands.arguments),
	    .n_wanted = reserve(rank, n, sizeof *commands.n_wanted),
	    .infos = reserve(rank, n, sizeof *commands.infos),
	};

	for (int i = 0; i < commands.n; i++)
		read_command(rank, &commands, i);
	if (n > 0)
		rank->spawned = mtrace_get_uint(&rank->cursor);
	code = MPI_Comm_spawn_multiple(commands.n, commands.names, commands.arguments,
				       commands.n_wanted, commands.infos, root, comm, made,
				       MPI_ERRCODES_IGNORE);
	commands_finish(&commands);
	return code;
}

int replay_own_Comm_spawn_multiple(struct replay_rank *rank)
{
	return replay_own_Comm_spawn(rank);
}

/* Whoever met then meets again. */
int replay_own_Comm_accept(struct replay_rank *rank)
{
	int root = (int)replay_int(rank);
	const struct mpi_comm *local = mpi_comm_get(rank->mpi, replay_comm(rank));
	MPI_Comm *made = replay_new_comm(rank);

	if (!local || root < 0 || root >= local->size)
		replay_damaged(rank, "no such root");
	return mpi_comm_meet_again(rank->mpi, mtrace_get_uint(&rank->cursor), root,
				   (struct mpi_comm *)(uintptr_t)local, made);
}

int replay_own_Comm_connect(struct replay_rank *rank)
{
	return replay_own_Comm_accept(rank);
}

int replay_own_Comm_join(struct replay_rank *rank)
{
	MPI_Comm *made = replay_new_comm(rank);

	return mpi_comm_meet_again(rank->mpi, mtrace_get_uint(&rank->cursor), 0, NULL, made);
}

/* --- generalized requests: what their functions computed follows the call --- */

static int query(void *extra_state, MPI_Status *status)
{
	return MPI_SUCCESS;
}

static int free_state(void *extra_state)
{
	return MPI_SUCCESS;
}

static int cancel(void *extra_state, int complete)
{
	return MPI_SUCCESS;
}

int replay_own_Grequest_start(struct replay_rank *rank)
{
	return MPI_Grequest_start(query, free_state, cancel, NULL, replay_request(rank));
}

int replay_own_Grequest_complete(struct replay_rank *rank)
{
	MPI_Request request = *replay_request(rank);

	return request == MPI_REQUEST_NULL ? MPI_SUCCESS /* it was freed before */
					   : MPI_Grequest_complete(request);
}
