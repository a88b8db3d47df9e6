// SPDX-License-Identifier: BSD-3-Clause
/* The engine that runs points in processes here: the program, or the replay of the trace that the
 * sweep file names. */
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/run.h"
#include "util/cpus.h"

static int make_item(void *context, int i, struct sweep_item *out, struct util_error *err)
{
	const struct sweep_run *run = context;
	struct sweep_command command;
	int failed = sweep_run_command(run, run->todo[i], &command, err);

	if (failed)
		return failed;
	*out = (struct sweep_item){.words = command.words,
				   .engine = run->spec->trace ? "replay" : "direct",
				   .is_measured = command.is_measured,
				   .round = run->round,
				   .timeout_s = run->spec->timeout_s};
	strcpy(out->hash, command.hash);
	return 0;
}

int sweep_run_n_jobs(const struct sweep_run *run)
{
	return run->options.n_jobs ? run->options.n_jobs : util_cpus();
}

int sweep_engine_direct(struct sweep_run *run, struct util_error *err)
{
	struct sweep_work work = {.n = run->n_todo, .context = run, .make = make_item};

	return sweep_execute(run->db, &work, sweep_run_n_jobs(run), &run->progress, err);
}
