// SPDX-License-Identifier: BSD-3-Clause
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "traces/accelerators.h"
#include "traces/analysis/explain.h"
#include "traces/compare/compare.h"
#include "traces/fabric.h"
#include "traces/json.h"
#include "traces/real/real.h"
#include "traces/reasons.h"
#include "traces/run.h"
#include "util/version.h"

#define MAX_CURVE_WINDOWS 128

/* json_object_set_new and friends take NULL values as errors and remember nothing, so what failed
 * shows in the missing whole. */
static int set(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value);
}

static json_t *count(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *strings(const char *const *texts, int n)
{
	json_t *array = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(array, trace_json_string(texts[i]));
	return array;
}

/* `words`: NULL at its end. */
json_t *trace_json_words(char *const *words)
{
	int n = 0;

	while (words[n])
		n++;
	return strings((const char *const *)words, n);
}

static void set_breakdown(json_t *object, const struct trace_breakdown *breakdown)
{
	set(object, "useful_s", trace_json_number(breakdown->useful_s));
	if (breakdown->accelerator_s > 0)
		set(object, "accelerator_s", trace_json_number(breakdown->accelerator_s));
	set(object, "stolen_s", trace_json_number(breakdown->stolen_s));
	set(object, "shared_s", trace_json_number(breakdown->shared_s));
	set(object, "communicating_s", trace_json_number(breakdown->communicating_s));
	set(object, "waiting_s", trace_json_number(breakdown->waiting_s));
	set(object, "ended_s", trace_json_number(breakdown->ended_s));
	if (breakdown->before_s > 0)
		set(object, "before_s", trace_json_number(breakdown->before_s));
	set(object, "other_s", trace_json_number(breakdown->other_s));
}

static json_t *rank_json(const struct trace_run *run, int rank)
{
	const struct trace_rank *r = &run->summary->ranks[rank];
	struct trace_breakdown breakdown = trace_rank_breakdown(run->summary, rank);
	json_t *object = json_object();

	set(object, "rank", json_integer(rank));
	set(object, "node", json_integer(r->node));
	set(object, "end_s", r->has_ended ? trace_json_seconds(r->sums.last) : json_null());
	set(object, "exit_code",
	    r->has_ended && run->exit_codes ? json_integer(run->exit_codes[rank]) : json_null());
	set(object, "computing_s", trace_json_seconds(r->computing));
	set_breakdown(object, &breakdown);
	set(object, "calls", count(r->sums.n_calls));
	set(object, "messages_sent", count(r->sums.n_sent));
	set(object, "messages_received", count(r->sums.n_received[0] + r->sums.n_received[1]));
	set(object, "bytes_sent", count(r->sums.sent_B));
	set(object, "bytes_received", count(r->sums.received_B[0] + r->sums.received_B[1]));
	return object;
}

static json_t *ranks_json(const struct trace_run *run)
{
	json_t *array = json_array();

	for (int rank = 0; rank < run->summary->n_ranks; rank++)
		json_array_append_new(array, rank_json(run, rank));
	return array;
}

static json_t *node_json(const struct trace_run *run, int node, const struct trace_breakdown *sum)
{
	const struct trace_node *n = &run->summary->nodes[node];
	json_t *object = json_object();

	set(object, "node", json_integer(node));
	set(object, "ranks", json_integer(n->n_ranks));
	set(object, "released_s",
	    n->n_holding == 0 ? trace_json_seconds(n->released) : json_null());
	set_breakdown(object, sum);
	if (run->devices)
		set(object, "accelerators", trace_accelerators_json(run, node));
	return object;
}

/* Nodes that carry ranks; the times are sums over the node's ranks. */
static json_t *nodes_json(const struct trace_run *run)
{
	const struct trace_summary *summary = run->summary;
	json_t *array = json_array();
	struct trace_breakdown *sums = calloc((size_t)summary->n_nodes, sizeof *sums);

	for (int rank = 0; sums && rank < summary->n_ranks; rank++) {
		struct trace_breakdown one = trace_rank_breakdown(summary, rank);

		if (summary->ranks[rank].node >= 0)
			trace_breakdown_add(&sums[summary->ranks[rank].node], &one);
	}
	for (int node = 0; sums && node < summary->n_nodes; node++)
		if (summary->nodes[node].n_ranks > 0)
			json_array_append_new(array, node_json(run, node, &sums[node]));
	free(sums);
	return array;
}

static json_t *collectives_json(const struct trace_run *run)
{
	json_t *array = json_array();

	for (int i = 0; i < run->n_collectives; i++) {
		const struct trace_collective *collective = &run->collectives[i];
		json_t *object = json_object();

		set(object, "operation", trace_json_string(collective->operation));
		set(object, "algorithm", trace_json_string(collective->algorithm));
		set(object, "count", count(collective->n));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *phase_json(const struct trace_summary *summary, const struct trace_phase *phase)
{
	json_t *object = json_object();

	set(object, "name", trace_json_string(summary->phase_names.text[phase->name]));
	set(object, "index", json_integer(phase->index));
	set(object, "parent",
	    phase->parent < 0 ? json_null()
			      : trace_json_string(summary->phase_names.text[phase->parent]));
	set(object, "ranks", json_integer(phase->n_ranks));
	set(object, "begin_s", trace_json_seconds(phase->begin));
	set(object, "end_s", trace_json_seconds(phase->end));
	set(object, "span_s", trace_json_seconds(phase->end - phase->begin));
	set(object, "efficiency", trace_json_number(trace_phase_efficiency(summary, phase)));
	set(object, "useful_in_span_s",
	    trace_json_number(phase->useful_until[1] - phase->useful_until[0]));
	set(object, "rank_time_s", trace_json_number(phase->time_s));
	set(object, "useful_s", trace_json_number(phase->useful_s));
	set(object, "communicating_s", trace_json_number(phase->communicating_s));
	set(object, "waiting_s", trace_json_number(phase->waiting_s));
	return object;
}

static json_t *phases_json(const struct trace_summary *summary)
{
	json_t *array = json_array();

	for (int i = 0; i < summary->phases.n; i++)
		json_array_append_new(array, phase_json(summary, summary->phases.of[i]));
	return array;
}

enum totals_kind { KERNELS, OFFLOADED, CALLS };

/* The sums of names, by name, so that the order does not depend on what came first. */
static json_t *totals_json(const struct trace_names *names, const struct sim_total *totals,
			   enum totals_kind kind)
{
	json_t *array = json_array();
	int *order = malloc((size_t)(names->n + 1) * sizeof *order);

	if (!order) {
		json_decref(array);
		return NULL;
	}
	trace_names_order(names, order);
	for (int i = 0; i < names->n; i++) {
		const struct sim_total *total = &totals[order[i]];
		json_t *object = json_object();

		set(object, "name", trace_json_string(names->text[order[i]]));
		set(object, kind == KERNELS ? "steps" : "count", count(total->n));
		set(object, "time_s", trace_json_number(total->time_s));
		if (kind == KERNELS)
			set(object, "useful_s", trace_json_number(total->useful_s));
		else if (kind == CALLS)
			set(object, "waiting_s", trace_json_number(total->waiting_s));
		json_array_append_new(array, object);
	}
	free(order);
	return array;
}

static json_t *curve_json(const struct trace_summary *summary)
{
	struct trace_window windows[MAX_CURVE_WINDOWS];
	int n = trace_efficiency_curve(summary, MAX_CURVE_WINDOWS, windows);
	json_t *array = json_array();

	for (int i = 0; i < n; i++) {
		json_t *object = json_object();

		set(object, "begin_s", trace_json_number(windows[i].begin_s));
		set(object, "end_s", trace_json_number(windows[i].end_s));
		set(object, "efficiency", trace_json_number(windows[i].efficiency));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *blocked_json(const struct trace_failure *failure)
{
	json_t *array = json_array();

	for (int i = 0; i < failure->n_blocked; i++) {
		const struct trace_blocked *blocked = &failure->blocked[i];
		json_t *object = json_object(), *peers = json_array();

		for (int j = 0; j < blocked->n_waits_for; j++)
			json_array_append_new(peers, json_integer(blocked->waits_for[j]));
		set(object, "rank", json_integer(blocked->rank));
		set(object, "call", trace_json_string(blocked->function));
		set(object, "site", trace_json_string(blocked->site));
		set(object, "text", trace_json_string(blocked->text));
		set(object, "waits_for", peers);
		set(object, "waits_for_any", json_boolean(blocked->waits_for_any));
		set(object, "waits_for_anyone", json_boolean(blocked->waits_for_anyone));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *failure_json(const struct trace_failure *failure)
{
	json_t *object, *cycle;

	if (!failure)
		return json_null();
	object = json_object();
	set(object, "kind", trace_json_string(failure->kind));
	set(object, "rank", failure->rank < 0 ? json_null() : json_integer(failure->rank));
	set(object, "call", trace_json_string(failure->function));
	set(object, "site", trace_json_string(failure->site));
	set(object, "time_s", trace_json_number(failure->time_s));
	set(object, "text", trace_json_string(failure->text));
	if (failure->n_blocked > 0) {
		cycle = json_array();
		for (int i = 0; i < failure->n_cycle; i++)
			json_array_append_new(cycle, json_integer(failure->cycle[i]));
		set(object, "blocked", blocked_json(failure));
		set(object, "cycle", cycle);
	}
	return object;
}

static json_t *cluster_json(const struct trace_run *run)
{
	const struct cluster *cluster = run->summary->cluster;
	json_t *object = json_object();

	set(object, "name", trace_json_string(cluster->name));
	set(object, "file", trace_json_string(run->cluster_file));
	set(object, "nodes", json_integer(cluster->n_nodes));
	set(object, "cores_per_node", json_integer(cluster->cores));
	set(object, "overrides", strings(run->overrides, run->n_overrides));
	return object;
}

static json_t *settings_json(const struct trace_run *run)
{
	json_t *object = json_object();

	set(object, "ranks", json_integer(run->summary->n_ranks));
	set(object, "placement", trace_json_string(run->placement));
	if (run->cpus_per_rank > 0)
		set(object, "cpus_per_rank", json_integer(run->cpus_per_rank));
	set(object, "compute", trace_json_string(run->compute_mode));
	set(object, "first_n", json_integer(run->first_n));
	set(object, "no_alloc", json_boolean(run->no_alloc));
	set(object, "scales", strings(run->scales, run->n_scales));
	set(object, "vary_compute", trace_json_number(run->vary_compute));
	if (run->vary_kernels)
		set(object, "vary_kernels", json_true());
	if (run->vary_cluster)
		set(object, "vary_cluster", json_true());
	if (run->blas_model)
		set(object, "blas_model", trace_json_string(run->blas_model));
	set(object, "vary_transfer", trace_json_number(run->vary_transfer));
	return object;
}

static json_t *interval_json(const struct trace_prediction *interval)
{
	json_t *object = json_object(), *times = json_array();

	for (int i = 0; i < interval->n_runs; i++)
		json_array_append_new(times, trace_json_number(interval->times_s[i]));
	set(object, "coverage", trace_json_number(interval->coverage));
	set(object, "low_s", trace_json_number(interval->low_s));
	set(object, "median_s", trace_json_number(interval->median_s));
	set(object, "high_s", trace_json_number(interval->high_s));
	set(object, "first_seed", json_integer((json_int_t)interval->first_seed));
	set(object, "reported_seed", json_integer((json_int_t)interval->reported_seed));
	set(object, "times_s", times);
	return object;
}

static const char *const outcome_names[] = {
    [TRACE_COMPLETED] = "completed",
    [TRACE_BAD_EXIT] = "bad_exit",
    [TRACE_FAILED] = "failed",
    [TRACE_INTERRUPTED] = "interrupted",
};

static json_t *exit_json(const struct trace_run *run)
{
	json_t *object = json_object();

	set(object, "state", trace_json_string(outcome_names[run->outcome]));
	set(object, "status", json_integer(run->exit_status));
	return object;
}

static json_t *simulation_json(const struct trace_run *run)
{
	json_t *object = json_object();

	set(object, "cpu_s", trace_json_number(run->cpu_s));
	set(object, "wall_s", trace_json_number(run->wall_s));
	set(object, "jumped_s", trace_json_number(run->jumped_s));
	set(object, "peak_memory_B", json_integer(run->peak_memory_B));
	return object;
}

static json_t *analysis_json(const struct trace_run *run)
{
	json_t *object = trace_explanation_json(run->explanation);
	int failed = 0;

	if (run->reasons)
		failed |= set(object, "reasons", trace_reasons_json(run->reasons));
	if (run->reasons && run->reasons->bandwidth)
		failed |= set(object, "bandwidth", trace_bandwidth_json(run->reasons->bandwidth));
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}

static int fill(json_t *root, const struct trace_run *run)
{
	const struct trace_summary *summary = run->summary;
	int failed = 0;

	failed |= set(root, "mpisim_version", trace_json_string(util_version()));
	failed |= set(root, "command", trace_json_words(run->command));
	failed |= set(root, "cluster", cluster_json(run));
	failed |= set(root, "settings", settings_json(run));
	failed |= set(root, "seed", count(run->seed));
	failed |= set(root, "exit", exit_json(run));
	failed |= set(root, "failure", failure_json(run->failure));
	failed |= set(root, "warnings", strings(run->warnings, run->n_warnings));
	if (run->findings)
		failed |= set(root, "findings", trace_json_findings(run));
	if (run->orders)
		failed |= set(root, "orders", json_deep_copy(run->orders));
	failed |= set(root, "predicted_time_s", trace_json_seconds(summary->end));
	if (run->interval)
		failed |= set(root, "prediction_interval", interval_json(run->interval));
	failed |= set(root, "efficiency", trace_json_number(trace_efficiency(summary)));
	failed |= set(root, "messages", count(run->n_messages));
	failed |= set(root, "bytes", count(run->n_bytes));
	failed |= set(root, "collective_messages", count(summary->n_collective_messages));
	failed |= set(root, "collective_bytes", count(summary->n_collective_bytes));
	failed |= set(root, "collectives", collectives_json(run));
	if (run->n_jobs > 0) {
		failed |= set(root, "utilisation", trace_json_number(trace_utilisation(summary)));
		failed |= set(root, "jobs", trace_json_jobs(run));
	}
	if (run->n_spawned > 0)
		failed |= set(root, "spawned", trace_json_spawned(run));
	if (run->n_connections > 0)
		failed |= set(root, "connections", trace_json_connections(run));
	failed |= set(root, "ranks", ranks_json(run));
	failed |= set(root, "nodes", nodes_json(run));
	failed |= set(root, "phases", phases_json(summary));
	failed |= set(root, "kernels", totals_json(&summary->kernel_names, summary->kernels, KERNELS));
	if (run->devices)
		failed |= set(
		    root, "offloaded",
		    totals_json(&summary->offloaded_names, summary->offloaded, OFFLOADED));
	failed |= set(root, "calls", totals_json(&summary->call_names, summary->calls, CALLS));
	failed |= set(root, "efficiency_curve", curve_json(summary));
	if (run->fabric)
		failed |= set(root, "fabric", trace_fabric_json(run->fabric));
	if (run->real)
		failed |= set(root, "real", trace_real_json(run->real, summary));
	if (run->explanation)
		failed |= set(root, "analysis", analysis_json(run));
	if (run->compared_run)
		failed |= set(root, "compared",
			      trace_compare_json(run->compared_file, run->compared_run, root));
	failed |= set(root, "simulation", simulation_json(run));
	return failed;
}

json_t *trace_json_run(const struct trace_run *run)
{
	json_t *root = json_object();

	if (root && fill(root, run)) {
		json_decref(root);
		return NULL;
	}
	return root;
}

int trace_json_write(const struct trace_run *run, FILE *file, struct util_error *err)
{
	json_t *root = trace_json_run(run);
	int failed;

	if (!root)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for the JSON output");
	errno = 0;
	failed = json_dumpf(root, file, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	json_decref(root);
	if (failed || fputc('\n', file) == EOF || fflush(file))
		return util_error_errno(err, errno ? errno : EIO, "cannot write the JSON output");
	return 0;
}
