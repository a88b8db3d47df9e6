// SPDX-License-Identifier: BSD-3-Clause
#include "traces/brief.h"

#include <string.h>

#include "traces/accelerators.h"
#include "traces/compare/compare.h"
#include "traces/reasons.h"
#include "traces/run.h"
#include "util/units.h"

enum { BAR_CELLS = 12 };
#define SHOWN 0.0005 /* less would be printed as 0.0 % */
#define GOOD 0.8
#define FAIR 0.6

/* Ends that differ in the third digit would look alike as other times are printed. */
void trace_interval_write(const struct trace_prediction *interval, FILE *file)
{
	double median_s = interval->median_s;
	double per_s = median_s >= 1 ? 1 : median_s >= 1e-3 ? 1e3 : 1e6;
	const char *unit = median_s >= 1 ? "s" : median_s >= 1e-3 ? "ms" : "us";
	unsigned long long first = interval->first_seed;

	fprintf(
	    file,
	    "prediction: %.4g %s (%.3g %%: %.4g … %.4g), median of %d runs with seeds %llu … %llu",
	    per_s * median_s, unit, 100 * interval->coverage, per_s * interval->low_s,
	    per_s * interval->high_s, interval->n_runs, first,
	    first + (unsigned long long)interval->n_runs - 1);
}

/* Cores that no rank has, on nodes with ranks: held, and never useful. */
static long long n_idle_cores(const struct trace_run *run)
{
	const struct trace_summary *summary = run->summary;
	long long n = 0, of_rank = run->cpus_per_rank > 0 ? run->cpus_per_rank : 1;

	for (int node = 0; node < summary->n_nodes; node++) {
		long long n_taken = summary->nodes[node].n_ranks * of_rank,
			  cores = summary->cluster->cores;

		n += n_taken > 0 && n_taken < cores ? cores - n_taken : 0;
	}
	return n;
}

/* Of a schedule the ranks of a node may have run one job after the other. */
static void write_shared_cores(const struct trace_run *run, FILE *file)
{
	const struct trace_summary *summary = run->summary;
	int cores = summary->cluster->cores, n = 0, most = 0;

	for (int node = 0; node < summary->n_nodes && run->n_jobs == 0; node++) {
		int n_ranks = summary->nodes[node].n_ranks;

		n += n_ranks > cores;
		most = n_ranks > most ? n_ranks : most;
	}
	if (n > 0)
		fprintf(file, "%d node%s more ranks than cores, up to %d on %d: they share them\n",
			n, n == 1 ? " carries" : "s carry", most, cores);
}

void trace_cores_write(const struct trace_run *run, FILE *file)
{
	const struct trace_summary *summary = run->summary;
	long long n_idle = n_idle_cores(run);
	long long n_nodes = 0;

	for (int node = 0; node < summary->n_nodes; node++)
		n_nodes += summary->nodes[node].n_ranks > 0;
	if (n_idle > 0)
		fprintf(
		    file, "%lld of these %lld cores %s no rank; they count as held all the same\n",
		    n_idle, n_nodes * summary->cluster->cores, n_idle == 1 ? "carries" : "carry");
	write_shared_cores(run, file);
}

static void write_time(const struct trace_run *run, FILE *file)
{
	const char *what = run->outcome == TRACE_INTERRUPTED ? "simulated until interrupted"
			   : run->outcome == TRACE_FAILED    ? "simulated until it failed"
							     : "predicted running time";

	if (run->interval && run->outcome == TRACE_COMPLETED)
		trace_interval_write(run->interval, file);
	else
		fprintf(file, "%s: %s", what,
			util_time_text(sim_time_to_s(run->summary->end)).text);
}

/* Never "0.0 %". */
static void write_percent(double value, FILE *file)
{
	fprintf(file, value < SHOWN ? "%.1g %%" : "%.1f %%", 100 * value);
}

static void write_factor(const char *name, double value, bool on_terminal, FILE *file)
{
	int n = (int)(value * BAR_CELLS + 0.5);

	if (!on_terminal) {
		fprintf(file, "%s ", name);
		write_percent(value, file);
		return;
	}
	fprintf(file, "%s \033[%dm", name, value >= GOOD ? 32 : value >= FAIR ? 33 : 31);
	for (int i = 0; i < BAR_CELLS; i++)
		fputs(i < n ? "█" : "░", file);
	fputs("\033[0m ", file);
	write_percent(value, file);
}

static void write_factors(const struct trace_tree *tree, bool on_terminal, FILE *file)
{
	fputs("efficiency ", file);
	write_percent(tree->parallel, file);
	fputs(" = ", file);
	write_factor("load balance", tree->load_balance, on_terminal, file);
	fputs(on_terminal ? "\n                    × " : " x ", file);
	write_factor("serialization", tree->serialization, on_terminal, file);
	fputs(on_terminal ? "\n                    × " : " x ", file);
	write_factor("transfer", tree->transfer, on_terminal, file);
	fputc('\n', file);
}

static void write_share(const char *name, double part_s, double all_s, bool *is_first, FILE *file)
{
	if (all_s <= 0 || part_s < SHOWN * all_s) /* a run of no time has no shares */
		return;
	fprintf(file, "%s%s %.1f %%", *is_first ? ": " : ", ", name, 100 * part_s / all_s);
	*is_first = false;
}

/* Where the time of the mean rank went. */
static void write_shares(const struct trace_run *run, FILE *file)
{
	struct trace_breakdown mean = trace_mean_breakdown(run->summary);
	double all_s = sim_time_to_s(run->summary->end);
	int n_ranks = run->summary->n_ranks, n_nodes = 0;
	bool is_first = true;

	for (int node = 0; node < run->summary->n_nodes; node++)
		n_nodes += run->summary->nodes[node].n_ranks > 0;
	fprintf(file, "%d rank%s", n_ranks, n_ranks == 1 ? "" : "s");
	if (run->summary->n_spawned > 0)
		fprintf(file, " (%d of them spawned during the run)", run->summary->n_spawned);
	fprintf(file, " on %d node%s of %s", n_nodes, n_nodes == 1 ? "" : "s",
		run->summary->cluster->name ? run->summary->cluster->name : run->cluster_file);
	write_share("computing", mean.useful_s, all_s, &is_first, file);
	write_share("accelerator", mean.accelerator_s, all_s, &is_first, file);
	write_share("CPU stolen by messages", mean.stolen_s, all_s, &is_first, file);
	write_share("CPU shared", mean.shared_s, all_s, &is_first, file);
	write_share("communicating", mean.communicating_s, all_s, &is_first, file);
	write_share("waiting", mean.waiting_s, all_s, &is_first, file);
	write_share("ended before others", mean.ended_s, all_s, &is_first, file);
	write_share("other", mean.other_s + mean.before_s, all_s, &is_first, file);
	fputc('\n', file);
}

static void write_reasons(const struct trace_run *run, FILE *file)
{
	const struct trace_reasons *reasons = run->reasons;

	if (!reasons || run->summary->end == 0 || run->summary->n_ranks == 1)
		return;
	if (reasons->why_not[0])
		fprintf(file, "reasons are not known: %s\n", reasons->why_not);
	else if (reasons->n == 0)
		fprintf(file, "no single cause costs 0.5 %%\n");
	else
		trace_reasons_text(reasons, TRACE_BRIEF_REASONS, false, file);
	if (reasons->n > TRACE_BRIEF_REASONS)
		fprintf(file, "   and %d more\n", reasons->n - TRACE_BRIEF_REASONS);
}

static void write_next(const struct trace_run *run, FILE *file)
{
	const struct trace_reasons *reasons = run->reasons;

	fputs("next: ", file);
	if (run->outcome == TRACE_FAILED && !run->findings)
		fprintf(file, "--verify looks for errors in the use of MPI; ");
	if (reasons && reasons->n > 0 && reasons->list[0].option[0] && run->summary->n_ranks > 1)
		fprintf(file, "%s tries it; ", reasons->list[0].option);
	fprintf(file, "--verbose says more, --html FILE shows it\n");
}

void trace_brief_write(const struct trace_run *run, bool on_terminal, FILE *file)
{
	for (int i = run->n_early_warnings; i < run->n_top_warnings; i++)
		fprintf(file, "warning: %s\n", run->warnings[i]);
	fputs(on_terminal ? "\033[1m" : "", file);
	write_time(run, file);
	fputs(on_terminal ? "\033[0m\n" : "\n", file);
	if (run->reasons && run->reasons->has_tree && run->summary->n_ranks > 1)
		write_factors(&run->reasons->tree, on_terminal, file);
	else if (trace_efficiency(run->summary) >= SHOWN)
		fprintf(file, "dynamic efficiency: %.1f %%\n",
			100 * trace_efficiency(run->summary));
	trace_compare_text(run, true, file);
	write_shares(run, file);
	trace_accelerators_brief(run, file);
	trace_cores_write(run, file);
	trace_spawned_write(run, file);
	write_reasons(run, file);
	for (int i = run->n_top_warnings; i < run->n_warnings; i++)
		fprintf(file, "warning: %s\n", run->warnings[i]);
	write_next(run, file);
}
