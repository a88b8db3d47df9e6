/* SPDX-License-Identifier: BSD-3-Clause */
/* Where each rank of an interrupted run is. */
#include <string.h>

#include "tools/run/failure.h"
#include "tools/run/run.h"
#include "util/units.h"

/* What the rank does there, and since when. */
static void place(const struct run *run, struct run_failure *places, struct trace_blocked *blocked)
{
	const struct pd_rank *pd = &run->world->ranks[blocked->rank];
	const char *waits_for = blocked->text, *call = blocked->function;
	sim_time_ps since = run->mpi->ranks[blocked->rank].call_begin;
	char time[32];

	if (blocked->rank == run->stuck_rank) {
		blocked->function = NULL;
		blocked->site = run_site(run, &places->sites, run->stuck_site);
		blocked->text = "it runs and calls nothing that would let others go on";
		return;
	}
	if (pd->is_computing) {
		since = pd->compute.begin;
		blocked->function =
		    call ? run_strings_add(&places->strings, "computing before %s", call)
			 : "computing";
	} else if (!call) {
		blocked->text = run->mpi->ranks[blocked->rank].n_opened == 0
				    ? "it has not called MPI yet"
				    : "its turn has not come";
		return;
	}
	util_format_time(time, sizeof time, sim_time_to_s(since));
	blocked->text = run_strings_add(&places->strings, "%s%ssince %s",
					waits_for ? waits_for : "", waits_for ? ", " : "", time);
}

void run_interrupted_print(const struct run *run, FILE *file)
{
	struct run_failure places = {.blocked = NULL};
	char time[32];

	run_blocked_describe(run, &places);
	util_format_time(time, sizeof time, sim_time_to_s(run->world->engine.now));
	if (places.description.n_blocked == 0)
		fprintf(
		    file,
		    "%s: the run ended at %s of simulated time, those with further seeds did not\n",
		    run->tool, time);
	else
		fprintf(file, "%s: at %s of simulated time %d of %d ranks have not ended:\n",
			run->tool, time, places.description.n_blocked, run->world->n_ranks);
	for (int i = 0; i < places.description.n_blocked; i++)
		place(run, &places, &places.blocked[i]);
	run_blocked_print(&places.description, file);
	run_failure_finish(&places);
}
