// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/launcher.h"

#include <stddef.h>
#include <stdlib.h>

#include "tools/run/place.h"
#include "tools/run/run.h"

struct job_state {
	struct sim_event due; /* its earliest time */
	struct run_launcher *launcher;
	bool is_due;
	int n_running, n_before; /* ranks that have not ended; jobs that it still waits for */
	int *n_holding;		 /* [n_nodes of the cluster] its ranks that hold the node */
	sim_time_ps *since;	 /* [n_nodes] when it took the node */
};

struct run_launcher {
	struct run *run;
	const struct run_schedule *schedule;
	struct job_state *states; /* [n_jobs] */
	struct trace_job *jobs;	  /* [n_jobs] */
	int *n_users;		  /* [n_nodes] jobs that hold the node */
	int *owner;		  /* [n_nodes] the job that has it for itself; -1: none */
	int *job_of;		  /* [n_ranks], and those that are spawned: of its job, or its spawner's */
	bool *has_released;	  /* [n_ranks], the same */
	struct pd_rank **waiting; /* [n_waiting] want their node back */
	int n_waiting;
};

static sim_time_ps now_of(const struct run_launcher *launcher)
{
	return launcher->run->world->engine.now;
}

static bool wants_own_nodes(const struct run_launcher *launcher, int job)
{
	return launcher->schedule->jobs[job].n_nodes > 0;
}

/* --- who holds which node --- */

static void hold(struct run_launcher *launcher, int job, int node)
{
	struct job_state *state = &launcher->states[job];

	if (state->n_holding[node]++ > 0)
		return;
	state->since[node] = now_of(launcher);
	launcher->n_users[node]++;
	if (wants_own_nodes(launcher, job))
		launcher->owner[node] = job;
}

static void leave(struct run_launcher *launcher, int job, int node, sim_time_ps now)
{
	struct job_state *state = &launcher->states[job];

	if (--state->n_holding[node] > 0)
		return;
	launcher->jobs[job].node_s += sim_time_to_s(now - state->since[node]);
	launcher->n_users[node]--;
	if (launcher->owner[node] == job)
		launcher->owner[node] = -1;
}

static bool may_use(const struct run_launcher *launcher, int job, int node)
{
	int owner = launcher->owner[node];
	int n_others = launcher->n_users[node] - (launcher->states[job].n_holding[node] > 0);

	if (owner >= 0 && owner != job)
		return false;
	return !wants_own_nodes(launcher, job) || n_others == 0;
}

/* --- beginning --- */

/* The free nodes with the lowest numbers, as many as the job wants; -1 when there are too few. */
static int choose_nodes(const struct run_launcher *launcher, int job, int nodes[])
{
	int n_nodes = launcher->run->cluster->n_nodes,
	    wanted = launcher->schedule->jobs[job].n_nodes;
	int n = 0;

	for (int node = 0; node < n_nodes && n < wanted; node++)
		if (may_use(launcher, job, node))
			nodes[n++] = node;
	return n == wanted ? 0 : -1;
}

/* Puts the job's ranks on the nodes that it would begin on now. False: they are not free. The
 * schedule's reader made sure that the placement fits. */
static bool place(struct run_launcher *launcher, int job)
{
	const struct run_job *wanted = &launcher->schedule->jobs[job];
	struct cluster some = *launcher->run->cluster;
	struct pd_rank *ranks = &launcher->run->world->ranks[launcher->jobs[job].first_rank];
	int *node_of = calloc((size_t)wanted->n_ranks, sizeof *node_of);
	int *nodes = calloc((size_t)some.n_nodes, sizeof *nodes);
	struct util_error err;
	bool is_free = node_of && nodes;

	for (int node = 0; is_free && node < some.n_nodes; node++)
		nodes[node] = node;
	if (is_free && wanted->n_nodes > 0) {
		is_free = choose_nodes(launcher, job, nodes) == 0;
		some.n_nodes = wanted->n_nodes;
	}
	is_free =
	    is_free && !run_place(wanted->placement, &some, launcher->run->options.cpus_per_rank,
				  wanted->n_ranks, node_of, &err);
	for (int i = 0; is_free && i < wanted->n_ranks; i++)
		is_free = may_use(launcher, job, nodes[node_of[i]]);
	for (int i = 0; is_free && i < wanted->n_ranks; i++)
		ranks[i].node = nodes[node_of[i]];
	free(node_of);
	free(nodes);
	return is_free;
}

static void begin(struct run_launcher *launcher, int job)
{
	struct trace_job *description = &launcher->jobs[job];
	struct pd_world *world = launcher->run->world;
	sim_time_ps now = now_of(launcher);

	description->has_begun = true;
	description->begin = now;
	for (int i = 0; i < description->n_ranks; i++) {
		const struct pd_rank *rank = &world->ranks[description->first_rank + i];

		description->n_nodes += launcher->states[job].n_holding[rank->node] == 0;
		hold(launcher, job, rank->node);
		trace_summary_place(launcher->run->summary, rank->rank, rank->node, now);
	}
	if (launcher->run->analysis)
		trace_analysis_begin_job(launcher->run->analysis, job, description->first_rank,
					 description->n_ranks, now);
	pd_program_start(world, &world->programs[job]);
}

/* In the order of the file, so that equal chances go to whoever stands first. */
static void begin_what_can(struct run_launcher *launcher)
{
	for (int job = 0; job < launcher->schedule->n_jobs; job++) {
		struct job_state *state = &launcher->states[job];
		struct trace_job *description = &launcher->jobs[job];

		if (description->has_begun || !state->is_due || state->n_before > 0)
			continue;
		if (description->due < 0)
			description->due = now_of(launcher);
		if (place(launcher, job))
			begin(launcher, job);
	}
}

static void wake_waiting(struct run_launcher *launcher)
{
	for (int i = 0; i < launcher->n_waiting; i++)
		sim_task_wake(&launcher->waiting[i]->task);
	launcher->n_waiting = 0;
}

static void on_due(struct sim_event *event)
{
	struct job_state *state =
	    (struct job_state *)((char *)event - offsetof(struct job_state, due));

	state->is_due = true;
	begin_what_can(state->launcher);
}

/* --- what the run does --- */

static void nodes_changed(struct run_launcher *launcher)
{
	wake_waiting(launcher);
	begin_what_can(launcher);
}

static void release(struct run_launcher *launcher, const struct pd_rank *rank)
{
	launcher->has_released[rank->rank] = true;
	leave(launcher, launcher->job_of[rank->rank], rank->node, now_of(launcher));
}

static void on_released(void *context, struct pd_rank *rank)
{
	release(context, rank);
	nodes_changed(context);
}

static void on_acquired(void *context, struct pd_rank *rank)
{
	struct run_launcher *launcher = context;

	launcher->has_released[rank->rank] = false;
	hold(launcher, launcher->job_of[rank->rank], rank->node);
}

/* A job that has ended holds nothing any more, whether its ranks said so or not. */
static void release_all(struct run_launcher *launcher, const struct trace_job *job)
{
	const struct pd_world *world = launcher->run->world;

	for (int rank = job->first_rank; rank < job->first_rank + job->n_ranks; rank++) {
		if (launcher->has_released[rank])
			continue;
		release(launcher, &world->ranks[rank]);
		sim_tell_node_release(&world->observers, rank, world->engine.now);
	}
}

static void end_job(struct run_launcher *launcher, int job)
{
	struct trace_job *description = &launcher->jobs[job];
	const struct run_schedule *schedule = launcher->schedule;

	description->has_ended = true;
	description->end = now_of(launcher);
	release_all(launcher, description);
	for (int other = 0; other < schedule->n_jobs; other++)
		for (int i = 0; i < schedule->jobs[other].n_after; i++)
			launcher->states[other].n_before -= schedule->jobs[other].after[i] == job;
	nodes_changed(launcher);
}

static void on_rank_ended(void *context, struct pd_rank *rank)
{
	struct run_launcher *launcher = context;
	int job = launcher->job_of[rank->rank];

	launcher->jobs[job].n_bad_exits += rank->exit_code != 0;
	/* others go on for the job's sake: their nodes are its own until it ends */
	if (rank->rank >= launcher->schedule->n_ranks && !launcher->has_released[rank->rank])
		on_released(launcher, rank);
	if (--launcher->states[job].n_running == 0)
		end_job(launcher, job);
}

/* --- processes that ranks of a job spawn: they are the job's, too --- */

static int holders(void *context, const struct pd_rank *rank, int node)
{
	const struct run_launcher *launcher = context;
	int n = 0;

	if (!may_use(launcher, launcher->job_of[rank->rank], node))
		return -1;
	for (int job = 0; job < launcher->schedule->n_jobs; job++)
		n += launcher->states[job].n_holding[node];
	return n;
}

static void on_spawning(void *context, const struct pd_rank *rank, int n, const int node_of[])
{
	struct run_launcher *launcher = context;
	int job = launcher->job_of[rank->rank];

	launcher->states[job].n_running += n;
	for (int i = 0; i < n; i++)
		hold(launcher, job, node_of[i]);
}

static void on_spawned(void *context, const struct pd_rank *rank, int first, int n,
		       const int node_of[])
{
	struct run_launcher *launcher = context;
	int job = launcher->job_of[rank->rank];

	for (int i = 0; i < n; i++)
		if (first >= 0)
			launcher->job_of[first + i] = job;
		else
			leave(launcher, job, node_of[i], now_of(launcher));
	if (first >= 0)
		return;
	launcher->states[job].n_running -= n;
	nodes_changed(launcher);
}

static bool may_acquire(void *context, struct pd_rank *rank)
{
	struct run_launcher *launcher = context;

	if (may_use(launcher, launcher->job_of[rank->rank], rank->node))
		return true;
	launcher->waiting[launcher->n_waiting++] = rank;
	return false;
}

/* --- life --- */

static int create_job(struct run_launcher *launcher, int job, int first_rank)
{
	const struct run_job *wanted = &launcher->schedule->jobs[job];
	struct job_state *state = &launcher->states[job];
	size_t n_nodes = (size_t)launcher->run->cluster->n_nodes;

	*state = (struct job_state){
	    .launcher = launcher,
	    .n_running = wanted->n_ranks,
	    .n_before = wanted->n_after,
	    .n_holding = calloc(n_nodes, sizeof *state->n_holding),
	    .since = calloc(n_nodes, sizeof *state->since),
	};
	sim_event_init(&state->due, on_due);
	launcher->jobs[job] = (struct trace_job){
	    .name = wanted->name,
	    .command = wanted->argv,
	    .first_rank = first_rank,
	    .n_ranks = wanted->n_ranks,
	    .due = -1,
	};
	for (int i = 0; i < wanted->n_ranks; i++)
		launcher->job_of[first_rank + i] = job;
	return state->n_holding && state->since ? 0 : -1;
}

int run_launcher_create(struct run *run, const struct run_schedule *schedule,
			struct run_launcher **out, struct util_error *err)
{
	size_t n_jobs = (size_t)schedule->n_jobs,
	       n_ranks = (size_t)schedule->n_ranks + (size_t)run->world->config.max_spawned,
	       n_nodes = (size_t)run->cluster->n_nodes;
	struct run_launcher *l = calloc(1, sizeof *l);
	int failed;

	if (!l)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	*l = (struct run_launcher){.run = run, .schedule = schedule};
	l->states = calloc(n_jobs, sizeof *l->states);
	l->jobs = calloc(n_jobs, sizeof *l->jobs);
	l->n_users = calloc(n_nodes, sizeof *l->n_users);
	l->owner = malloc(n_nodes * sizeof *l->owner);
	l->job_of = calloc(n_ranks, sizeof *l->job_of);
	l->has_released = calloc(n_ranks, sizeof *l->has_released);
	l->waiting = calloc(n_ranks, sizeof *l->waiting);
	failed = !l->states || !l->jobs || !l->n_users || !l->owner || !l->job_of ||
		 !l->has_released || !l->waiting;
	for (size_t node = 0; node < n_nodes && !failed; node++)
		l->owner[node] = -1;
	for (int job = 0, first = 0; job < schedule->n_jobs && !failed; job++) {
		failed = create_job(l, job, first);
		first += schedule->jobs[job].n_ranks;
	}
	if (failed) {
		run_launcher_destroy(l);
		return util_error_set(err, UTIL_ENOMEM, "out of memory for %d jobs",
				      schedule->n_jobs);
	}
	*out = l;
	return 0;
}

void run_launcher_destroy(struct run_launcher *launcher)
{
	if (!launcher)
		return;
	for (int job = 0; launcher->states && job < launcher->schedule->n_jobs; job++) {
		free(launcher->states[job].n_holding);
		free(launcher->states[job].since);
	}
	free(launcher->states);
	free(launcher->jobs);
	free(launcher->n_users);
	free(launcher->owner);
	free(launcher->job_of);
	free(launcher->has_released);
	free(launcher->waiting);
	free(launcher);
}

void run_launcher_start(struct run_launcher *launcher)
{
	struct pd_world *world = launcher->run->world;

	world->broker = (struct pd_node_broker){
	    .context = launcher,
	    .may_acquire = may_acquire,
	    .acquired = on_acquired,
	    .released = on_released,
	    .rank_ended = on_rank_ended,
	    .holders = holders,
	    .spawning = on_spawning,
	    .spawned = on_spawned,
	};
	for (int job = 0; job < launcher->schedule->n_jobs; job++)
		sim_engine_at(&world->engine, &launcher->states[job].due,
			      sim_time_from_s(launcher->schedule->jobs[job].begin_s));
}

const struct trace_job *run_launcher_close(struct run_launcher *launcher, sim_time_ps now)
{
	for (int job = 0; job < launcher->schedule->n_jobs; job++) {
		struct trace_job *description = &launcher->jobs[job];
		const struct job_state *state = &launcher->states[job];

		if (description->has_begun && !description->has_ended)
			description->end = now;
		for (int node = 0; node < launcher->run->cluster->n_nodes; node++)
			if (state->n_holding[node] > 0)
				description->node_s += sim_time_to_s(now - state->since[node]);
	}
	for (int rank = launcher->schedule->n_ranks; rank < launcher->run->world->n_ranks; rank++)
		launcher->jobs[launcher->job_of[rank]].spawned_s +=
		    launcher->run->summary->ranks[rank].useful_s;
	return launcher->jobs;
}
