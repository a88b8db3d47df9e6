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
    [TRACE_BLAME_START] = "start",
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

struct trace_tree trace_tree_of(const struct trace_units *units, double time_s, double ideal_s)
{
	struct trace_tree tree = {.time_s = time_s, .ideal_s = ideal_s};

	for (int i = 0; i < units->n; i++) {
		double each_s = units->sum_s[i] / units->width[i];

		tree.useful_mean_s += units->sum_s[i];
		if (each_s > tree.useful_max_s)
			tree.useful_max_s = each_s;
	}
	tree.useful_mean_s = ratio(tree.useful_mean_s, units->n_units);
	tree.parallel = ratio(tree.useful_mean_s, time_s);
	tree.load_balance = ratio(tree.useful_mean_s, tree.useful_max_s);
	tree.communication = ratio(tree.useful_max_s, time_s);
	tree.serialization = ratio(tree.useful_max_s, ideal_s);
	tree.transfer = ratio(ideal_s, time_s);
	return tree;
}

/* On the second clocks, or in the ideal run. Negative: that has no such job. */
static double ideal_time_s(const struct trace_explanation *e)
{
	const struct trace_analysis *analysis = e->analysis;
	struct trace_ideal_span same;
	int64_t latest = e->begin;

	if (e->ideal && !e->job)
		return trace_ideal_time(e->ideal);
	if (e->ideal)
		return trace_ideal_job(e->ideal, e->job->name, &same) ? same.span_s : -1;
	for (int i = 0; i < e->units.n_ranks; i++) {
		const struct trace_analysis_rank *r = &analysis->ranks[e->units.first_rank + i];

		if (r->ideal > latest)
			latest = r->ideal;
	}
	return sim_time_to_s(latest - e->begin);
}

static void fill_tree(struct trace_explanation *out)
{
	const struct trace_analysis *analysis = out->analysis;

	trace_units_sum(&out->units, (struct trace_useful){0},
			(struct trace_useful){analysis->useful_s, analysis->n_ranks});
	out->tree = trace_tree_of(&out->units, sim_time_to_s(out->end - out->begin),
				  fmax(ideal_time_s(out), 0));
}

bool trace_phase_tree(struct trace_explanation *explanation, int place, struct trace_tree *out)
{
	const struct trace_analysis *analysis = explanation->analysis;
	const struct trace_summary *summary = analysis->summary;
	const struct trace_phase *phase = summary->phases.of[place];
	const struct trace_region *region =
	    place < analysis->n_regions ? &analysis->regions[place] : NULL;
	struct trace_units *units = &explanation->units;
	struct trace_ideal_span same;
	double ideal_s;

	if (!region || !region->useful_s[0] || !region->useful_s[1] || !region->has_ended)
		return false;
	ideal_s = sim_time_to_s(region->ideal_end - region->ideal_begin);
	if (explanation->ideal) {
		if (!trace_ideal_phase(explanation->ideal, summary->phase_names.text[phase->name],
				       phase->index, &same))
			return false;
		ideal_s = same.span_s;
	}
	for (int i = 0; i < explanation->n_jobs; i++)
		if (explanation->jobs[i].job_number == region->job)
			units = &explanation->jobs[i].units;
	trace_units_sum(units, (struct trace_useful){region->useful_s[0], region->n_known[0]},
			(struct trace_useful){region->useful_s[1], region->n_known[1]});
	*out = trace_tree_of(units, sim_time_to_s(phase->end - phase->begin), ideal_s);
	/* others compute meanwhile in phases of their own, which takes an ideal run its time, too
	 */
	*out =
	    trace_tree_of(units, out->time_s, fmin(fmax(ideal_s, out->useful_max_s), out->time_s));
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
	struct trace_path *path = &analysis->ranks[out->last_rank].path;
	const struct trace_path_entry *entries;
	int n;

	out->path_length = path->until - out->begin;
	entries = trace_path_flatten(&analysis->paths, path, &n);
	out->blame = calloc((size_t)n + 1, sizeof *out->blame);
	if (!entries || !out->blame)
		return -1;
	for (int i = 0; i < n; i++) {
		int what = trace_key_what(entries[i].key), id = trace_key_id(entries[i].key);
		int64_t amount = entries[i].amount;

		if (what >= TRACE_N_BLAMES) {
			out->counts[what - TRACE_N_BLAMES] += amount;
			continue;
		}
		if (what == TRACE_BLAME_START) /* that was before the job */
			amount -= out->begin;
		if (amount <= 0)
			continue;
		out->path[what] += amount;
		out->blame[out->n_blame++] =
		    (struct trace_blame_entry){(enum trace_blame)what, id, amount};
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
	const struct cluster *cluster = explanation->analysis->cluster;
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

	if (cluster->network.latency_s > 0)
		d.latency += stretch_s / cluster->network.latency_s;
	if (isfinite(cluster->network.bandwidth_Bps))
		d.inverse_bandwidth += (contention_s - stretch_s) * cluster->network.bandwidth_Bps;
	d.inexact_s = contention_s + sim_time_to_s(explanation->path[TRACE_BLAME_STOLEN]);
	return d;
}

/* `out` says of which ranks, from when until when. */
static int explain(struct trace_explanation *out)
{
	struct trace_analysis *analysis = out->analysis;

	fill_tree(out);
	if (fill_path(analysis, out))
		return -1;
	out->derivatives = derive(out);
	for (int i = 0; i < out->units.n_ranks; i++) {
		const struct trace_wait_total *waits =
		    &analysis->ranks[out->units.first_rank + i].waits;

		for (int w = 0; w < TRACE_N_WAITS; w++) {
			out->waits.time[w] += waits->time[w];
			out->waits.n[w] += waits->n[w];
			out->waits.open_time[w] += waits->open_time[w];
			out->waits.n_open[w] += waits->n_open[w];
		}
	}
	return 0;
}

static int explain_job(struct trace_explanation *all, const struct trace_job *job, int number)
{
	struct trace_explanation *out = &all->jobs[all->n_jobs++];
	const struct trace_analysis_rank *ranks = all->analysis->ranks;

	*out = (struct trace_explanation){
	    .analysis = all->analysis,
	    .job = job,
	    .job_number = number,
	    .ideal = all->ideal,
	    .begin = job->begin,
	    .end = job->end,
	    .last_rank = job->first_rank,
	};
	for (int rank = job->first_rank; rank < job->first_rank + job->n_ranks; rank++)
		if (ranks[rank].seen > ranks[out->last_rank].seen)
			out->last_rank = rank;
	if (trace_units_init(&out->units, all->analysis->summary, job->first_rank, job->n_ranks))
		return -1;
	return explain(out);
}

int trace_explain(struct trace_analysis *analysis, const struct trace_ideal *ideal,
		  const struct trace_job jobs[], int n_jobs, struct trace_explanation *out,
		  struct util_error *err)
{
	int failed;

	*out = (struct trace_explanation){
	    .analysis = analysis,
	    .job_number = -1,
	    .ideal = ideal,
	    .end = analysis->summary->end,
	    .last_rank = analysis->last_rank,
	    .jobs = calloc((size_t)n_jobs + 1, sizeof *out->jobs),
	};
	failed = !out->jobs ||
		 trace_units_init(&out->units, analysis->summary, 0, analysis->n_ranks) ||
		 explain(out);
	for (int i = 0; i < n_jobs && !failed; i++)
		if (jobs[i].has_begun)
			failed = explain_job(out, &jobs[i], i);
	if (!failed)
		return 0;
	trace_explanation_finish(out);
	return util_error_set(err, UTIL_ENOMEM, "out of memory for the analysis");
}

void trace_explanation_finish(struct trace_explanation *explanation)
{
	for (int i = 0; i < explanation->n_jobs; i++)
		trace_explanation_finish(&explanation->jobs[i]);
	free(explanation->jobs);
	free(explanation->blame);
	trace_units_finish(&explanation->units);
	explanation->jobs = NULL;
	explanation->blame = NULL;
	explanation->n_jobs = 0;
}
