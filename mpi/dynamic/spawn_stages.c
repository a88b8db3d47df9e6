/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that are spawned by a launcher that is told of in stages (docs/model.md §9): publish,
 * launch, MPI_Init, then twice an exchange of the two leaders and a broadcast in each group.
 */
#include <stdlib.h>

#include "mpi/dynamic/spawn.h"
#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/request.h"

const char *const mpi_spawn_terms[MPI_N_SPAWN_TERMS] = {"publish", "launch",   "init",
							"connect", "exchange", "broadcast"};

struct gathering { /* of ranks that wait for each other, again and again */
	int n, n_there;
	uint64_t n_gone; /* times that all were there */
	int *ranks;	 /* [n] those that are there */
};

struct mpi_spawn_stages {
	struct gathering all, leaders;
	sim_time_ps times[MPI_N_SPAWN_TERMS], last;
	bool has_connected;
};

static int gathering_init(struct gathering *gathering, int n)
{
	gathering->n = n;
	gathering->ranks = calloc((size_t)n, sizeof *gathering->ranks);
	return gathering->ranks ? 0 : UTIL_ENOMEM;
}

int mpi_spawn_stages_create(struct mpi_spawn *spawn, int n_parents)
{
	const struct cluster_spawn *costs = &spawn->world->pd->cluster->spawn;
	struct mpi_spawn_stages *stages;

	if (!mpi_spawn_has_stages(spawn->world))
		return 0;
	stages = spawn->stages = calloc(1, sizeof *stages);
	if (!stages || gathering_init(&stages->all, n_parents + spawn->n_ranks) ||
	    gathering_init(&stages->leaders, 2))
		return UTIL_ENOMEM;
	stages->times[MPI_SPAWN_PUBLISH] = sim_time_from_s(costs->publish_s);
	stages->last = spawn->world->pd->engine.now;
	return 0;
}

void mpi_spawn_stages_destroy(struct mpi_spawn_stages *stages)
{
	if (!stages)
		return;
	free(stages->all.ranks);
	free(stages->leaders.ranks);
	free(stages);
}

bool mpi_spawn_has_stages(const struct mpi_world *world)
{
	return world->pd->cluster->spawn.launcher != CLUSTER_LAUNCHER_NODES;
}

struct mpi_spawn *mpi_spawn_of_number(const struct mpi_world *world, int number)
{
	struct mpi_spawn *spawn = world->spawns;

	while (spawn && spawn->number != number)
		spawn = spawn->next;
	return spawn;
}

const sim_time_ps *mpi_spawn_times(const struct mpi_spawn *spawn)
{
	return spawn->stages ? spawn->stages->times : NULL;
}

/* What has passed since the last stage is `term`'s. */
static void pass(const struct mpi_spawn *spawn, enum mpi_spawn_term term, sim_time_ps before)
{
	struct mpi_spawn_stages *stages = spawn->stages;
	sim_time_ps now = spawn->world->pd->engine.now;

	stages->times[term] += now - stages->last - before;
	stages->last = now;
}

void mpi_spawn_stages_begin(struct mpi_spawn *spawn)
{
	if (spawn->stages)
		pass(spawn, MPI_SPAWN_LAUNCH, spawn->stages->times[MPI_SPAWN_PUBLISH]);
}

void mpi_spawn_stages_init(struct mpi_rank *me, const struct mpi_spawn *spawn)
{
	double init_s = me->world->pd->cluster->spawn.init_s;

	if (!spawn->stages)
		return;
	if (init_s > 0)
		sim_task_sleep(&me->pd->task, sim_time_from_s(init_s));
	if (me->comm_world->rank == 0)
		pass(spawn, MPI_SPAWN_INIT, 0);
}

/* The leaders have met: of the first time a part was for their connection. */
static void pass_exchange(const struct mpi_spawn *spawn)
{
	const struct cluster_spawn *costs = &spawn->world->pd->cluster->spawn;
	struct mpi_spawn_stages *stages = spawn->stages;
	sim_time_ps connect = 0;

	if (!stages->has_connected && costs->connection == CLUSTER_CONNECTION_RC)
		connect = sim_time_from_s(costs->connect_s);
	stages->has_connected = true;
	stages->times[MPI_SPAWN_CONNECT] += connect;
	pass(spawn, MPI_SPAWN_EXCHANGE, connect);
}

struct patience {
	const struct gathering *gathering;
	uint64_t n_gone;
};

static bool are_all_there(struct mpi_rank *me, const struct mpi_wait *wait)
{
	const struct patience *patience = wait->context;

	return patience->gathering->n_gone > patience->n_gone;
}

void mpi_spawn_stages_wait(struct mpi_rank *me, int number, bool are_leaders)
{
	struct mpi_spawn *spawn = mpi_spawn_of_number(me->world, number);
	struct gathering *gathering = are_leaders ? &spawn->stages->leaders : &spawn->stages->all;
	struct patience patience = {.gathering = gathering, .n_gone = gathering->n_gone};

	gathering->ranks[gathering->n_there++] = me->rank;
	if (gathering->n_there < gathering->n) {
		mpi_wait(me, &(struct mpi_wait){.kind = MPI_WAIT_CONDITION,
						.of.text = "all who spawn or were spawned to meet",
						.is_satisfied = are_all_there,
						.context = &patience});
		return;
	}
	gathering->n_there = 0;
	gathering->n_gone++;
	for (int i = 0; i < gathering->n; i++)
		if (gathering->ranks[i] != me->rank)
			mpi_endpoint_wake(&me->world->ranks[gathering->ranks[i]]);
	if (are_leaders)
		pass_exchange(spawn);
	else
		pass(spawn, MPI_SPAWN_BROADCAST, 0);
}
