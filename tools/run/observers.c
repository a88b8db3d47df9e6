// SPDX-License-Identifier: BSD-3-Clause
/* Those who observe a run: made as its options ask. */
#include "pdexec/image.h"
#include "tools/debug/debug.h"
#include "tools/run/run.h"
#include "tools/run/schedule.h"
#include "traces/compare/compare.h"

static bool locate(void *context, const void *address, uint64_t *out_place)
{
	const struct run *run = context;

	if (run->world && run->world->is_builtin) {
		*out_place = (uint64_t)(uintptr_t)address;
		return true;
	}

	for (int i = 0; run->world && i < run->world->n_programs; i++)
		if (pd_image_locate(run->world->programs[i].image, address, out_place)) {
			*out_place |= (uint64_t)i << 48; /* not the same place in each program */
			return true;
		}
	return false;
}

void run_observe(struct sim_observers *observers, struct sim_observer observer)
{
	sim_observers_add(observers, &observer);
}

/* The timeline, the matrix and the analysis cost time and memory: only for those who look at them.
 * The summary is told first. */
int run_observers_create(struct run *run, struct sim_observers *out, struct util_error *err)
{
	const struct run_options *o = &run->options;

	run_observe(out, trace_summary_observer(run->summary));
	if (o->real && trace_real_open(o->real, run->n_ranks, run->cluster, &run->real, err))
		return util_error_prepend(err, "--real");
	if (o->compare && trace_compare_load(o->compare, &run->compared, err))
		return util_error_prepend(err, "--compare");
	if (o->report || o->html || run->real) {
		if (trace_detail_create(run->n_ranks, &run->detail, err))
			return err->code;
		run->detail->real = run->real;
		trace_sites_init(&run->detail->sites, locate, run);
		run_observe(out, trace_detail_observer(run->detail));
	}
	if (o->explain) {
		if (trace_analysis_create(run->summary, run->schedule ? run->schedule->n_jobs : 1,
					  locate, run, &run->analysis, err))
			return err->code;
		run_observe(out, trace_analysis_observer(run->analysis));
	}
	if (o->ideal &&
	    trace_ideal_load(o->ideal, run->n_ranks,
			     run->schedule ? run->schedule_command : o->program, &run->ideal, err))
		return util_error_prepend(err, "--ideal");
	if (o->graph) {
		if (trace_graph_create(TRACE_GRAPH_MAX_CALLS, locate, run, &run->graph, err))
			return err->code;
		run_observe(out, trace_graph_observer(run->graph));
	}
	if (o->debug_fd && run_debug_observe(&run->debug, out))
		return util_error_set(err, UTIL_ENOMEM, "out of memory for mpisim-debug");
	if (o->trace_out) {
		if (trace_export_create(o->trace_out, run->summary, &run->exporter, err))
			return util_error_prepend(err, "--trace-out");
		run_observe(out, trace_export_observer(run->exporter));
	}
	return 0;
}

void run_observers_destroy(struct run *run)
{
	trace_export_destroy(run->exporter);
	trace_graph_destroy(run->graph);
	run_debug_destroy(run->debug);
	trace_analysis_destroy(run->analysis);
	trace_ideal_destroy(run->ideal);
	trace_detail_destroy(run->detail);
	trace_real_close(run->real);
	json_decref(run->compared);
	trace_summary_destroy(run->summary);
}
