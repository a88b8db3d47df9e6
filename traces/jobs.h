/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_JOBS_H
#define TRACES_JOBS_H

#include <stdbool.h>
#include <stdio.h>

#include "simcore/time.h"

/* What became of one job of a schedule (docs/schedule.md). Strings are borrowed. */
struct trace_job {
	const char *name;
	char *const *command; /* NULL at its end */
	int first_rank, n_ranks;
	int n_nodes; /* that it began on; 0: it never began */
	bool has_begun, has_ended;
	sim_time_ps due; /* its time had come and the jobs that it waits for had ended */
	sim_time_ps begin, end;
	double node_s; /* node-seconds held: sum over nodes of the time until their release or the
			  end */
	double spawned_s; /* useful computation of processes that its ranks spawned */
	int n_bad_exits;
	const sim_time_ps *startup; /* [n_startup] of a spawn by stages; NULL: it has none */
	const char *const *startup_names;
	int n_startup;
};

struct trace_run;
struct trace_summary;

/* Useful computation of the job / (node-seconds held × cores); 0 where it held none. */
double trace_job_efficiency(const struct trace_summary *summary, const struct trace_job *job);
/* Node-seconds held / (nodes of the cluster × time until the last job ended): a node counts once,
 * however many jobs share it. */
double trace_utilisation(const struct trace_summary *summary);
/* The programs that were spawned as a table, if any. Write errors are left in `file`. */
void trace_spawned_write(const struct trace_run *run, FILE *file);
/* The jobs as a table, and how well they used the cluster. Write errors are left in `file`. */
void trace_jobs_write(const struct trace_run *run, FILE *file);

#endif
