// SPDX-License-Identifier: BSD-3-Clause
#include "traces/jobs.h"

#include "traces/run.h"
#include "util/units.h"

#define MAX_SPAWNED_ROWS 16

static const char *time_text(char buf[32], double seconds)
{
	return util_format_time(buf, 32, seconds);
}

double trace_job_efficiency(const struct trace_summary *summary, const struct trace_job *job)
{
	double useful_s = job->spawned_s;

	for (int i = 0; i < job->n_ranks; i++)
		useful_s += summary->ranks[job->first_rank + i].useful_s;
	return job->node_s > 0 ? useful_s / (job->node_s * summary->cluster->cores) : 0;
}

double trace_utilisation(const struct trace_summary *summary)
{
	double whole = sim_time_to_s(summary->end) * summary->n_nodes * summary->cluster->cores;

	return whole > 0 ? trace_held_core_s(summary, 0, summary->end) / whole : 0;
}

static void write_job(const struct trace_summary *summary, const struct trace_job *job, FILE *file)
{
	char begin[32], waited[32], time[32], node_s[32];
	const char *state = job->has_ended ? "" : "  (did not end)";

	if (!job->has_begun) {
		fprintf(file, "  %-22.60s %9d   did not begin\n", job->name, job->n_ranks);
		return;
	}
	if (job->n_bad_exits > 0)
		state = "  (exit code not 0)";
	fprintf(file, "  %-22.60s %9d %6d %10s %10s %10s %12s %9.1f %%%s\n", job->name,
		job->n_ranks, job->n_nodes, time_text(begin, sim_time_to_s(job->begin)),
		time_text(waited, sim_time_to_s(job->begin - job->due)),
		time_text(time, sim_time_to_s(job->end - job->begin)),
		time_text(node_s, job->node_s), 100 * trace_job_efficiency(summary, job), state);
}

void trace_jobs_write(const struct trace_run *run, FILE *file)
{
	const struct trace_summary *summary = run->summary;
	char end[32], held[32];
	int cores = summary->cluster->cores;

	fprintf(file, "%s: %s\n",
		run->outcome == TRACE_FAILED	    ? "simulated until a job failed"
		: run->outcome == TRACE_INTERRUPTED ? "simulated until interrupted"
						    : "the last job ends at",
		time_text(end, sim_time_to_s(summary->end)));
	fprintf(file, "%d jobs on the %d nodes with %d core%s each of %s\n", run->n_jobs,
		summary->n_nodes, cores, cores == 1 ? "" : "s",
		summary->cluster->name ? summary->cluster->name : run->cluster_file);
	fprintf(file, "utilisation: %.1f %% (%s of node time held by jobs / all nodes x time)\n",
		100 * trace_utilisation(summary),
		time_text(held, trace_held_core_s(summary, 0, summary->end) / cores));
	fprintf(file, "dynamic efficiency: %.1f %% (useful computation / cores held x time)\n",
		100 * trace_efficiency(summary));
	fprintf(file, "\n%-24s %9s %6s %10s %10s %10s %12s %11s\n", "job", "ranks", "nodes",
		"begin", "waited", "time", "node time", "efficiency");
	for (int i = 0; i < run->n_jobs; i++)
		write_job(summary, &run->jobs[i], file);
}

/* Terms that take no time are left out. */
static void write_startup(const struct trace_job *job, FILE *file)
{
	sim_time_ps sum = 0;
	char text[32];

	for (int i = 0; i < job->n_startup; i++)
		sum += job->startup[i];
	if (sum == 0)
		return;
	fprintf(file, "    start-up %s:", time_text(text, sim_time_to_s(sum)));
	for (int i = 0; i < job->n_startup; i++)
		if (job->startup[i] > 0)
			fprintf(file, " %s %s (%.1f %%)", job->startup_names[i],
				time_text(text, sim_time_to_s(job->startup[i])),
				100 * (double)job->startup[i] / (double)sum);
	fputc('\n', file);
}

void trace_spawned_write(const struct trace_run *run, FILE *file)
{
	char begin[32], time[32];

	if (run->n_spawned == 0)
		return;
	fprintf(file, "\n%-28s %15s %6s %10s %10s\n", "spawned", "ranks", "nodes", "begin", "time");
	for (int i = 0; i < run->n_spawned && i < MAX_SPAWNED_ROWS; i++) {
		const struct trace_job *job = &run->spawned[i];
		char ranks[32];

		snprintf(ranks, sizeof ranks, job->n_ranks > 1 ? "%d-%d" : "%d", job->first_rank,
			 job->first_rank + job->n_ranks - 1);
		fprintf(file, "  %-26.60s %15s %6d %10s %10s%s\n", job->name, ranks, job->n_nodes,
			time_text(begin, sim_time_to_s(job->begin)),
			time_text(time, sim_time_to_s(job->end - job->begin)),
			!job->has_ended	       ? "  (did not end)"
			: job->n_bad_exits > 0 ? "  (exit code not 0)"
					       : "");
		write_startup(job, file);
	}
	if (run->n_spawned > MAX_SPAWNED_ROWS)
		fprintf(file, "  and %d more\n", run->n_spawned - MAX_SPAWNED_ROWS);
	if (run->n_connections > 0)
		fprintf(file, "connections set up: %llu, at most %d of one process; %.1f MB\n",
			(unsigned long long)run->n_connections, run->most_connections,
			1e-6 * (double)run->connection_memory_B);
}
