// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/run.h"

#include <stdlib.h>

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
