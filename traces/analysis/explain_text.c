// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/analysis/explain.h"
#include "traces/fabric.h"
#include "util/units.h"

enum { MAX_ROWS = 12, MAX_WINDOWS = 8 };
#define SHOWN 0.0005 /* less would be printed as 0.0 % */

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static void write_tree_row(const char *name, const struct trace_tree *tree, FILE *file)
{
	fprintf(file, "  %-26.40s %7.1f %% = %7.1f %% x %9.1f %% x %6.1f %%\n", name,
		100 * tree->parallel, 100 * tree->load_balance, 100 * tree->serialization,
		100 * tree->transfer);
}

/* Phases of one name: the mean of each term, by time. */
static bool name_tree(struct trace_explanation *e, int name, struct trace_tree *sum)
{
	const struct trace_summary *summary = e->analysis->summary;

	*sum = (struct trace_tree){.time_s = 0};
	for (int i = 0; i < summary->phases.n; i++) {
		struct trace_tree one;

		if (summary->phases.of[i]->name != name || !trace_phase_tree(e, i, &one))
			continue;
		sum->time_s += one.time_s;
		sum->ideal_s += one.ideal_s;
		sum->useful_mean_s += one.useful_mean_s;
		sum->useful_max_s += one.useful_max_s;
	}
	if (sum->time_s <= 0 || sum->ideal_s <= 0 || sum->useful_max_s <= 0)
		return false;
	sum->parallel = sum->useful_mean_s / sum->time_s;
	sum->load_balance = sum->useful_mean_s / sum->useful_max_s;
	sum->serialization = sum->useful_max_s / sum->ideal_s;
	sum->transfer = sum->ideal_s / sum->time_s;
	return true;
}

static void write_factor(const char *format, double factor, FILE *file)
{
	char text[32] = "-";

	if (!isnan(factor))
		snprintf(text, sizeof text, "%.1f %%", 100 * factor);
	fprintf(file, format, text);
}

static void write_over_time(struct trace_explanation *e, FILE *file)
{
	struct trace_tree_window windows[MAX_WINDOWS];
	int n = trace_tree_curve(e, MAX_WINDOWS, windows, NULL);

	for (int i = 0; i < n && n > 1; i++) {
		char name[80];

		snprintf(name, sizeof name, "%s to %s", util_time_text(windows[i].begin_s).text,
			 util_time_text(windows[i].end_s).text);
		fprintf(file, "  %-26s", name);
		write_factor(" %9s =", windows[i].tree.parallel, file);
		write_factor(" %9s x", windows[i].tree.load_balance, file);
		write_factor(" %11s x", windows[i].tree.serialization, file);
		write_factor(" %8s\n", windows[i].tree.transfer, file);
	}
}

static void write_tree(struct trace_explanation *e, FILE *file)
{
	const struct trace_summary *summary = e->analysis->summary;

	fprintf(file, "\n%-28s %9s   %9s   %11s   %8s\n", "why: efficiency", "parallel", "balance",
		"serializ.", "transfer");
	write_tree_row(e->n_jobs > 0 ? "all jobs" : "whole run", &e->tree, file);
	for (int i = 0; i < e->n_jobs && i < MAX_ROWS; i++)
		write_tree_row(e->jobs[i].job->name, &e->jobs[i].tree, file);
	if (e->n_jobs > MAX_ROWS)
		fprintf(file, "  and %d more jobs\n", e->n_jobs - MAX_ROWS);
	for (int name = 0; name < summary->phase_names.n && name < MAX_ROWS; name++) {
		struct trace_tree tree;

		if (name_tree(e, name, &tree))
			write_tree_row(summary->phase_names.text[name], &tree, file);
	}
	if (summary->phase_names.n > MAX_ROWS)
		fprintf(file, "  and %d more phases\n", summary->phase_names.n - MAX_ROWS);
	write_over_time(e, file);
	fprintf(file, "on an ideal network (no latency, endless bandwidth, no CPU cost): %s%s\n",
		e->ideal ? "" : "about ", util_time_text(e->tree.ideal_s).text);
}

static const char *const blame_titles[] = {
    [TRACE_BLAME_COMPUTE] = "computing",
    [TRACE_BLAME_STOLEN] = "CPU stolen by messages",
    [TRACE_BLAME_SHARED] = "CPU shared with ranks",
    [TRACE_BLAME_LATENCY] = "latency",
    [TRACE_BLAME_BANDWIDTH] = "bandwidth",
    [TRACE_BLAME_CONTENTION] = "contention",
    [TRACE_BLAME_SEND_OVERHEAD] = "overhead of sends",
    [TRACE_BLAME_RECV_OVERHEAD] = "overhead of receives",
    [TRACE_BLAME_POLLING] = "polling",
    [TRACE_BLAME_FILE] = "accesses to files",
    [TRACE_BLAME_OTHER] = "sleeping, other",
    [TRACE_BLAME_START] = "starting processes, jobs",
};

static void describe_site(const struct trace_explanation *e, int site, char *buf, size_t size)
{
	const struct trace_sites *sites = &e->analysis->sites;
	const char *text = e->site_texts ? e->site_texts[site] : NULL;

	if (site >= sites->n)
		snprintf(buf, size, "?");
	else if (text)
		snprintf(buf, size, "%s at %s", sites->list[site].function, text);
	else
		snprintf(buf, size, "%s", sites->list[site].function);
}

static void describe_entry(const struct trace_explanation *e, const struct trace_blame_entry *entry,
			   char *buf, size_t size)
{
	if (entry->blame <= TRACE_BLAME_SHARED) {
		const char *kernel = e->analysis->kernels.text[entry->id];

		snprintf(buf, size, "%s", *kernel ? kernel : "(not annotated)");
	} else if (entry->blame < TRACE_BLAME_OTHER) {
		describe_site(e, entry->id, buf, size);
	} else {
		*buf = 0;
	}
}

static void write_path(const char *title, const struct trace_explanation *e, FILE *file)
{
	double all_s = sim_time_to_s(e->path_length);

	fprintf(file, "\n%-28.40s %12s %9s\n", title, "time", "share");
	for (int b = 0; b < TRACE_N_BLAMES; b++)
		if (sim_time_to_s(e->path[b]) >= SHOWN * all_s && e->path[b] > 0)
			fprintf(file, "  %-26s %12s %7.1f %%\n", blame_titles[b],
				util_time_text(sim_time_to_s(e->path[b])).text,
				percent(sim_time_to_s(e->path[b]), all_s));
	fprintf(file, "\n%-28s %12s %9s\n", "most on the critical path", "time", "share");
	for (int i = 0; i < e->n_blame && i < MAX_ROWS; i++) {
		const struct trace_blame_entry *entry = &e->blame[i];
		double time_s = sim_time_to_s(entry->time);
		char where[256];

		describe_entry(e, entry, where, sizeof where);
		fprintf(file, "  %-26s %12s %7.1f %%  %.90s\n", blame_titles[entry->blame],
			util_time_text(time_s).text, percent(time_s, all_s), where);
	}
	if (e->n_blame > MAX_ROWS)
		fprintf(file, "  and %d more\n", e->n_blame - MAX_ROWS);
}

/* --- waiting --- */

struct wait_row {
	enum trace_wait wait;
	int site;
	sim_time_ps time, open_time;
	uint64_t n;
};

static int compare_waits(const void *a, const void *b)
{
	const struct wait_row *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return (int)x->wait - (int)y->wait;
}

static const char *const wait_titles[] = {
    [TRACE_WAIT_LATE_SENDER] = "late sender",
    [TRACE_WAIT_LATE_RECEIVER] = "late receiver",
    [TRACE_WAIT_BARRIER] = "wait at barrier",
    [TRACE_WAIT_COLLECTIVE] = "wait at collective",
};

static int list_waits(const struct trace_explanation *e, struct wait_row rows[])
{
	const struct trace_analysis *analysis = e->analysis;
	int n = 0;

	for (int site = 0; site < analysis->n_waits && site < analysis->sites.n; site++)
		for (int w = 0; w < TRACE_N_WAITS; w++)
			if (analysis->waits[site].n[w] > 0)
				rows[n++] = (struct wait_row){
				    .wait = (enum trace_wait)w,
				    .site = site,
				    .time = analysis->waits[site].time[w],
				    .open_time = analysis->waits[site].open_time[w],
				    .n = analysis->waits[site].n[w],
				};
	qsort(rows, (size_t)n, sizeof *rows, compare_waits);
	return n;
}

static void write_waits(const struct trace_explanation *e, FILE *file)
{
	size_t capacity = (size_t)e->analysis->n_waits * TRACE_N_WAITS + 1;
	struct wait_row *rows = calloc(capacity, sizeof *rows);
	double all_s = sim_time_to_s(e->analysis->summary->end) * e->analysis->n_ranks;
	int n = rows ? list_waits(e, rows) : 0;

	if (n > 0)
		fprintf(file, "\n%-28s %12s %9s %10s\n", "waiting, over all ranks", "time", "share",
			"count");
	for (int i = 0; i < n && i < MAX_ROWS; i++) {
		double time_s = sim_time_to_s(rows[i].time);
		const char *job;
		char where[256];

		describe_site(e, rows[i].site, where, sizeof where);
		job = e->site_jobs && rows[i].site < e->analysis->sites.n
			  ? e->site_jobs[rows[i].site]
			  : NULL;
		fprintf(file, "  %-26s %12s %7.1f %% %10llu  %.80s", wait_titles[rows[i].wait],
			util_time_text(time_s).text, percent(time_s, all_s),
			(unsigned long long)rows[i].n, where);
		if (job)
			fprintf(file, " of %.40s", job);
		if (rows[i].open_time > 0)
			fprintf(file, ", of it not over: %s",
				util_time_text(sim_time_to_s(rows[i].open_time)).text);
		fputc('\n', file);
	}
	if (n > MAX_ROWS)
		fprintf(file, "  and %d more\n", n - MAX_ROWS);
	free(rows);
}

/* --- links --- */

static int compare_links(const void *a, const void *b)
{
	const struct trace_link *x = *(const struct trace_link *const *)a;
	const struct trace_link *y = *(const struct trace_link *const *)b;
	sim_time_ps busy_x = trace_link_busy(x), busy_y = trace_link_busy(y);

	if (busy_x != busy_y)
		return busy_x < busy_y ? 1 : -1;
	return x < y ? -1 : 1;
}

static void write_link(const struct trace_explanation *e, const struct trace_link *link, FILE *file)
{
	const struct trace_links *links = &e->analysis->links;
	int i = (int)(link - links->list);
	double busy_s = sim_time_to_s(trace_link_busy(link));
	char name[48], size[32];

	snprintf(name, sizeof name, "node %d %s", i % links->n_nodes,
		 i < links->n_nodes ? "out" : "in");
	util_format_size(size, sizeof size, link->bytes);
	fprintf(file, "  %-26s %10s %7.1f %% %14.2f %16s\n", name, size,
		percent(busy_s, sim_time_to_s(e->analysis->summary->end)),
		busy_s > 0 ? 1e-12 * link->flow_ps / busy_s : 0,
		util_time_text(1e-12 * link->lost_ps).text);
}

static void write_links(const struct trace_explanation *e, FILE *file)
{
	const struct trace_links *links = &e->analysis->links;
	const struct trace_link **order = calloc(2 * (size_t)links->n_nodes, sizeof *order);
	int n = 0, n_shown = 6;

	for (int i = 0; order && i < 2 * links->n_nodes; i++)
		if (trace_link_busy(&links->list[i]) > 0)
			order[n++] = &links->list[i];
	if (n > 0) {
		qsort(order, (size_t)n, sizeof *order, compare_links);
		fprintf(file, "\n%-28s %10s %9s %14s %16s\n", "busiest links", "volume", "busy",
			"then transfers", "lost to sharing");
	}
	for (int i = 0; i < n && i < n_shown; i++)
		write_link(e, order[i], file);
	if (n > n_shown)
		fprintf(file, "  and %d more\n", n - n_shown);
	free(order);
}

/* Links between switches that cost most, and who sends most over each. */
static void write_loads(const struct trace_explanation *e, FILE *file)
{
	double time_s = sim_time_to_s(e->analysis->summary->end);
	struct trace_fabric *fabric = NULL;

	if (!e->analysis->model ||
	    trace_fabric_create(e->analysis->model, e->analysis->links.n_nodes, time_s, &fabric) ||
	    !fabric)
		return;
	for (int i = 0; i < fabric->n_links && i < TRACE_LOADS_TOLD; i++) {
		const struct trace_fabric_link *link = &fabric->links[i];
		const struct trace_load *loads;
		char site[192];

		if (i == 0)
			fprintf(file, "\nlinks between switches, and who sends most over them\n");
		if (trace_loads_of(&e->analysis->loads, link->link, &loads) == 0)
			continue;
		describe_site(e, loads->site, site, sizeof site);
		fprintf(file, "  %-44s %5.1f %% %s%s%s\n", link->name,
			100 * loads->bytes / link->bytes, site, e->site_jobs ? ", job " : "",
			e->site_jobs && loads->site < e->analysis->sites.n
			    ? e->site_jobs[loads->site]
			    : "");
	}
	trace_fabric_destroy(fabric);
}

/* --- what would help --- */

static void write_gain(const char *change, double gain_s, double all_s, FILE *file)
{
	if (gain_s >= SHOWN * all_s)
		fprintf(file, "  %-26s %12s %7.1f %%\n", change, util_time_text(gain_s).text,
			percent(gain_s, all_s));
}

static void write_gains(const struct trace_explanation *e, FILE *file)
{
	const struct cluster *cluster = e->analysis->cluster;
	const struct trace_derivatives *d = &e->derivatives;
	double all_s = sim_time_to_s(e->path_length);
	double bandwidth_s = d->inverse_bandwidth / cluster->network.bandwidth_Bps;
	double overhead_s =
	    sim_time_to_s(e->path[TRACE_BLAME_SEND_OVERHEAD] + e->path[TRACE_BLAME_RECV_OVERHEAD]);

	fprintf(file, "\n%-28s %12s %9s\n", "10 % less would save about", "time", "share");
	write_gain("latency", 0.1 * d->latency * cluster->network.latency_s, all_s, file);
	write_gain("time per byte", 0.1 * bandwidth_s, all_s, file);
	write_gain("overhead per message", 0.1 * overhead_s, all_s, file);
	for (int i = 0, shown = 0; i < e->n_blame && shown < 5; i++) {
		const char *kernel;

		if (e->blame[i].blame != TRACE_BLAME_COMPUTE)
			continue;
		kernel = e->analysis->kernels.text[e->blame[i].id];
		write_gain(*kernel ? kernel : "(not annotated)",
			   0.1 * sim_time_to_s(e->blame[i].time), all_s, file);
		shown++;
	}
}

static void write_job(const struct trace_explanation *job, FILE *file)
{
	char title[64];

	snprintf(title, sizeof title, "critical path of %.40s", job->job->name);
	write_path(title, job, file);
}

void trace_explanation_text(struct trace_explanation *explanation, FILE *file)
{
	write_tree(explanation, file);
	if (explanation->n_jobs == 0) {
		write_path("critical path", explanation, file);
		write_gains(explanation, file);
	}
	for (int i = 0; i < explanation->n_jobs && i < MAX_ROWS; i++)
		write_job(&explanation->jobs[i], file);
	write_waits(explanation, file);
	write_links(explanation, file);
	write_loads(explanation, file);
	if (explanation->analysis->out_of_memory)
		fprintf(file, "memory ran out: some of these sums are too small\n");
}
