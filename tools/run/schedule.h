/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_SCHEDULE_H
#define TOOLS_RUN_SCHEDULE_H

#include "cluster/cluster.h"
#include "util/error.h"

/*
 * A schedule of jobs (docs/schedule.md): several programs on one cluster, each with ranks, nodes
 * and a time of its own.
 */
struct run_job {
	char *name;
	char **argv; /* program and arguments, NULL at its end */
	int n_ranks;
	int n_nodes;	 /* that it wants for itself alone; 0: it shares the nodes of `placement` */
	char *placement; /* as --placement; NULL: the cluster's own, else block */
	char *bench;	 /* its kernels' times; NULL: the run's */
	double begin_s;	 /* not before */
	int *after;	 /* [n_after] jobs that must have ended */
	int n_after;
};

struct run_schedule {
	struct run_job *jobs; /* [n_jobs]; owned, with all that they hold */
	int n_jobs;
	int n_ranks; /* of all jobs */
};

/*
 * Reads `path` for `cluster`. Errors: UTIL_EINPUT with file:line:column, what was found and what
 * was wanted: unknown and duplicate keys, jobs of the same name, a job that waits for itself, more
 * nodes or ranks than there may be, placements that do not fit; UTIL_ESYSTEM, UTIL_ENOMEM.
 */
int run_schedule_load(const char *path, const struct cluster *cluster, int max_ranks,
		      struct run_schedule **out, struct util_error *err);
void run_schedule_destroy(struct run_schedule *schedule); /* NULL is fine */

#endif
