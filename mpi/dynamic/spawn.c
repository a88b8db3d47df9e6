/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/dynamic/spawn.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/create/create.h"
#include "mpi/core/objects.h"
#include "mpi/dynamic/connect.h"
#include "mpi/core/errhandler.h"
#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/request.h"
#include "cluster/placement.h"

/* --- places --- */

static int n_spawned(const struct pd_world *pd)
{
	int n = pd->n_ranks;

	for (int i = 0; i < pd->config.n_programs; i++)
		n -= pd->config.programs[i].n_ranks;
	return n;
}

/* Where they may begin: nodes in their order, and how many ranks each node of the cluster has. */
struct room {
	int *nodes, *load; /* [n], [n_nodes of the cluster] */
	int n;
};

static void room_finish(struct room *room)
{
	free(room->nodes);
	free(room->load);
}

static int room_init(struct room *room, const struct mpi_rank *me)
{
	const struct pd_world *pd = me->pd->world;
	const struct pd_node_broker *broker = &pd->broker;
	int n_nodes = pd->cluster->n_nodes;

	*room = (struct room){.nodes = calloc((size_t)n_nodes, sizeof *room->nodes),
			      .load = calloc((size_t)n_nodes, sizeof *room->load)};
	if (!room->nodes || !room->load)
		return UTIL_ENOMEM;
	for (int i = 0; i < pd->n_ranks && !broker->holders; i++)
		room->load[pd->ranks[i].node] += !pd->ranks[i].has_ended;
	for (int node = 0; node < n_nodes; node++) {
		if (broker->holders)
			room->load[node] = broker->holders(broker->context, me->pd, node);
		if (room->load[node] >= 0)
			room->nodes[room->n++] = node;
	}
	return 0;
}

/* On from the node after the last one. */
static void place_globally(const struct mpi_spawn *spawn, const struct room *room)
{
	const struct mpi_spawn *last = spawn->world->spawns;
	int begin = 0;

	while (last && begin < room->n && room->nodes[begin] <= last->node_of[last->n_ranks - 1])
		begin++;
	for (int i = 0; i < spawn->n_ranks; i++)
		spawn->node_of[i] = room->nodes[(begin + i) % room->n];
}

/* By the rule of the cluster file, for the nodes that there are room on. */
static int place_by_rule(const struct mpi_spawn *spawn, const struct room *room,
			 struct util_error *err)
{
	struct cluster some = *spawn->world->pd->cluster;
	int failed;

	some.n_nodes = room->n;
	failed =
	    cluster_place(some.spawn.placement, &some, spawn->n_ranks, spawn->node_of, err);
	for (int i = 0; i < spawn->n_ranks && !failed; i++)
		spawn->node_of[i] = room->nodes[spawn->node_of[i]];
	return failed ? util_error_prepend(err, "run.spawn.placement") : 0;
}

/* Commands that name hosts, or all of them, go to the nodes with the fewest ranks. */
static int place_where_fewest(const struct mpi_spawn *spawn, const struct room *room,
			      bool only_hosts, struct util_error *err)
{
	int *node_of = spawn->node_of;

	for (int i = 0; i < spawn->n_launches; i++) {
		const struct mpi_launch *launch = &spawn->launches[i];

		for (int k = 0; k < launch->n_hosts; k++)
			if (room->load[launch->hosts[k]] < 0)
				return util_refuse(err, "node%d (info key host) is another job's",
						   launch->hosts[k]);
		if (launch->hosts || !only_hosts)
			cluster_place_where_fewest(launch->hosts ? launch->n_hosts : room->n,
						   launch->hosts ? launch->hosts : room->nodes,
						   room->load, launch->n_ranks, node_of);
		node_of += launch->n_ranks;
	}
	return 0;
}

static int place(const struct mpi_spawn *spawn, const struct mpi_rank *me, struct util_error *err)
{
	const char *rule = spawn->world->pd->cluster->spawn.placement;
	struct room room;
	int failed = room_init(&room, me);

	if (failed)
		util_error_set(err, failed, "out of memory");
	else if (room.n == 0)
		failed = util_refuse(err, "there is no node that its job may use");
	else if (rule && strcmp(rule, "global") == 0)
		place_globally(spawn, &room);
	else if (rule)
		failed = place_by_rule(spawn, &room, err);
	if (!failed)
		failed = place_where_fewest(spawn, &room, rule != NULL, err);
	room_finish(&room);
	return failed;
}

/* Processes that one node starts at most, and of how many nodes. */
static int count_on_nodes(const struct mpi_spawn *spawn, int *out_n_nodes)
{
	int n_nodes = spawn->world->pd->cluster->n_nodes, most = 0;
	int *n_on = calloc((size_t)n_nodes, sizeof *n_on);

	*out_n_nodes = 0;
	for (int i = 0; n_on && i < spawn->n_ranks; i++) {
		int n = ++n_on[spawn->node_of[i]];

		*out_n_nodes += n == 1;
		most = n > most ? n : most;
	}
	free(n_on);
	return most;
}

/* Nodes start their processes one after the other, and beside each other. A ring has one after the
 * other of all; a tree has reached all nodes after so many levels. */
static sim_time_ps startup_time(const struct mpi_spawn *spawn)
{
	const struct cluster_spawn *costs = &spawn->world->pd->cluster->spawn;
	int n_nodes, n = count_on_nodes(spawn, &n_nodes), n_levels = 0;

	if (costs->launcher == CLUSTER_LAUNCHER_DAEMON)
		n = spawn->n_ranks;
	if (costs->launcher == CLUSTER_LAUNCHER_TREE)
		while (n_nodes >> n_levels)
			n_levels++;
	return sim_time_from_s(costs->startup_s + n * costs->per_process_s +
			       n_levels * costs->per_node_s +
			       (spawn->stages ? costs->publish_s : 0));
}

/* --- life --- */

static void destroy(struct mpi_spawn *spawn)
{
	for (int i = 0; spawn->programs && i < spawn->n_launches; i++)
		free((void *)(uintptr_t)spawn->programs[i].name);
	for (int i = 0; i < spawn->n_launches; i++)
		mpi_launch_finish(&spawn->launches[i]);
	free(spawn->launches);
	free(spawn->programs);
	free(spawn->node_of);
	free(spawn->codes);
	mpi_spawn_stages_destroy(spawn->stages);
	free(spawn);
}

void mpi_spawns_destroy(struct mpi_world *world)
{
	while (world->spawns) {
		struct mpi_spawn *next = world->spawns->next;

		destroy(world->spawns);
		world->spawns = next;
	}
}

/* "solver, spawn 2": what the job is called in reports. */
static int name_programs(struct mpi_spawn *spawn, const struct pd_program_config *parent)
{
	for (int i = 0; i < spawn->n_launches; i++) {
		const struct mpi_launch *launch = &spawn->launches[i];
		const char *slash = strrchr(launch->path, '/');
		char *name;

		if (asprintf(&name, "%s, spawn %d", slash ? slash + 1 : launch->path,
			     spawn->number) < 0)
			return -1;
		spawn->programs[i] = (struct pd_program_config){
		    .name = name,
		    .path = launch->path,
		    .argv = launch->argv,
		    .n_ranks = launch->n_ranks,
		    .directory = launch->directory,
		    .builtin = parent->builtin,
		    .context = parent->context,
		};
	}
	return 0;
}

static int read_commands(struct mpi_spawn *spawn, const struct mpi_rank *me,
			 const struct mpi_command commands[], int n, struct util_error *err)
{
	int n_left = me->pd->world->config.max_spawned - n_spawned(me->pd->world), code;

	for (int i = 0; i < n; i++) {
		spawn->n_launches++;
		code = mpi_launch_init(&spawn->launches[i], me, &commands[i],
				       n_left - spawn->n_ranks, err);
		if (code != MPI_SUCCESS)
			return code;
		spawn->n_ranks += spawn->launches[i].n_ranks;
	}
	spawn->node_of = calloc((size_t)spawn->n_ranks, sizeof *spawn->node_of);
	if (!spawn->node_of || name_programs(spawn, &me->pd->program->config)) {
		util_error_set(err, UTIL_ENOMEM, "out of memory");
		return MPI_ERR_NO_MEM;
	}
	return place(spawn, me, err) ? MPI_ERR_SPAWN : MPI_SUCCESS;
}

/* They are about to begin, or `is_over`: they have, or cannot. */
static void tell_broker(const struct mpi_spawn *spawn, bool is_over)
{
	const struct pd_world *pd = spawn->world->pd;
	const struct pd_node_broker *broker = &pd->broker;
	const struct pd_rank *root = &pd->ranks[spawn->root];

	if (broker->spawning && !is_over)
		broker->spawning(broker->context, root, spawn->n_ranks, spawn->node_of);
	else if (broker->spawned)
		broker->spawned(broker->context, root, spawn->error.code ? -1 : spawn->first_rank,
				spawn->n_ranks, spawn->node_of);
}

static int create(struct mpi_rank *me, const struct mpi_command commands[], int n, int n_parents,
		  struct mpi_spawn **out, struct util_error *err)
{
	struct mpi_spawn *spawn = calloc(1, sizeof *spawn);
	int code;

	if (spawn) {
		*spawn = (struct mpi_spawn){
		    .world = me->world,
		    .root = me->rank,
		    .number = me->world->spawns ? me->world->spawns->number + 1 : 1,
		    .launches = calloc((size_t)n, sizeof *spawn->launches),
		    .programs = calloc((size_t)n, sizeof *spawn->programs),
		};
	}
	if (!spawn || !spawn->launches || !spawn->programs) {
		util_error_set(err, UTIL_ENOMEM, "out of memory");
		code = MPI_ERR_NO_MEM;
	} else {
		code = read_commands(spawn, me, commands, n, err);
	}
	if (code == MPI_SUCCESS && mpi_spawn_stages_create(spawn, n_parents)) {
		util_error_set(err, UTIL_ENOMEM, "out of memory");
		code = MPI_ERR_NO_MEM;
	}
	if (code == MPI_SUCCESS) {
		spawn->next = me->world->spawns;
		me->world->spawns = spawn;
		tell_broker(spawn, false);
		*out = spawn;
	} else if (spawn) {
		destroy(spawn);
	}
	return code;
}

/* --- the start --- */

static int add_job(struct mpi_spawn *spawn)
{
	struct mpi_world *world = spawn->world;
	struct mpi_world_objects *objects = world->predefined;
	struct mpi_job *job = mpi_job_prepare(world, spawn->n_ranks);
	int failed;

	if (!job)
		return util_error_set(&spawn->error, UTIL_ENOMEM, "out of memory");
	for (int i = 0; i < spawn->n_launches; i++)
		spawn->programs[i].job = objects->n_jobs;
	failed = pd_world_add(world->pd, spawn->programs, spawn->n_launches, spawn->node_of,
			      &spawn->error);
	if (failed) {
		mpi_job_forget(world);
		return failed;
	}
	job->spawn = spawn;
	mpi_job_add(world, spawn->n_launches);
	mpi_world_extend(world);
	return 0;
}

/* In the engine's loop: loading programs is nothing for a fiber of a rank. */
static void start(struct sim_event *event)
{
	struct mpi_spawn *spawn =
	    (struct mpi_spawn *)((char *)event - offsetof(struct mpi_spawn, start));
	struct pd_world *pd = spawn->world->pd;
	int first = pd->n_ranks, first_program = pd->n_programs;

	sim_engine_release(&pd->engine);
	spawn->first_rank = first;
	add_job(spawn);
	tell_broker(spawn, true);
	for (int rank = first; rank < pd->n_ranks; rank++)
		sim_tell_rank_begin(&pd->observers, rank, spawn->root, pd->ranks[rank].node,
				    pd->engine.now);
	mpi_spawn_stages_begin(spawn);
	for (int i = first_program; i < pd->n_programs; i++)
		pd_program_start(pd, &pd->programs[i]);
	spawn->has_started = true;
	mpi_endpoint_wake(&spawn->world->ranks[spawn->root]);
}

static bool has_started(struct mpi_rank *me, const struct mpi_wait *wait)
{
	const struct mpi_spawn *spawn = wait->context;

	return spawn->has_started;
}

int mpi_spawn(struct mpi_rank *me, const struct mpi_command commands[], int n, int n_parents,
	      struct mpi_spawn **out, struct util_error *err)
{
	struct mpi_spawn *spawn = NULL;
	int code = create(me, commands, n, n_parents, &spawn, err);

	if (code != MPI_SUCCESS)
		return code;
	sim_event_init(&spawn->start, start);
	sim_engine_hold(&me->pd->world->engine);
	sim_engine_after(&me->pd->world->engine, &spawn->start, startup_time(spawn));
	mpi_wait(me, &(struct mpi_wait){.kind = MPI_WAIT_CONDITION,
					.of.text = "the processes that it spawns to start",
					.is_satisfied = has_started,
					.context = spawn});
	*out = spawn;
	if (spawn->error.code == 0)
		return MPI_SUCCESS;
	*err = spawn->error;
	return err->code == UTIL_ENOMEM ? MPI_ERR_NO_MEM : MPI_ERR_SPAWN;
}

void mpi_spawn_link(struct mpi_rank *me, const struct mpi_spawn *spawn, struct mpi_comm **pair,
		    struct mpi_leader_link *link)
{
	bool is_root = me->rank == spawn->root;
	char name[32];

	if (spawn->stages)
		link->wait = mpi_spawn_stages_wait;
	link->number = spawn->number;
	if (!is_root && me->rank != spawn->first_rank)
		return;
	snprintf(name, sizeof name, "spawn %d", spawn->number);
	mpi_link_roots(me, is_root ? spawn->first_rank : spawn->root, name, !spawn->stages, pair,
		       link);
}

/* --- in the processes that were spawned --- */

static void set_handler(struct mpi_rank *me, struct mpi_comm *comm, MPI_Errhandler handle)
{
	mpi_errhandler_set(me, KIND_COMM, (uintptr_t)comm->handle, handle, &comm->errhandler);
}

static void set_handlers(struct mpi_rank *me, const struct mpi_spawn *spawn)
{
	enum mpi_errors_at_start errors = spawn->launches[*mpi_rank_appnum(me)].errors;
	MPI_Errhandler handle = errors == ERRORS_ABORT ? MPI_ERRORS_ABORT : MPI_ERRORS_RETURN;

	if (errors == ERRORS_FATAL)
		return;
	set_handler(me, me->comm_world, handle);
	set_handler(me, me->comm_self, handle);
}

int mpi_spawn_meet_parent(struct mpi_rank *me)
{
	const struct mpi_spawn *spawn = mpi_rank_job(me)->spawn;
	struct mpi_leader_link link = {.comm = NULL};
	struct mpi_comm *pair = NULL, *made = NULL;
	MPI_Comm handle;
	int code;

	if (!spawn)
		return MPI_SUCCESS;
	set_handlers(me, spawn);
	mpi_spawn_stages_init(me, spawn);
	mpi_spawn_link(me, spawn, &pair, &link);
	code = mpi_intercomm_create(me, me->comm_world, 0, &link, &made);
	mpi_comm_release(me, pair);
	code = mpi_comm_publish(me, me->comm_world, code, made, &handle);
	if (code != MPI_SUCCESS)
		return code;
	made->name = strdup("MPI_COMM_PARENT");
	me->parent = made;
	return MPI_SUCCESS;
}
