// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/run.h"

#include <stdlib.h>

#include "mpi/dynamic/spawn.h"
#include "mpi/p2p/contact.h"

/* Of a spawn by stages; its further programs have none of their own. */
static void describe_startup(const struct run *run, struct trace_job *job)
{
	const struct mpi_spawn *spawn = run->mpi->spawns;

	while (spawn && spawn->first_rank != job->first_rank)
		spawn = spawn->next;
	job->startup = spawn ? mpi_spawn_times(spawn) : NULL;
	job->startup_names = mpi_spawn_terms;
	job->n_startup = job->startup ? MPI_N_SPAWN_TERMS : 0;
}

static struct trace_job describe(const struct run *run, const struct pd_program *program)
{
	const struct trace_rank *ranks = &run->summary->ranks[program->first_rank];
	struct trace_job job = {
	    .name = program->config.name,
	    .command = program->config.argv,
	    .first_rank = program->first_rank,
	    .n_ranks = program->config.n_ranks,
	    .has_begun = true,
	    .has_ended = true,
	    .due = ranks[0].begin,
	    .begin = ranks[0].begin,
	};

	for (int i = 0; i < job.n_ranks; i++) {
		bool is_new = true;

		for (int k = 0; k < i && is_new; k++)
			is_new = ranks[k].node != ranks[i].node;
		job.n_nodes += is_new;
		job.has_ended = job.has_ended && ranks[i].has_ended;
		job.n_bad_exits += run->world->ranks[job.first_rank + i].exit_code != 0;
		if (ranks[i].sums.last > job.end)
			job.end = ranks[i].sums.last;
	}
	describe_startup(run, &job);
	return job;
}

struct trace_job *run_spawned_describe(const struct run *run, int *out_n)
{
	const struct pd_world *world = run->world;
	int n = world->n_programs - world->config.n_programs;
	struct trace_job *jobs = n > 0 ? calloc((size_t)n, sizeof *jobs) : NULL;

	for (int i = 0; jobs && i < n; i++)
		jobs[i] = describe(run, &world->programs[world->config.n_programs + i]);
	*out_n = jobs ? n : 0;
	return jobs;
}

void run_connections_describe(const struct run *run, struct trace_run *out)
{
	struct mpi_contact_counts counts = mpi_contacts_count(run->mpi);

	out->n_connections = counts.n;
	out->most_connections = counts.most;
	out->connection_memory_B =
	    2 * counts.n * (uint64_t)run->world->cluster->spawn.connection_memory_B;
}
