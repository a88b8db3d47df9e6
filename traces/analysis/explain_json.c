// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>

#include "traces/analysis/explain.h"
#include "traces/fabric.h"
#include "traces/json.h"

#define ANALYSIS_VERSION 1
enum { MAX_LISTED = 1000 };

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static void set_tree(json_t *object, const struct trace_tree *tree)
{
	set(object, "time_s", trace_json_number(tree->time_s));
	set(object, "ideal_time_s", trace_json_number(tree->ideal_s));
	set(object, "useful_mean_s", trace_json_number(tree->useful_mean_s));
	set(object, "useful_max_s", trace_json_number(tree->useful_max_s));
	set(object, "parallel", trace_json_number(tree->parallel));
	set(object, "load_balance", trace_json_number(tree->load_balance));
	set(object, "communication", trace_json_number(tree->communication));
	set(object, "serialization", trace_json_number(tree->serialization));
	set(object, "transfer", trace_json_number(tree->transfer));
}

static json_t *tree_json(const struct trace_explanation *e)
{
	json_t *object = json_object();

	set(object, "units", json_integer(e->units.n_units));
	set(object, "ideal_from", json_string(e->ideal ? "run" : "clock"));
	set_tree(object, &e->tree);
	return object;
}

static json_t *phases_json(struct trace_explanation *e)
{
	const struct trace_summary *summary = e->analysis->summary;
	json_t *array = json_array();

	for (int i = 0; i < summary->phases.n; i++) {
		const struct trace_phase *phase = summary->phases.of[i];
		struct trace_tree tree;
		json_t *object;

		if (!trace_phase_tree(e, i, &tree))
			continue;
		object = json_object();
		set(object, "name", trace_json_string(summary->phase_names.text[phase->name]));
		set(object, "index", json_integer(phase->index));
		set_tree(object, &tree);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *curve_json(struct trace_explanation *e)
{
	struct trace_tree_window windows[TRACE_MAX_TREE_WINDOWS];
	int n = trace_tree_curve(e, TRACE_MAX_TREE_WINDOWS, windows, NULL);
	json_t *array = json_array();

	for (int i = 0; i < n; i++) {
		json_t *object = json_object();

		set(object, "begin_s", trace_json_number(windows[i].begin_s));
		set(object, "end_s", trace_json_number(windows[i].end_s));
		set(object, "parallel", trace_json_number(windows[i].tree.parallel));
		set(object, "load_balance", trace_json_number(windows[i].tree.load_balance));
		set(object, "serialization", trace_json_number(windows[i].tree.serialization));
		set(object, "transfer", trace_json_number(windows[i].tree.transfer));
		json_array_append_new(array, object);
	}
	return array;
}

static void set_site(json_t *object, const struct trace_explanation *e, int site)
{
	const struct trace_sites *sites = &e->analysis->sites;
	bool is_known = site < sites->n;

	set(object, "call", trace_json_string(is_known ? sites->list[site].function : NULL));
	set(object, "site",
	    trace_json_string(is_known && e->site_texts ? e->site_texts[site] : NULL));
	if (is_known && e->site_jobs)
		set(object, "job", trace_json_string(e->site_jobs[site]));
}

static json_t *blame_json(const struct trace_explanation *e, const struct trace_blame_entry *entry)
{
	json_t *object = json_object();

	set(object, "blame", json_string(trace_blame_name(entry->blame)));
	if (entry->blame <= TRACE_BLAME_SHARED)
		set(object, "kernel", trace_json_string(e->analysis->kernels.text[entry->id]));
	else if (entry->blame < TRACE_BLAME_OTHER)
		set_site(object, e, entry->id);
	set(object, "time_s", trace_json_seconds(entry->time));
	return object;
}

static json_t *derivatives_json(const struct trace_derivatives *d)
{
	json_t *object = json_object();

	set(object, "latency", trace_json_number(d->latency));
	set(object, "inverse_bandwidth_B", trace_json_number(d->inverse_bandwidth));
	set(object, "intra_latency", trace_json_number(d->intra_latency));
	set(object, "intra_inverse_bandwidth_B", trace_json_number(d->intra_inverse_bandwidth));
	set(object, "send_overhead", trace_json_number(d->send_overhead));
	set(object, "recv_overhead", trace_json_number(d->recv_overhead));
	set(object, "send_overhead_per_byte_B", trace_json_number(d->send_overhead_per_B));
	set(object, "recv_overhead_per_byte_B", trace_json_number(d->recv_overhead_per_B));
	set(object, "inexact_s", trace_json_number(d->inexact_s));
	return object;
}

static json_t *path_json(const struct trace_explanation *e)
{
	json_t *object = json_object(), *parts = json_object(), *blame = json_array();

	for (int b = 0; b < TRACE_N_BLAMES; b++)
		set(parts, trace_blame_name((enum trace_blame)b), trace_json_seconds(e->path[b]));
	for (int i = 0; i < e->n_blame && i < MAX_LISTED; i++)
		json_array_append_new(blame, blame_json(e, &e->blame[i]));
	set(object, "length_s", trace_json_seconds(e->path_length));
	set(object, "last_rank", json_integer(e->last_rank));
	set(object, "parts_s", parts);
	set(object, "blame", blame);
	set(object, "derivatives", derivatives_json(&e->derivatives));
	return object;
}

static bool has_waits(const struct trace_wait_total *waits)
{
	for (int w = 0; w < TRACE_N_WAITS; w++)
		if (waits->n[w] > 0)
			return true;
	return false;
}

static void set_waits(json_t *object, const struct trace_wait_total *waits)
{
	for (int w = 0; w < TRACE_N_WAITS; w++) {
		json_t *one = json_object();

		set(one, "count", json_integer((json_int_t)waits->n[w]));
		set(one, "time_s", trace_json_seconds(waits->time[w]));
		if (waits->n_open[w] > 0) {
			set(one, "open_count", json_integer((json_int_t)waits->n_open[w]));
			set(one, "open_time_s", trace_json_seconds(waits->open_time[w]));
		}
		set(object, trace_wait_name((enum trace_wait)w), one);
	}
}

static json_t *waits_json(const struct trace_explanation *e)
{
	const struct trace_analysis *analysis = e->analysis;
	json_t *object = json_object(), *all = json_object();
	json_t *sites = json_array(), *ranks = json_array();

	set_waits(all, &e->waits);
	for (int i = 0; i < analysis->n_waits && i < analysis->sites.n; i++) {
		json_t *one;

		if (!has_waits(&analysis->waits[i]))
			continue;
		one = json_object();
		set_site(one, e, i);
		set_waits(one, &analysis->waits[i]);
		json_array_append_new(sites, one);
	}
	for (int rank = 0; rank < analysis->n_ranks; rank++) {
		json_t *one = json_object();

		set(one, "rank", json_integer(rank));
		for (int w = 0; w < TRACE_N_WAITS; w++)
			set(one, trace_wait_name((enum trace_wait)w),
			    trace_json_seconds(analysis->ranks[rank].waits.time[w]));
		json_array_append_new(ranks, one);
	}
	set(object, "all", all);
	set(object, "sites", sites);
	set(object, "ranks", ranks);
	return object;
}

static json_t *calls_json(const struct trace_explanation *e)
{
	const struct trace_analysis *analysis = e->analysis;
	json_t *array = json_array();

	for (int i = 0; i < analysis->n_calls && i < analysis->sites.n; i++) {
		json_t *one;

		if (analysis->calls[i].n == 0)
			continue;
		one = json_object();
		set_site(one, e, i);
		set(one, "count", json_integer((json_int_t)analysis->calls[i].n));
		set(one, "time_s", trace_json_seconds(analysis->calls[i].time));
		json_array_append_new(array, one);
	}
	return array;
}

static json_t *links_json(const struct trace_explanation *e)
{
	const struct trace_links *links = &e->analysis->links;
	double all_s = sim_time_to_s(e->analysis->summary->end);
	json_t *array = json_array();

	for (int i = 0; i < 2 * links->n_nodes; i++) {
		const struct trace_link *link = &links->list[i];
		double busy_s = sim_time_to_s(trace_link_busy(link));
		json_t *object;

		if (link->bytes == 0 && busy_s == 0)
			continue;
		object = json_object();
		set(object, "node", json_integer(i % links->n_nodes));
		set(object, "direction", json_string(i < links->n_nodes ? "out" : "in"));
		set(object, "bytes", trace_json_number(link->bytes));
		set(object, "busy", trace_json_number(all_s > 0 ? busy_s / all_s : 0));
		set(object, "mean_transfers",
		    trace_json_number(busy_s > 0 ? 1e-12 * link->flow_ps / busy_s : 0));
		set(object, "lost_s", trace_json_number(1e-12 * link->lost_ps));
		json_array_append_new(array, object);
	}
	return array;
}

/* Who sends most over a link. */
static json_t *loads_json(const struct trace_explanation *e, int link)
{
	const struct trace_load *loads;
	int n = trace_loads_of(&e->analysis->loads, link, &loads);
	json_t *array = json_array();

	for (int i = 0; i < n && i < TRACE_LOADS_TOLD; i++) {
		json_t *object = json_object();

		set_site(object, e, loads[i].site);
		set(object, "bytes", trace_json_number(loads[i].bytes));
		json_array_append_new(array, object);
	}
	return array;
}

/* As `links` of the fabric: the same, in the same order. */
static json_t *fabric_json(const struct trace_explanation *e)
{
	double time_s = sim_time_to_s(e->analysis->summary->end);
	json_t *array = json_array();
	struct trace_fabric *fabric = NULL;

	trace_fabric_create(e->analysis->model, e->analysis->links.n_nodes, time_s, &fabric);
	for (int i = 0; fabric && i < fabric->n_links; i++) {
		json_t *object = json_object();

		set(object, "name", trace_json_string(fabric->links[i].name));
		set(object, "calls", loads_json(e, fabric->links[i].link));
		json_array_append_new(array, object);
	}
	trace_fabric_destroy(fabric);
	return array;
}

static json_t *jobs_json(struct trace_explanation *e)
{
	json_t *array = json_array();

	for (int i = 0; i < e->n_jobs; i++) {
		struct trace_explanation *job = &e->jobs[i];
		json_t *object = json_object(), *waits = json_object();

		set_waits(waits, &job->waits);
		set(object, "name", trace_json_string(job->job->name));
		set(object, "efficiency", tree_json(job));
		set(object, "efficiency_curve", curve_json(job));
		set(object, "critical_path", path_json(job));
		set(object, "wait_states", waits);
		json_array_append_new(array, object);
	}
	return array;
}

json_t *trace_explanation_json(struct trace_explanation *e)
{
	json_t *object = json_object();

	set(object, "version", json_integer(ANALYSIS_VERSION));
	set(object, "complete", json_boolean(!e->analysis->out_of_memory));
	set(object, "efficiency", tree_json(e));
	set(object, "phases", phases_json(e));
	set(object, "efficiency_curve", curve_json(e));
	set(object, "critical_path", path_json(e));
	set(object, "wait_states", waits_json(e));
	set(object, "calls", calls_json(e));
	set(object, "links", links_json(e));
	if (e->analysis->model)
		set(object, "fabric", fabric_json(e));
	if (e->n_jobs > 0)
		set(object, "jobs", jobs_json(e));
	return object;
}
