/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_LAUNCHER_H
#define TOOLS_RUN_LAUNCHER_H

#include "tools/run/schedule.h"
#include "traces/jobs.h"

struct run;

/*
 * Starts the jobs of a schedule when it is their time, and knows who holds which node
 * (docs/schedule.md): ranks that end or give up their nodes let other jobs begin.
 */
struct run_launcher;

/* Both are borrowed; run->cluster and later run->world are used. Errors: UTIL_ENOMEM. */
int run_launcher_create(struct run *run, const struct run_schedule *schedule,
			struct run_launcher **out, struct util_error *err);
void run_launcher_destroy(struct run_launcher *launcher); /* NULL is fine */

/* Instead of pd_world_start. */
void run_launcher_start(struct run_launcher *launcher);
/* What became of the jobs, up to `now`: [n_jobs], owned by the launcher. */
const struct trace_job *run_launcher_close(struct run_launcher *launcher, sim_time_ps now);

#endif
