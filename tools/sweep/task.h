/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_TASK_H
#define TOOLS_SWEEP_TASK_H

#include "tools/sweep/run.h"

/*
 * A task file: points for one task of a job array, in the table `task` of a results file of its
 * own, which takes their results, too. `mpisim-sweep task FILE` runs what has none yet.
 */

/* Writes points todo[first], todo[first + step], … of `run` into the new file `path`. */
int sweep_task_write(const struct sweep_run *run, const char *path, int first, int step,
		     struct util_error *err);

#endif
