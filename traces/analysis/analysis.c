// SPDX-License-Identifier: BSD-3-Clause
#include "traces/analysis/analysis.h"

#include <stdlib.h>

#include "netmodel/model.h"
#include "netmodel/topology.h"
#include "traces/analysis/collectives.h"
#include "traces/analysis/delays.h"
#include "traces/analysis/internal.h"
#include "util/array.h"

/* --- the observer: the summary has been told before --- */

static void record_compute(void *context, const struct sim_record_compute *record)
{
	struct trace_analysis *analysis = context;
	struct trace_analysis_rank *r = &analysis->ranks[record->rank];
	int kernel = trace_names_id(&analysis->kernels, record->kernel ? record->kernel : "");
	sim_time_ps length = record->end - record->begin;
	sim_time_ps stolen = sim_time_from_s(record->stolen_s);
	sim_time_ps shared = sim_time_from_s(record->shared_s);

	trace_regions_compute(analysis, record);
	if (analysis->delays)
		trace_delays_compute(analysis->delays, record);
	if (kernel < 0)
		analysis->out_of_memory = true;
	if (stolen > length)
		stolen = length;
	if (shared > length - stolen)
		shared = length - stolen;
	trace_causes_see(analysis, record->rank, record->begin);
	trace_path_extend(&analysis->paths, &r->path, trace_key(TRACE_BLAME_STOLEN, kernel),
			  record->begin + stolen);
	trace_path_extend(&analysis->paths, &r->path, trace_key(TRACE_BLAME_SHARED, kernel),
			  record->begin + stolen + shared);
	trace_path_extend(&analysis->paths, &r->path, trace_key(TRACE_BLAME_COMPUTE, kernel),
			  record->end);
	r->seen = record->end;
	if (!record->is_offloaded) /* else its mark follows */
		trace_causes_advance(analysis, record->rank, r->ideal + length - stolen,
				     record->end);
}

static void add_call(struct trace_analysis *analysis, const struct sim_record_call *record)
{
	int site = trace_sites_id(&analysis->sites, record->function, record->site);

	if (site < 0 || !util_array_reach(&analysis->calls, &analysis->n_calls, site,
					  sizeof *analysis->calls)) {
		analysis->out_of_memory = true;
		return;
	}
	analysis->calls[site].n++;
	analysis->calls[site].time += record->end - record->begin;
}

static void record_call(void *context, const struct sim_record_call *record)
{
	struct trace_analysis *analysis = context;

	add_call(analysis, record);
	analysis->ranks[record->rank].in_collective = false;
	trace_causes_see(analysis, record->rank, record->begin);
	trace_causes_see(analysis, record->rank, record->end);
}

static void record_phase(void *context, int rank, const char *name, int is_begin, sim_time_ps now)
{
	struct trace_analysis *analysis = context;

	trace_causes_see(analysis, rank, now);
	if (is_begin)
		trace_regions_begin(analysis, rank);
	else
		trace_regions_end(analysis, rank);
}

static void record_rank_end(void *context, int rank, sim_time_ps now)
{
	struct trace_analysis *analysis = context;

	trace_causes_see(analysis, rank, now);
}

/* Nobody knew the rank before: what led to it is what led to its parent's call, which waits. */
static void record_rank_begin(void *context, int rank, int parent, int node, sim_time_ps now)
{
	struct trace_analysis *analysis = context;
	struct trace_analysis_rank *r = &analysis->ranks[rank], *p = &analysis->ranks[parent];

	analysis->n_ranks++;
	analysis->useful_over_time.n++;
	if (p->seen < now && p->spawned < now)
		trace_causes_advance(analysis, parent, p->ideal + now - p->seen, now);
	p->spawned = now;
	trace_path_copy(&analysis->paths, &r->path, &p->path);
	trace_path_extend(&analysis->paths, &r->path, trace_key(TRACE_BLAME_START, 0), now);
	r->seen = r->ideal_seen = now;
	r->ideal = p->ideal;
	r->job = p->job;
}

void trace_analysis_begin_job(struct trace_analysis *analysis, int job, int first_rank, int n_ranks,
			      sim_time_ps now)
{
	for (int rank = first_rank; rank < first_rank + n_ranks; rank++) {
		struct trace_analysis_rank *r = &analysis->ranks[rank];

		trace_path_extend(&analysis->paths, &r->path, trace_key(TRACE_BLAME_START, 0), now);
		r->seen = r->ideal_seen = r->ideal = now;
		r->job = job;
	}
}

struct sim_observer trace_analysis_observer(struct trace_analysis *analysis)
{
	return (struct sim_observer){
	    .context = analysis,
	    .compute = record_compute,
	    .call = record_call,
	    .phase = record_phase,
	    .rank_end = record_rank_end,
	    .rank_begin = record_rank_begin,
	    .collective = trace_causes_collective,
	    .causes = &analysis->causes,
	};
}

/* --- life --- */

static void wait_at_collective(void *context, const struct trace_collective_wait *wait)
{
	struct trace_analysis *analysis = context;

	trace_causes_wait(analysis, wait->rank, wait->site,
			  wait->is_barrier ? TRACE_WAIT_BARRIER : TRACE_WAIT_COLLECTIVE,
			  wait->end - wait->begin, wait->is_open);
	if (analysis->delays && !wait->is_open)
		trace_delays_wait(analysis->delays, wait->rank, wait->by, wait->begin, wait->end);
}

static int allocate(struct trace_analysis *analysis, const struct trace_summary *summary)
{
	size_t n = (size_t)summary->max_ranks;

	analysis->ranks = calloc(n, sizeof *analysis->ranks);
	analysis->useful_s = calloc(n, sizeof *analysis->useful_s);
	analysis->advance = calloc((size_t)analysis->n_jobs, sizeof *analysis->advance);
	if (!analysis->ranks || !analysis->useful_s || !analysis->advance)
		return UTIL_ENOMEM;
	for (int job = 0; job < analysis->n_jobs; job++)
		trace_curve_init(&analysis->advance[job]);
	if (trace_curves_init(&analysis->useful_over_time, analysis->n_ranks, analysis->max_ranks,
			      TRACE_MAX_WINDOW_B))
		return UTIL_ENOMEM;
	if (trace_links_init(&analysis->links, summary->n_nodes))
		return UTIL_ENOMEM;
	if (net_topology_most_delay_s(analysis->cluster) > 0 &&
	    net_topology_create(analysis->cluster, &analysis->topology, NULL))
		return UTIL_ENOMEM;
	return trace_collectives_create(wait_at_collective, analysis, &analysis->collectives);
}

void trace_analysis_set_model(struct trace_analysis *analysis, struct net_model *model)
{
	if (net_model_keep_routes(model))
		analysis->model = model;
}

int trace_analysis_create(const struct trace_summary *summary, int n_jobs, trace_locate_fn locate,
			  void *locate_context, struct trace_analysis **out, struct util_error *err)
{
	struct trace_analysis *analysis = calloc(1, sizeof *analysis);

	if (!analysis)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for the analysis");
	analysis->summary = summary;
	analysis->cluster = summary->cluster;
	analysis->n_ranks = summary->n_ranks;
	analysis->max_ranks = summary->max_ranks;
	analysis->n_jobs = n_jobs;
	trace_paths_init(&analysis->paths);
	util_pool_init(&analysis->tokens, sizeof(struct trace_token));
	trace_sites_init(&analysis->sites, locate, locate_context);
	trace_names_init(&analysis->kernels);
	trace_causes_init(analysis);
	if (allocate(analysis, summary)) {
		trace_analysis_destroy(analysis);
		return util_error_set(err, UTIL_ENOMEM,
				      "out of memory for the analysis of %d ranks",
				      summary->n_ranks);
	}
	*out = analysis;
	return 0;
}

void trace_analysis_destroy(struct trace_analysis *analysis)
{
	if (!analysis)
		return;
	trace_regions_finish(analysis);
	trace_collectives_destroy(analysis->collectives);
	net_topology_destroy(analysis->topology);
	trace_curves_finish(&analysis->useful_over_time);
	trace_links_finish(&analysis->links);
	trace_loads_finish(&analysis->loads);
	trace_names_finish(&analysis->kernels);
	trace_sites_finish(&analysis->sites);
	trace_paths_finish(&analysis->paths);
	util_pool_finish(&analysis->tokens);
	free(analysis->ranks);
	free(analysis->useful_s);
	free(analysis->advance);
	free(analysis->waits);
	free(analysis->calls);
	free(analysis);
}

void trace_analysis_close(struct trace_analysis *analysis)
{
	sim_time_ps latest = -1;

	for (int rank = 0; rank < analysis->n_ranks; rank++) {
		const struct trace_analysis_rank *r = &analysis->ranks[rank];

		if (r->seen > latest) {
			latest = r->seen;
			analysis->last_rank = rank;
		}
	}
	if (analysis->n_ranks > 0)
		trace_causes_see(analysis, analysis->last_rank, analysis->summary->end);
	trace_collectives_close(analysis->collectives, analysis->summary->end);
	analysis->out_of_memory |= analysis->paths.out_of_memory || analysis->links.out_of_memory ||
				   analysis->loads.out_of_memory;
	trace_loads_sort(&analysis->loads);
	for (int l = 0; analysis->model && l < 2 * analysis->links.n_nodes; l++)
		analysis->links.list[l].lost_ps =
		    1e12 * net_model_link_use(analysis->model, l).lost_s;
}
