// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "traces/accelerators.h"
#include "traces/analysis/explain.h"
#include "traces/compare/compare.h"
#include "traces/brief.h"
#include "traces/fabric.h"
#include "traces/reasons.h"
#include "traces/run.h"
#include "util/units.h"

/* Above these, lists are cut or replaced by their extremes, so that a summary fits a screen. */
#define MAX_RANK_ROWS 16
#define MAX_PHASE_ROWS 16
#define MAX_TOTAL_ROWS 8

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* The rows of the breakdown, in the order in which they add up to the running time. */
static const struct breakdown_row {
	const char *title;
	size_t offset;
	bool is_rare; /* shown only when it is not 0 */
} breakdown_rows[] = {
    {"computing", offsetof(struct trace_breakdown, useful_s), false},
    {"accelerator", offsetof(struct trace_breakdown, accelerator_s), true},
    {"CPU stolen by messages", offsetof(struct trace_breakdown, stolen_s), true},
    {"CPU shared with ranks", offsetof(struct trace_breakdown, shared_s), true},
    {"communicating", offsetof(struct trace_breakdown, communicating_s), true},
    {"waiting", offsetof(struct trace_breakdown, waiting_s), true},
    {"before it was spawned", offsetof(struct trace_breakdown, before_s), true},
    {"ended before others", offsetof(struct trace_breakdown, ended_s), true},
    {"sleeping, other", offsetof(struct trace_breakdown, other_s), true},
};

#define N_ROWS (sizeof breakdown_rows / sizeof breakdown_rows[0])

static double row_value(const struct trace_breakdown *breakdown, const struct breakdown_row *row)
{
	return *(const double *)((const char *)breakdown + row->offset);
}

struct extremes {
	double least, most;
	int least_rank, most_rank;
};

static struct extremes row_extremes(const struct trace_summary *summary,
				    const struct breakdown_row *row)
{
	struct extremes found = {0};

	for (int rank = 0; rank < summary->n_ranks; rank++) {
		struct trace_breakdown one = trace_rank_breakdown(summary, rank);
		double value = row_value(&one, row);

		if (rank == 0 || value < found.least) {
			found.least = value;
			found.least_rank = rank;
		}
		if (rank == 0 || value > found.most) {
			found.most = value;
			found.most_rank = rank;
		}
	}
	return found;
}

/* Where the most of a rank would be printed as 0.0 %, there is nothing to tell. */
static bool row_is_shown(const struct breakdown_row *row, double most, double total)
{
	return !row->is_rare || most >= 0.0005 * total;
}

static void write_breakdown(const struct trace_summary *summary, FILE *file)
{
	struct trace_breakdown mean = trace_mean_breakdown(summary);
	double total = sim_time_to_s(summary->end);

	fprintf(file, "\nwhere the time went       per rank    share   least (rank)          most "
		      "(rank)\n");
	for (size_t i = 0; i < N_ROWS; i++) {
		const struct breakdown_row *row = &breakdown_rows[i];
		struct extremes e = row_extremes(summary, row);
		double value = row_value(&mean, row);
		char least[64], most[64];

		if (!row_is_shown(row, e.most, total))
			continue;
		snprintf(least, sizeof least, "%s (%d)", util_time_text(e.least).text,
			 e.least_rank);
		snprintf(most, sizeof most, "%s (%d)", util_time_text(e.most).text, e.most_rank);
		fprintf(file, "  %-22s %10s  %5.1f %%   %-20s  %s\n", row->title,
			util_time_text(value).text, percent(value, total), least, most);
	}
}

static void write_columns_head(const char *first, const char *second, const char *note, FILE *file)
{
	fprintf(file, "\n%6s %6s %11s %11s %11s %11s %11s%s\n", first, second, "computing",
		"CPU stolen", "CPU shared", "communic.", "waiting", note);
}

static void write_columns(int first, int second, const struct trace_breakdown *one, FILE *file)
{
	fprintf(file, "%6d %6d %11s %11s %11s %11s %11s\n", first, second,
		util_time_text(one->useful_s).text, util_time_text(one->stolen_s).text,
		util_time_text(one->shared_s).text, util_time_text(one->communicating_s).text,
		util_time_text(one->waiting_s).text);
}

struct ranked {
	double useful_s;
	int rank;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->useful_s != y->useful_s ? (x->useful_s < y->useful_s ? 1 : -1)
					  : x->rank - y->rank;
}

/* Of many ranks those that compute longest. */
static void write_top_ranks(const struct trace_summary *summary, FILE *file)
{
	struct ranked *order = malloc((size_t)summary->n_ranks * sizeof *order);

	for (int rank = 0; order && rank < summary->n_ranks; rank++)
		order[rank] = (struct ranked){summary->ranks[rank].useful_s, rank};
	if (!order)
		return;
	qsort(order, (size_t)summary->n_ranks, sizeof *order, compare_ranked);
	write_columns_head("rank", "node", "   (longest computing)", file);
	for (int i = 0; i < MAX_TOTAL_ROWS; i++) {
		struct trace_breakdown one = trace_rank_breakdown(summary, order[i].rank);

		write_columns(order[i].rank, summary->ranks[order[i].rank].node, &one, file);
	}
	free(order);
}

static void write_ranks(const struct trace_summary *summary, FILE *file)
{
	if (summary->n_ranks > MAX_RANK_ROWS)
		write_top_ranks(summary, file);
	if (summary->n_ranks < 2 || summary->n_ranks > MAX_RANK_ROWS)
		return;
	write_columns_head("rank", "node", "", file);
	for (int rank = 0; rank < summary->n_ranks; rank++) {
		struct trace_breakdown one = trace_rank_breakdown(summary, rank);

		write_columns(rank, summary->ranks[rank].node, &one, file);
	}
}

static int n_nodes_used(const struct trace_summary *summary)
{
	int n = 0;

	for (int node = 0; node < summary->n_nodes; node++)
		n += summary->nodes[node].n_ranks > 0;
	return n;
}

/* Nodes say more than ranks only where they carry several. */
static void write_nodes(const struct trace_summary *summary, FILE *file)
{
	int n_used = n_nodes_used(summary);

	if (n_used == summary->n_ranks || n_used > MAX_RANK_ROWS)
		return;
	write_columns_head("node", "ranks", "   (sums over its ranks)", file);
	for (int node = 0; node < summary->n_nodes; node++) {
		struct trace_breakdown sum = {0};

		if (summary->nodes[node].n_ranks == 0)
			continue;
		for (int rank = 0; rank < summary->n_ranks; rank++)
			if (summary->ranks[rank].node == node) {
				struct trace_breakdown one = trace_rank_breakdown(summary, rank);

				trace_breakdown_add(&sum, &one);
			}
		write_columns(node, summary->nodes[node].n_ranks, &sum, file);
	}
}

static void write_interval(const struct trace_run *run, FILE *file)
{
	trace_interval_write(run->interval, file);
	fprintf(file, "\nthe run described here has seed %llu",
		(unsigned long long)run->interval->reported_seed);
	if (run->vary_compute > 0 || run->vary_transfer > 0)
		fprintf(file, "; computations vary by up to %.3g %%, messages by up to %.3g %%",
			100 * run->vary_compute, 100 * run->vary_transfer);
	fputc('\n', file);
}

static void write_headline(const struct trace_run *run, FILE *file)
{
	const struct trace_summary *summary = run->summary;
	const char *what = run->outcome == TRACE_INTERRUPTED ? "simulated until interrupted"
			   : run->outcome == TRACE_FAILED    ? "simulated until it failed"
							     : "predicted running time";
	int n_nodes = n_nodes_used(summary), cores = summary->cluster->cores;

	if (run->interval)
		write_interval(run, file);
	fprintf(file, "%s: %s\n", what, util_time_text(sim_time_to_s(summary->end)).text);
	fprintf(file, "dynamic efficiency: %.1f %% (useful computation / cores held x time)\n",
		100 * trace_efficiency(summary));
	fprintf(file, "%d rank%s", summary->n_ranks, summary->n_ranks == 1 ? "" : "s");
	if (summary->n_spawned > 0)
		fprintf(file, " (%d of them spawned during the run)", summary->n_spawned);
	fprintf(file, " on %d node%s with %d core%s each of %s\n", n_nodes, n_nodes == 1 ? "" : "s",
		cores, cores == 1 ? "" : "s",
		summary->cluster->name ? summary->cluster->name : run->cluster_file);
	trace_cores_write(run, file);
}

static void write_messages(const struct trace_run *run, FILE *file)
{
	char volume[32];

	util_format_size(volume, sizeof volume, (double)run->n_bytes);
	fprintf(file, "\nmessages: %llu, %s", (unsigned long long)run->n_messages, volume);
	if (run->summary->n_collective_messages > 0) {
		util_format_size(volume, sizeof volume, (double)run->summary->n_collective_bytes);
		fprintf(file, "; for collectives another %llu, %s",
			(unsigned long long)run->summary->n_collective_messages, volume);
	}
	fputc('\n', file);
}

/* In the order of their first use. */
static void write_collectives(const struct trace_run *run, FILE *file)
{
	enum { MAX_SHOWN = 4 };
	int n_shown = run->n_collectives < MAX_SHOWN ? run->n_collectives : MAX_SHOWN;

	for (int i = 0; i < n_shown; i++) {
		const struct trace_collective *c = &run->collectives[i];

		fprintf(file, "%s%llu %s (%s)", i == 0 ? "collectives: " : ", ",
			(unsigned long long)c->n, c->operation, c->algorithm);
	}
	if (run->n_collectives > n_shown)
		fprintf(file, " and %d more", run->n_collectives - n_shown);
	if (n_shown > 0)
		fputc('\n', file);
}

struct totals_order {
	const struct sim_total *totals;
	const struct trace_names *names;
};

static int compare_totals(const void *a, const void *b, void *context)
{
	const struct totals_order *order = context;
	int i = *(const int *)a, j = *(const int *)b;

	if (order->totals[i].time_s != order->totals[j].time_s)
		return order->totals[i].time_s < order->totals[j].time_s ? 1 : -1;
	return strcmp(order->names->text[i], order->names->text[j]);
}

/* The names with most time first; `unnamed` stands for the empty name. */
static void write_totals(const char *title, const char *unnamed, const char *counted,
			 const struct trace_names *names, const struct sim_total *totals,
			 FILE *file)
{
	struct totals_order by_time = {.totals = totals, .names = names};
	int *order = malloc((size_t)(names->n + 1) * sizeof *order);

	if (!order || names->n == 0) {
		free(order);
		return;
	}
	for (int i = 0; i < names->n; i++)
		order[i] = i;
	qsort_r(order, (size_t)names->n, sizeof *order, compare_totals, &by_time);
	fprintf(file, "\n%-28s %12s %12s %12s\n", title, counted, "time", "mean");
	for (int i = 0; i < names->n && i < MAX_TOTAL_ROWS; i++) {
		const struct sim_total *total = &totals[order[i]];
		const char *name = names->text[order[i]];
		double time = total->time_s;

		fprintf(file, "  %-26.60s %12llu %12s %12s\n", *name ? name : unnamed,
			(unsigned long long)total->n, util_time_text(time).text,
			util_time_text(time / (double)total->n).text);
	}
	if (names->n > MAX_TOTAL_ROWS)
		fprintf(file, "  and %d more\n", names->n - MAX_TOTAL_ROWS);
	free(order);
}

static void write_phase(const char *name, const char *which, double begin_s, double span_s,
			double efficiency, FILE *file)
{
	char title[96];

	snprintf(title, sizeof title, "%.60s %s", name, which);
	fprintf(file, "  %-26s %12s %12s %9.1f %%\n", title,
		begin_s < 0 ? "" : util_time_text(begin_s).text, util_time_text(span_s).text,
		100 * efficiency);
}

static void write_each_phase(const struct trace_summary *summary, FILE *file)
{
	for (int i = 0; i < summary->phases.n; i++) {
		const struct trace_phase *phase = summary->phases.of[i];
		bool is_only = summary->phases_of_name[phase->name].n == 1;
		char index[16] = "";

		if (!is_only)
			snprintf(index, sizeof index, "%d", phase->index);
		write_phase(summary->phase_names.text[phase->name], index,
			    sim_time_to_s(phase->begin), sim_time_to_s(phase->end - phase->begin),
			    trace_phase_efficiency(summary, phase), file);
	}
}

/* One row per name: the mean span, and the efficiency over all windows of that name together. */
static void write_phase_name(const struct trace_summary *summary, int name, FILE *file)
{
	const struct trace_phase_list *list = &summary->phases_of_name[name];
	double span_s = 0, useful_s = 0, held_core_s = 0;
	char which[32];

	for (int i = 0; i < list->n; i++) {
		const struct trace_phase *phase = list->of[i];

		span_s += sim_time_to_s(phase->end - phase->begin);
		useful_s += phase->useful_until[1] - phase->useful_until[0];
		held_core_s += trace_held_core_s(summary, phase->begin, phase->end);
	}
	snprintf(which, sizeof which, "(mean of %d)", list->n);
	if (list->n > 0)
		write_phase(summary->phase_names.text[name], which, -1, span_s / list->n,
			    held_core_s > 0 ? useful_s / held_core_s : 0, file);
}

static void write_phases(const struct trace_summary *summary, FILE *file)
{
	if (summary->phases.n == 0)
		return;
	fprintf(file, "\n%-28s %12s %12s %11s\n", "phase", "begin", "span", "efficiency");
	if (summary->phases.n <= MAX_PHASE_ROWS) {
		write_each_phase(summary, file);
		return;
	}
	for (int name = 0; name < summary->phase_names.n && name < MAX_PHASE_ROWS; name++)
		write_phase_name(summary, name, file);
	if (summary->phase_names.n > MAX_PHASE_ROWS)
		fprintf(file, "  and %d more names\n", summary->phase_names.n - MAX_PHASE_ROWS);
}

static void write_reasons(const struct trace_reasons *reasons, FILE *file)
{
	if (!reasons || (reasons->n == 0 && !reasons->why_not[0]))
		return;
	fprintf(file, "\nwho is to blame\n");
	if (reasons->why_not[0])
		fprintf(file, "  not known: %s\n", reasons->why_not);
	trace_reasons_text(reasons, reasons->n, true, file);
}

void trace_text_write(const struct trace_run *run, FILE *file)
{
	char memory[32];

	for (int i = run->n_early_warnings; i < run->n_top_warnings; i++)
		fprintf(file, "warning: %s\n", run->warnings[i]);
	if (run->n_jobs > 0) {
		if (run->interval)
			write_interval(run, file);
		trace_jobs_write(run, file);
	} else {
		write_headline(run, file);
		write_breakdown(run->summary, file);
		write_ranks(run->summary, file);
		write_nodes(run->summary, file);
		trace_accelerators_text(run, file);
		trace_spawned_write(run, file);
	}
	write_messages(run, file);
	write_collectives(run, file);
	write_totals("kernel, over all ranks", "(not annotated)", "steps",
		     &run->summary->kernel_names, run->summary->kernels, file);
	write_totals("kernel, over all streams", "", "count", &run->summary->offloaded_names,
		     run->summary->offloaded, file);
	write_totals("MPI call, over all ranks", "", "count", &run->summary->call_names,
		     run->summary->calls, file);
	write_phases(run->summary, file);
	if (run->fabric)
		trace_fabric_text(run->fabric, file);
	trace_compare_text(run, false, file);
	write_reasons(run->reasons, file);
	if (run->explanation)
		trace_explanation_text(run->explanation, file);
	util_format_size(memory, sizeof memory, (double)run->peak_memory_B);
	fprintf(file, "\nthe simulation took %s of CPU time, %s of memory; seed %llu\n",
		util_time_text(run->cpu_s).text, memory, (unsigned long long)run->seed);
	for (int i = run->n_top_warnings; i < run->n_warnings; i++)
		fprintf(file, "warning: %s\n", run->warnings[i]);
}
