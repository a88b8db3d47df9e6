/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Comm_spawn, MPI_Comm_spawn_multiple. */
#include <stdio.h>
#include <stdlib.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/coll/coll.h"
#include "mpi/create/create.h"
#include "mpi/core/objects.h"
#include "mpi/dynamic/connect.h"
#include "mpi/dynamic/spawn.h"
#include "mpi/info/info.h"

/* What the root knows, and then everybody. */
struct outcome {
	int code;
	int n_wanted;		 /* processes, over all commands */
	int *codes;		 /* [n_wanted]; NULL when out of memory */
	struct mpi_spawn *spawn; /* root; NULL: nothing was spawned */
	struct util_error why;
};

static void fail(struct outcome *outcome, int code, const char *why)
{
	outcome->code = code;
	util_refuse(&outcome->why, "%s", why);
}

static int count_wanted(struct outcome *outcome, const struct mpi_command commands[], int n)
{
	int64_t total = 0;

	for (int i = 0; i < n; i++) {
		if (!commands[i].name)
			fail(outcome, MPI_ERR_ARG, "command is NULL at the root");
		else if (commands[i].n_max < 0)
			fail(outcome, MPI_ERR_ARG, "maxprocs is negative at the root");
		total += commands[i].n_max > 0 ? commands[i].n_max : 0;
	}
	if (outcome->code == MPI_SUCCESS && total > INT32_MAX)
		fail(outcome, MPI_ERR_SPAWN, "more processes than can be numbered");
	return outcome->code == MPI_SUCCESS ? (int)total : 0;
}

/* The first ones of each command were started, if any. */
static void fill_codes(struct outcome *outcome, const struct mpi_command commands[], int n)
{
	int *code = outcome->codes;

	for (int i = 0; i < n; i++) {
		int n_started =
		    outcome->code == MPI_SUCCESS ? outcome->spawn->launches[i].n_ranks : 0;

		for (int k = 0; k < commands[i].n_max; k++)
			*code++ = k < n_started			 ? MPI_SUCCESS
				  : outcome->code == MPI_SUCCESS ? MPI_ERR_SPAWN
								 : outcome->code;
	}
}

static void spawn_at_root(struct mpi_rank *me, const struct mpi_command commands[], int n,
			  int n_parents, struct outcome *outcome)
{
	outcome->n_wanted = count_wanted(outcome, commands, n);
	outcome->codes = malloc(((size_t)outcome->n_wanted + 1) * sizeof *outcome->codes);
	if (!outcome->codes) {
		fail(outcome, MPI_ERR_NO_MEM, "out of memory");
		outcome->n_wanted = 0;
	}
	if (outcome->code == MPI_SUCCESS)
		outcome->code =
		    mpi_spawn(me, commands, n, n_parents, &outcome->spawn, &outcome->why);
	if (outcome->n_wanted > 0)
		fill_codes(outcome, commands, n);
}

/* They go with the spawn. */
static void keep_codes(struct outcome *outcome, bool is_staged)
{
	if (!is_staged)
		return;
	outcome->spawn->codes = outcome->codes;
	outcome->spawn->n_wanted = outcome->n_wanted;
	outcome->codes = NULL;
}

/* Error codes count on all ranks, though only the root knows how many there are. */
static int share_codes(struct mpi_rank *me, struct mpi_comm *local, int root,
		       struct outcome *outcome, int codes[])
{
	struct mpi_datatype *type = mpi_datatype_get(me, MPI_INT);
	int code = mpi_coll_bcast(me, &outcome->n_wanted, 1, type, root, local);

	if (code == MPI_SUCCESS && local->rank != root)
		outcome->codes = malloc(((size_t)outcome->n_wanted + 1) * sizeof *outcome->codes);
	if (code == MPI_SUCCESS && outcome->n_wanted > 0 && !outcome->codes)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for error codes of processes");
	if (code == MPI_SUCCESS && outcome->n_wanted > 0)
		code = mpi_coll_bcast(me, outcome->codes, outcome->n_wanted, type, root, local);
	for (int i = 0; codes && code == MPI_SUCCESS && i < outcome->n_wanted; i++)
		codes[i] = outcome->codes[i];
	free(outcome->codes);
	return code;
}

/* Of a spawn by stages, which took them along: all who spawn find them with it. */
static void take_codes(struct mpi_rank *me, const struct mpi_comm *made, int codes[])
{
	const struct mpi_rank *child = &me->world->ranks[mpi_group_world_rank(made->remote, 0)];
	const struct mpi_spawn *spawn = mpi_rank_job(child)->spawn;

	for (int i = 0; codes && i < spawn->n_wanted; i++)
		codes[i] = spawn->codes[i];
}

/* `commands`: the root's; NULL elsewhere. */
static int spawn(struct mpi_rank *me, const struct mpi_command commands[], int n,
		 struct outcome *outcome, int root, struct mpi_comm *local, MPI_Comm *intercomm,
		 int codes[])
{
	struct mpi_leader_link link = {.comm = NULL};
	struct mpi_comm *pair = NULL, *made = NULL;
	bool is_staged = mpi_spawn_has_stages(me->world);
	int code = MPI_SUCCESS;

	if (commands && outcome->code == MPI_SUCCESS)
		spawn_at_root(me, commands, n, local->size, outcome);
	if (!is_staged)
		code = share_codes(me, local, root, outcome, codes);
	link.error = outcome->code;
	if (is_staged)
		link.wait = mpi_spawn_stages_wait;
	if (outcome->spawn && outcome->code == MPI_SUCCESS) {
		keep_codes(outcome, is_staged);
		mpi_spawn_link(me, outcome->spawn, &pair, &link);
	}
	if (code == MPI_SUCCESS)
		code = mpi_intercomm_create(me, local, root, &link, &made);
	mpi_comm_release(me, pair);
	if (is_staged && code == MPI_SUCCESS)
		take_codes(me, made, codes);
	else if (is_staged)
		share_codes(me, local, root, outcome, codes);
	if (code == MPI_SUCCESS)
		return mpi_comm_publish(me, local, code, made, intercomm);
	*intercomm = MPI_COMM_NULL;
	return mpi_raise(me, local, code, "%s",
			 outcome->code != MPI_SUCCESS ? outcome->why.text
						      : "the root could not spawn the processes");
}

static const struct mpi_info *get_info(struct mpi_rank *me, MPI_Info handle,
				       struct outcome *outcome)
{
	const struct mpi_info *info = handle == MPI_INFO_NULL ? NULL : mpi_info_get(me, handle);

	if (handle != MPI_INFO_NULL && !info)
		fail(outcome, MPI_ERR_INFO, "info is not an info object at the root");
	return info;
}

static void refuse(struct mpi_rank *me)
{
	if (me->world->no_spawn)
		pd_fail(me->pd, PD_FAILURE_UNSUPPORTED,
			"processes cannot be spawned in a run with %s; run the program without it",
			me->world->no_spawn);
}

int mpi_comm_spawn(struct mpi_rank *me, const char *command, char *argv[], int maxprocs,
		   MPI_Info info, int root, struct mpi_comm *local, MPI_Comm *intercomm,
		   int array_of_errcodes[])
{
	struct outcome outcome = {.code = MPI_SUCCESS};
	struct mpi_command one;
	int code = mpi_check_root(me, root, local);

	if (code != MPI_SUCCESS)
		return code;
	refuse(me);
	if (local->rank != root)
		return spawn(me, NULL, 0, &outcome, root, local, intercomm, array_of_errcodes);
	one = (struct mpi_command){
	    .name = command,
	    .arguments = argv,
	    .n_max = maxprocs,
	    .info = get_info(me, info, &outcome),
	};
	return spawn(me, &one, 1, &outcome, root, local, intercomm, array_of_errcodes);
}

int mpi_comm_spawn_multiple(struct mpi_rank *me, int count, char *array_of_commands[],
			    char **array_of_argv[], const int array_of_maxprocs[],
			    const MPI_Info array_of_info[], int root, struct mpi_comm *local,
			    MPI_Comm *intercomm, int array_of_errcodes[])
{
	struct outcome outcome = {.code = MPI_SUCCESS};
	struct mpi_command *commands = NULL;
	int code = mpi_check_root(me, root, local);

	if (code != MPI_SUCCESS)
		return code;
	refuse(me);
	if (local->rank != root)
		return spawn(me, NULL, 0, &outcome, root, local, intercomm, array_of_errcodes);
	if (count < 1)
		fail(&outcome, MPI_ERR_COUNT, "count is less than 1 at the root");
	else if (!array_of_commands || !array_of_maxprocs || !array_of_info)
		fail(&outcome, MPI_ERR_ARG, "an array is NULL at the root");
	else if (!(commands = calloc((size_t)count, sizeof *commands)))
		fail(&outcome, MPI_ERR_NO_MEM, "out of memory");
	for (int i = 0; commands && i < count; i++)
		commands[i] = (struct mpi_command){
		    .name = array_of_commands[i],
		    .arguments = array_of_argv ? array_of_argv[i] : NULL,
		    .n_max = array_of_maxprocs[i],
		    .info = get_info(me, array_of_info[i], &outcome),
		};
	code = spawn(me, commands, count, &outcome, root, local, intercomm, array_of_errcodes);
	free(commands);
	return code;
}
