// SPDX-License-Identifier: BSD-3-Clause
#include "traces/analysis/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/analysis/internal.h"

static const char *const blame_names[] = {
    [TRACE_BLAME_COMPUTE] = "compute",
    [TRACE_BLAME_STOLEN] = "stolen",
    [TRACE_BLAME_SHARED] = "shared",
    [TRACE_BLAME_LATENCY] = "latency",
    [TRACE_BLAME_BANDWIDTH] = "bandwidth",
    [TRACE_BLAME_CONTENTION] = "contention",
    [TRACE_BLAME_SEND_OVERHEAD] = "send_overhead",
    [TRACE_BLAME_RECV_OVERHEAD] = "recv_overhead",
    [TRACE_BLAME_POLLING] = "polling",
    [TRACE_BLAME_FILE] = "file",
    [TRACE_BLAME_OTHER] = "other",
};

static const char *const wait_names[] = {
    [TRACE_WAIT_LATE_SENDER] = "late_sender",
    [TRACE_WAIT_LATE_RECEIVER] = "late_receiver",
    [TRACE_WAIT_BARRIER] = "barrier",
    [TRACE_WAIT_COLLECTIVE] = "collective",
};

const char *trace_blame_name(enum trace_blame blame)
{
	return blame_names[blame];
}

const char *trace_wait_name(enum trace_wait wait)
{
	return wait_names[wait];
}

/* --- efficiencies --- */

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

struct trace_tree trace_tree_of(const struct trace_analysis *analysis, const double from_s[],
				const double to_s[], double time_s, double ideal_s)
{
	struct trace_tree tree = {.time_s = time_s, .ideal_s = ideal_s};
	int n = 0;

	for (int i = 0; i < analysis->n_units; i++) {
		double useful_s = to_s[i] - (from_s ? from_s[i] : 0);
		double each_s = useful_s / analysis->unit_width[i];

		tree.useful_mean_s += useful_s;
		n += analysis->unit_width[i];
		if (each_s > tree.useful_max_s)
			tree.useful_max_s = each_s;
	}
	tree.useful_mean_s = ratio(tree.useful_mean_s, n);
	tree.parallel = ratio(tree.useful_mean_s, time_s);
	tree.load_balance = ratio(tree.useful_mean_s, tree.useful_max_s);
	tree.communication = ratio(tree.useful_max_s, time_s);
	tree.serialization = ratio(tree.useful_max_s, ideal_s);
	tree.transfer = ratio(ideal_s, time_s);
	return tree;
}

static void fill_tree(struct trace_explanation *out)
{
	const struct trace_analysis *analysis = out->analysis;

	for (int i = 0; i < analysis->n_units; i++)
		out->n_units += analysis->unit_width[i];
	out->tree = trace_tree_of(
	    analysis, NULL, analysis->useful_s, sim_time_to_s(analysis->summary->end),
	    out->ideal ? trace_ideal_time(out->ideal) : sim_time_to_s(analysis->ideal_end));
}

bool trace_phase_tree(const struct trace_explanation *explanation, int place,
		      struct trace_tree *out)
{
	const struct trace_analysis *analysis = explanation->analysis;
	const struct trace_summary *summary = analysis->summary;
	const struct trace_phase *phase = summary->phases.of[place];
	const struct trace_region *region =
	    place < analysis->n_regions ? &analysis->regions[place] : NULL;
	struct trace_ideal_phase same;
	double ideal_s;

	if (!region || !region->useful_s || !region->has_ended)
		return false;
	ideal_s = sim_time_to_s(region->ideal_end - region->ideal_begin);
	if (explanation->ideal) {
		if (!trace_ideal_phase(explanation->ideal, summary->phase_names.text[phase->name],
				       phase->index, &same))
			return false;
		ideal_s = same.span_s;
	}
	*out = trace_tree_of(analysis, region->useful_s, region->useful_s + analysis->n_units,
			     sim_time_to_s(phase->end - phase->begin), ideal_s);
	return true;
}

/* --- the critical path --- */

static int compare_blame(const void *a, const void *b)
{
	const struct trace_blame_entry *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	if (x->blame != y->blame)
		return x->blame < y->blame ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int fill_path(struct trace_analysis *analysis, struct trace_explanation *out)
{
	struct trace_path *path = &analysis->ranks[analysis->last_rank].path;
	const struct trace_path_entry *entries;
	int n;

	out->path_length = path->until;
	entries = trace_path_flatten(&analysis->paths, path, &n);
	out->blame = calloc((size_t)n + 1, sizeof *out->blame);
	if (!entries || !out->blame)
		return -1;
	for (int i = 0; i < n; i++) {
		int what = trace_key_what(entries[i].key), id = trace_key_id(entries[i].key);

		if (what >= TRACE_N_BLAMES) {
			out->counts[what - TRACE_N_BLAMES] += entries[i].amount;
			continue;
		}
		out->path[what] += entries[i].amount;
		out->blame[out->n_blame++] =
		    (struct trace_blame_entry){(enum trace_blame)what, id, entries[i].amount};
	}
	qsort(out->blame, (size_t)out->n_blame, sizeof *out->blame, compare_blame);
	return 0;
}

/*
 * What the path has of each parameter. Where transfers shared their links, each of the bytes went
 * through as slowly as the others let it: contention grows with the bandwidth term, or, where the
 * latency is shared work too, with both.
 */
static struct trace_derivatives derive(const struct trace_explanation *explanation)
{
	const struct net_cluster *cluster = explanation->analysis->cluster;
	const int64_t *counts = explanation->counts;
	double stretch_s = sim_time_to_s(counts[TRACE_COUNT_LATENCY_STRETCH]);
	double contention_s = sim_time_to_s(explanation->path[TRACE_BLAME_CONTENTION]);
	struct trace_derivatives d = {
	    .latency = (double)counts[TRACE_COUNT_TRANSFERS],
	    .inverse_bandwidth = (double)counts[TRACE_COUNT_BYTES],
	    .intra_latency = (double)counts[TRACE_COUNT_INTRA_TRANSFERS],
	    .intra_inverse_bandwidth = (double)counts[TRACE_COUNT_INTRA_BYTES],
	    .send_overhead = (double)counts[TRACE_COUNT_SEND_OVERHEADS],
	    .recv_overhead = (double)counts[TRACE_COUNT_RECV_OVERHEADS],
	    .send_overhead_per_B = (double)counts[TRACE_COUNT_SEND_OVERHEAD_B],
	    .recv_overhead_per_B = (double)counts[TRACE_COUNT_RECV_OVERHEAD_B],
	};

	if (cluster->latency_s > 0)
		d.latency += stretch_s / cluster->latency_s;
	if (isfinite(cluster->bandwidth_Bps))
		d.inverse_bandwidth += (contention_s - stretch_s) * cluster->bandwidth_Bps;
	d.inexact_s = contention_s + sim_time_to_s(explanation->path[TRACE_BLAME_STOLEN]);
	return d;
}

int trace_explain(struct trace_analysis *analysis, const struct trace_ideal *ideal,
		  struct trace_explanation *out, struct util_error *err)
{
	*out = (struct trace_explanation){.analysis = analysis, .ideal = ideal};
	fill_tree(out);
	if (fill_path(analysis, out)) {
		trace_explanation_finish(out);
		return util_error_set(err, UTIL_ENOMEM, "out of memory for the analysis");
	}
	out->derivatives = derive(out);
	for (int rank = 0; rank < analysis->n_ranks; rank++)
		for (int w = 0; w < TRACE_N_WAITS; w++) {
			out->waits.time[w] += analysis->ranks[rank].waits.time[w];
			out->waits.n[w] += analysis->ranks[rank].waits.n[w];
			out->waits.open_time[w] += analysis->ranks[rank].waits.open_time[w];
			out->waits.n_open[w] += analysis->ranks[rank].waits.n_open[w];
		}
	return 0;
}

void trace_explanation_finish(struct trace_explanation *explanation)
{
	free(explanation->blame);
	explanation->blame = NULL;
}
