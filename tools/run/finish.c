// SPDX-License-Identifier: BSD-3-Clause
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "mpi/coll/algorithms.h"
#include "mpi/coll/uses.h"
#include "util/outfile.h"
#include "util/units.h"
#include "util/yaml.h"
#include "pdexec/blas.h"
#include "pdexec/store.h"
#include "tools/run/failure.h"
#include "tools/run/reasons.h"
#include "tools/run/run.h"
#include "traces/brief.h"
#include "traces/fabric.h"
#include "traces/page/page.h"
#include "tools/run/schedule.h"
#include "tools/orders/explore.h"
#include "tools/verify/verify.h"

/* The calls that ranks are in when a run ends early: their time so far counts as waiting, for
 * nothing ended it. A rank that still computes has not begun the call that ends its step. */
static void close_open_calls(struct run *run)
{
	struct pd_world *world = run->world;

	for (int rank = 0; rank < world->n_ranks; rank++) {
		const struct pd_rank *pd = &world->ranks[rank];
		sim_time_ps begin = run->mpi->ranks[rank].call_begin;
		struct sim_record_call record = {
		    .rank = rank,
		    .function = pd->function,
		    .site = pd->site,
		    .begin = begin,
		    .end = world->engine.now,
		    .waiting = world->engine.now - begin,
		};

		if (!pd->has_ended && !pd->is_computing && pd->function &&
		    strncmp(pd->function, "MPI_", 4) == 0) {
			run_waits_explain(run, &record);
			sim_tell_call(&world->observers, &record);
		}
	}
}

static void measure_simulation(const struct run *run, struct trace_run *out)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	out->cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		     1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	out->wall_s = run_host_time_s() - run->begin_s;
	out->jumped_s = sim_time_to_s(run->world->engine.jumped);
	out->peak_memory_B = (int64_t)usage.ru_maxrss * 1024;
}

/* The algorithms that collectives were done with; the caller frees the list, which is NULL without
 * memory. */
static void describe_collectives(const struct run *run, struct trace_run *out)
{
	const struct mpi_coll_uses *uses = run->mpi->coll_uses;
	struct trace_collective *list = calloc((size_t)uses->n + 1, sizeof *list);

	for (int i = 0; list && i < uses->n; i++)
		list[i] = (struct trace_collective){
		    .operation = mpi_coll_kind_name(uses->list[i].kind),
		    .algorithm = uses->list[i].algorithm->name,
		    .n = uses->list[i].n,
		};
	out->collectives = list;
	out->n_collectives = list ? uses->n : 0;
}

static int *exit_codes(const struct pd_world *world)
{
	int *codes = calloc((size_t)world->n_ranks, sizeof *codes);

	for (int rank = 0; codes && rank < world->n_ranks; rank++)
		codes[rank] = world->ranks[rank].exit_code;
	return codes;
}

/* NULL: a star, or no memory for it. */
static struct trace_fabric *fabric_of(const struct run *run)
{
	struct trace_fabric *fabric = NULL;

	trace_fabric_create(run->world->model, run->cluster->n_nodes,
			    sim_time_to_s(run->summary->end), &fabric);
	return fabric;
}

static void describe_settings(const struct run *run, struct trace_run *out)
{
	const struct run_options *o = &run->options;
	const char *of_cluster = run->cluster->placement ? run->cluster->placement : "block";

	out->cluster_file = o->cluster;
	out->placement = o->placement ? o->placement : run->schedule ? "by job" : of_cluster;
	out->cpus_per_rank = o->cpus_per_rank;
	out->compute_mode = run_mode_name(o->mode);
	out->overrides = o->overrides;
	out->n_overrides = o->n_overrides;
	out->scales = o->scales;
	out->n_scales = o->n_scales;
	out->vary_compute = o->vary_compute;
	out->vary_kernels = o->vary_kernels;
	out->vary_cluster = o->vary_cluster;
	out->interval = run->interval.n_runs > 0 ? &run->interval : NULL;
	out->blas_model = o->blas_model;
	out->vary_transfer = o->vary_transfer;
	out->first_n = o->first_n;
	out->no_alloc = o->no_alloc;
	out->fabric = fabric_of(run);
	out->devices = run->world->devices;
	out->command = run->schedule ? run->schedule_command : o->program;
	out->seed = (uint64_t)o->seed;
}

static void describe_findings(struct run *run, struct verify_report *findings,
			      struct trace_run *out)
{
	if (run->orders)
		orders_report(run, run->orders);
	verify_describe(run, findings);
	out->orders = run->orders;
	if (!run->options.verify)
		return;
	out->findings = findings->findings;
	out->n_findings = findings->n;
	if (out->exit_status == 0 && findings->n_counting > 0 && !run->options.verify_warn)
		out->exit_status = 1;
}

static void describe_outcome(struct run *run, int n_bad_exits, struct verify_report *findings,
			     struct trace_run *out)
{
	if (run->signal)
		out->outcome = TRACE_INTERRUPTED;
	else if (run->world->failure.kind != PD_FAILURE_NONE)
		out->outcome = TRACE_FAILED;
	else
		out->outcome = n_bad_exits > 0 ? TRACE_BAD_EXIT : TRACE_COMPLETED;
	out->exit_status = run->signal			     ? 128 + run->signal
			   : out->outcome == TRACE_COMPLETED ? 0
							     : 1;
	describe_findings(run, findings, out);
	describe_collectives(run, out);
	out->summary = run->summary;
	out->real = run->real;
	out->compared_run = run->compared;
	out->compared_file = run->options.compare;
	out->n_messages = run->mpi->n_messages;
	out->n_bytes = run->mpi->n_bytes;
}

/* Why the run ended early or badly, in lines; NULL when it did not. The caller frees it. */
static char *describe_early_end(const struct run *run, const struct run_failure *failure,
				const struct trace_run *description)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file;

	if (!run->signal && !failure && description->n_early_warnings == 0)
		return NULL;
	file = open_memstream(&text, &size);
	if (!file)
		return NULL;
	if (run->signal)
		fprintf(file, "%s: interrupted (%s); this is what is known so far\n", run->tool,
			strsignal(run->signal));
	if (run->signal)
		run_interrupted_print(run, file);
	if (failure)
		run_failure_print(failure, run->tool, file);
	for (int i = 0; i < description->n_early_warnings; i++)
		fprintf(file, "%s: %s\n", run->tool, description->warnings[i]);
	fclose(file);
	return text;
}

static void print_summary(const struct run *run, const struct trace_run *description)
{
	const struct run_options *o = &run->options;
	const char *terminal = getenv("TERM");
	bool on_terminal = isatty(fileno(run->console)) && !getenv("NO_COLOR") && terminal &&
			   strcmp(terminal, "dumb") != 0;

	fputc('\n', run->console);
	if (o->verbose || run->schedule)
		trace_text_write(description, run->console);
	else
		trace_brief_write(description, on_terminal, run->console);
}

/* Returns 2 when it could not be written, but not because nobody reads any more; else 0. */
static int print(const struct run *run, const struct trace_run *description,
		 const struct verify_report *findings)
{
	FILE *file = run->console;

	errno = 0;
	if (description->early_end)
		fputs(description->early_end, file);
	verify_print(findings, run->tool, file);
	if (!run->options.quiet)
		print_summary(run, description);
	for (int i = description->n_early_warnings;
	     i < description->n_warnings && run->options.quiet; i++)
		fprintf(file, "%s: warning: %s\n", run->tool, description->warnings[i]);
	return (fflush(file) || ferror(file)) && errno != EPIPE ? 2 : 0;
}

static int write_report(const struct run *run, const struct trace_run *description,
			struct util_error *err)
{
	const char *dir = run->options.report;
	enum trace_report_pictures pictures;
	int failed = trace_report_write(description, run->detail, dir, &pictures, err);

	if (failed)
		return failed;
	if (pictures == TRACE_PICTURES_NO_GNUPLOT)
		fprintf(run->console,
			"%s: warning: gnuplot is not installed, so %s has tables but no "
			"pictures; with gnuplot, draw them there "
			"with: for f in *.gp; do gnuplot $f; done\n",
			run->tool, dir);
	else if (pictures == TRACE_PICTURES_FAILED)
		fprintf(run->console,
			"%s: warning: gnuplot failed, as %s/gnuplot.log says, or the disk is full: "
			"pictures are missing\n",
			run->tool, dir);
	if (!run->options.quiet)
		fprintf(run->console, "report: %s/index.html\n", dir);
	return 0;
}

static int write_json(const void *description, FILE *file, struct util_error *err)
{
	return trace_json_write(description, file, err);
}

/* The predicted time in seconds alone. */
static int write_time(const void *description, FILE *file, struct util_error *err)
{
	const struct trace_run *run = description;

	/* a run that failed leaves no time behind, and none of a run before */
	if (run->exit_status == 0)
		fprintf(file, "%.17g\n", sim_time_to_s(run->summary->end));
	return fflush(file) ? util_error_errno(err, errno, "cannot write the predicted time") : 0;
}

static int write_page(const void *page, FILE *file, struct util_error *err)
{
	return trace_page_write(page, file, err);
}

/* Where the calls of the timeline are: [detail->sites.n]; NULL: out of memory. */
static const char **site_lines(const struct run *run, struct run_strings *texts)
{
	const struct trace_sites *sites = &run->detail->sites;
	const char **lines = calloc((size_t)sites->n + 1, sizeof *lines);

	for (int i = 0; lines && i < sites->n; i++)
		lines[i] = run_site(run, texts, sites->list[i].address);
	return lines;
}

static int write_html(const struct run *run, const struct trace_run *description,
		      struct util_error *err)
{
	struct trace_page page = {.run = description, .detail = run->detail};
	struct run_strings sites = {.items = NULL};
	const char **lines = site_lines(run, &sites);
	char *text = NULL;
	size_t length_B = 0;
	int failed;

	/* it was readable when the run began; the page says no more about the cluster if it is gone
	 */
	if (!util_yaml_read_file(run->options.cluster, "the cluster file", &text, &length_B, NULL))
		page.cluster_text = text;
	page.site_texts = lines;
	failed =
	    run->options.what_if ? run_whatif_load(run->options.what_if, &page.what_if, err) : 0;
	if (!failed)
		failed = util_outfile_write(run->options.html, write_page, &page, err);
	json_decref(page.what_if);
	free((void *)(uintptr_t)lines);
	run_strings_finish(&sites);
	free(text);
	return failed;
}

static int write_graph_to(const void *graph, FILE *file, struct util_error *err)
{
	return trace_graph_write(graph, file, err);
}

static int write_graph(const struct run *run, const struct trace_run *description,
		       struct util_error *err)
{
	struct trace_graph_run of = {
	    .graph = run->graph, .world = run->world, .command = description->command};
	uint64_t n_left_out = trace_graph_n_left_out(run->graph);

	if (n_left_out > 0)
		fprintf(run->console,
			"%s: warning: --graph: the run has more calls than a graph can show: it "
			"has the "
			"first %d, %llu are left out\n",
			run->tool, TRACE_GRAPH_MAX_CALLS, (unsigned long long)n_left_out);
	if (trace_graph_format_of(run->options.graph, &of.format, err))
		return err->code;
	return util_outfile_write(run->options.graph, write_graph_to, &of, err);
}

static int write_results(const struct run *run, const struct trace_run *description)
{
	struct util_error err;
	int status = description->exit_status;

	if (run->options.json &&
	    util_outfile_write(run->options.json, write_json, description, &err)) {
		fprintf(run->console, "%s: %s\n", run->tool, err.text);
		status = status ? status : 2;
	}
	if (run->exporter && trace_export_write(run->exporter, &err)) {
		fprintf(run->console, "%s: --trace-out: %s\n", run->tool, err.text);
		status = status ? status : 2;
	}
	if (run->options.time_only &&
	    util_outfile_write(run->options.time_only, write_time, description, &err)) {
		fprintf(run->console, "%s: --time-only: %s\n", run->tool, err.text);
		status = status ? status : 2;
	}
	if (run->options.html && write_html(run, description, &err)) {
		fprintf(run->console, "%s: --html: %s\n", run->tool, err.text);
		status = status ? status : 2;
	}
	if (run->graph && write_graph(run, description, &err)) {
		fprintf(run->console, "%s: --graph: %s\n", run->tool, err.text);
		status = status ? status : 2;
	}
	if (run->options.report && write_report(run, description, &err)) {
		fprintf(run->console, "%s: --report: %s\n", run->tool, err.text);
		status = status ? status : 2;
	}
	fflush(run->console);
	return status;
}

/* The program may have chosen a locale for the process; what we write is the same everywhere. */
static locale_t use_c_locale(void)
{
	locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	if (c_locale)
		uselocale(c_locale);
	return c_locale;
}

static void leave_c_locale(locale_t c_locale)
{
	if (!c_locale)
		return;
	uselocale(LC_GLOBAL_LOCALE);
	freelocale(c_locale);
}

static void find_reasons(struct run *run, struct trace_reasons *out, struct trace_run *description)
{
	int signal = run->signal;

	if (!run_reasons_are_wanted(run) || !run_ended_well(run))
		return;
	run_reasons_find(run, out);
	run->signal = signal; /* the run itself ended before */
	description->reasons = out;
}

static void release_explanation(struct trace_explanation *explanation)
{
	trace_explanation_finish(explanation);
	free((void *)(uintptr_t)explanation->site_texts);
	free((void *)(uintptr_t)explanation->site_jobs);
}

int run_finish(struct run *run)
{
	const struct run *told = run->told ? run->told : run;
	struct run_strings warnings = {.items = NULL};
	struct run_failure failure = {.blocked = NULL};
	struct trace_run description = {.cluster_file = NULL};
	struct trace_explanation explanation = {.blame = NULL};
	struct trace_reasons reasons = {.n = 0};
	struct run_strings sites = {.items = NULL};
	locale_t c_locale = use_c_locale();
	/* whoever reads the summary through a pipe may stop early: files are written all the same
	 */
	void (*on_pipe)(int) = signal(SIGPIPE, SIG_IGN);
	int *codes = exit_codes(run->world);
	struct trace_job *spawned = run_spawned_describe(run, &description.n_spawned);
	struct verify_report findings;
	char *early_end;
	int n_bad_exits, status, lost;

	close_open_calls(run);
	trace_summary_close(run->summary, run->world->engine.now);
	run_explain(run, &sites, &explanation, &description);
	find_reasons(run, &reasons, &description);
	n_bad_exits = run_warn_exit_codes(told, &warnings);
	description.n_early_warnings = warnings.n;
	run_warn_missing(told, &warnings);
	description.n_top_warnings = warnings.n;
	run_warn(told, &warnings);
	describe_settings(run, &description);
	describe_outcome(run, n_bad_exits, &findings, &description);
	if (description.outcome == TRACE_FAILED) {
		run_failure_describe(run, &failure);
		description.failure = &failure.description;
	}
	description.exit_codes = codes;
	description.spawned = spawned;
	run_connections_describe(run, &description);
	description.warnings = (const char *const *)warnings.items;
	description.n_warnings = warnings.n;
	measure_simulation(run, &description);
	early_end = describe_early_end(run, description.failure ? &failure : NULL, &description);
	description.early_end = early_end;
	lost = print(run, &description, &findings);
	status = write_results(run, &description);
	status = status ? status : lost;
	verify_report_finish(&findings);
	trace_reasons_finish(&reasons);
	release_explanation(&explanation);
	trace_fabric_destroy((void *)(uintptr_t)description.fabric);
	run_strings_finish(&sites);
	run_failure_finish(&failure);
	run_strings_finish(&warnings);
	free(early_end);
	free((void *)(uintptr_t)description.collectives);
	free(codes);
	free(spawned);
	signal(SIGPIPE, on_pipe);
	leave_c_locale(c_locale);
	return status;
}
