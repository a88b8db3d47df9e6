// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>

#include "mpi/p2p/blocked.h"
#include "tools/run/failure.h"

void run_waits_describe(const struct run *run, int rank, struct run_strings *strings,
			struct trace_blocked *blocked, int **out_peers)
{
	const struct pd_program *program = run->world->ranks[rank].program;
	struct mpi_blocked found = {.is_blocked = false};

	mpi_blocked_describe(&run->mpi->ranks[rank], &found);
	if (found.is_blocked && found.text[0] && program->config.name) /* a job counts from 0 */
		blocked->text = run_strings_add(strings, "%s, as rank %d of job \"%s\"", found.text,
						rank - program->first_rank, program->config.name);
	else if (found.is_blocked && found.text[0])
		blocked->text = run_strings_add(strings, "%s", found.text);
	blocked->waits_for_any = found.is_any || found.is_anyone;
	blocked->waits_for_anyone = found.is_anyone && found.n >= run->world->n_ranks - 1;
	/* "Any rank at all" needs no list, which thousands of ranks would each have. */
	if (blocked->waits_for_anyone || !found.waits_for) {
		free(found.waits_for);
		return;
	}
	*out_peers = found.waits_for;
	blocked->waits_for = found.waits_for;
	blocked->n_waits_for = found.n;
}

void run_waits_explain(struct run *run, const struct sim_record_call *open)
{
	static const enum trace_wait waits[] = {
	    [MPI_LATE_NOBODY] = TRACE_N_WAITS,
	    [MPI_LATE_SENDER] = TRACE_WAIT_LATE_SENDER,
	    [MPI_LATE_RECEIVER] = TRACE_WAIT_LATE_RECEIVER,
	};
	const struct sim_cause_place place = {open->rank, open->function, open->site};

	if (run->analysis)
		trace_analysis_open_call(run->analysis, &place,
					 waits[mpi_blocked_late(&run->mpi->ranks[open->rank])],
					 open->begin, open->end);
}

void run_real_warn(const struct run *run, struct run_strings *warnings)
{
	char *doubt = run->real ? trace_real_doubt(run->real) : NULL;

	if (doubt)
		run_strings_add(warnings, "%s", doubt);
	free(doubt);
}
