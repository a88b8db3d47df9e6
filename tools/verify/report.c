// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "mpi/verify/impact.h"
#include "mpi/verify/internal.h"
#include "mpi/verify/memory.h"
#include "mpi/verify/verify.h"
#include "tools/run/failure.h"
#include "tools/verify/impact.h"
#include "tools/verify/price.h"
#include "tools/verify/valgrind.h"
#include "tools/verify/verify.h"
#include "util/units.h"

static const struct {
	const char *name;
	unsigned part;
} parts[] = {
    {"matching", MPI_VERIFY_MATCHING}, {"deadlock", MPI_VERIFY_DEADLOCK},
    {"orders", MPI_VERIFY_ORDERS},     {"leaks", MPI_VERIFY_LEAKS},
    {"memory", MPI_VERIFY_MEMORY},
};

static unsigned part_of(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (strlen(parts[i].name) == length && strncmp(parts[i].name, name, length) == 0)
			return parts[i].part;
	return 0;
}

int verify_parts_parse(const char *text, unsigned *out, struct util_error *err)
{
	*out |= text ? 0 : MPI_VERIFY_DEFAULT; /* --verify-memory may have begun it */
	while (text) {
		size_t length = strcspn(text, ",");
		unsigned part = part_of(text, length);

		if (!part)
			return util_error_set(err, UTIL_EINPUT,
					      "--verify: found \"%.*s\", wanted some of matching, "
					      "deadlock, orders, leaks, memory, parted by commas",
					      (int)length, text);
		*out |= part;
		text = text[length] ? text + length + 1 : NULL;
	}
	return 0;
}

int verify_memory_parse(const char *text, struct run_options *out, struct util_error *err)
{
	out->verify |= MPI_VERIFY_MEMORY;
	while (text) {
		size_t length = strcspn(text, ",");

		if (length == strlen("valgrind") && strncmp(text, "valgrind", length) == 0)
			out->verify_valgrind = true;
		else if (length == strlen("unread") && strncmp(text, "unread", length) == 0)
			out->verify_unread = true;
		else if (length == strlen("impact") && strncmp(text, "impact", length) == 0)
			out->verify_impact = true;
		else if (length == strlen("strict") && strncmp(text, "strict", length) == 0)
			out->verify_strict = true;
		else
			return util_error_set(err, UTIL_EINPUT,
					      "--verify-memory: found \"%.*s\", wanted valgrind, "
					      "unread, impact or strict",
					      (int)length, text);
		text = text[length] ? text + length + 1 : NULL;
	}
	return 0;
}

bool verify_repeats(const struct run *run)
{
	const struct run_options *o = &run->options;

	/* what is measured differs by more than a price */
	return o->verify_impact || (o->verify_unread && o->mode == PD_COMPUTE_MODELLED);
}

int verify_create(struct run *run, struct util_error *err)
{
	const struct run_options *o = &run->options;

	if (o->verify_suppress &&
	    verify_suppressions_load(o->verify_suppress, &run->suppressions, err))
		return util_error_prepend(err, "--verify-suppress");
	if (mpi_verify_create(run->mpi, o->verify))
		return util_error_set(err, UTIL_ENOMEM, "--verify: out of memory");
	if (o->verify_valgrind && mpi_memory_use_valgrind(run->mpi, VERIFY_VALGRIND_FD))
		return util_error_set(err, UTIL_ENOMEM, "--verify-memory: out of memory");
	if (o->verify_strict)
		mpi_memory_use_strict(run->mpi);
	if (o->verify_impact && mpi_impact_create(run->mpi->verify->memory))
		return util_error_set(err, UTIL_ENOMEM, "--verify-memory: out of memory");
	if (o->verify_unread && mpi_memory_use_unread(run->mpi))
		return util_error_set(err, UTIL_ENOMEM, "--verify-memory: out of memory");
	return 0;
}

static const char *const severity_names[] = {
    [MPI_FINDING_ERROR] = "error",
    [MPI_FINDING_WARNING] = "warning",
    [MPI_FINDING_NOTE] = "note",
};

/* What ended the run, whose report says it already. */
static bool is_failure(const struct pd_failure *failure, const struct mpi_finding *finding)
{
	if (failure->kind == PD_FAILURE_NONE)
		return false;
	if (failure->kind == PD_FAILURE_DEADLOCK && finding->is_of_orders)
		return strcmp(finding->class_name, "deadlock") == 0;
	return failure->text[0] &&
	       strncmp(finding->found, failure->text, strlen(failure->text)) == 0;
}

static void describe(const struct run *run, const struct mpi_finding *finding,
		     struct run_strings *sites, struct trace_finding *out)
{
	*out = (struct trace_finding){
	    .class_name = finding->class_name,
	    .severity = severity_names[finding->severity],
	    .n_calls = finding->n_calls,
	    .time_s = sim_time_to_s(finding->time),
	    .found = finding->found,
	    .wanted = finding->wanted,
	    .why = finding->why,
	    .decisions = finding->decisions,
	    .count = finding->count,
	};
	out->is_timeless = finding->is_of_orders;
	out->is_failure = is_failure(&run->world->failure, finding);
	for (int i = 0; i < finding->n_calls; i++)
		out->calls[i] = (struct trace_finding_call){
		    .rank = finding->calls[i].rank,
		    .function = finding->calls[i].function,
		    .site = run_site(run, sites, finding->calls[i].site),
		};
}

/* All places are looked up at once. */
static void describe_sites(const struct run *run)
{
	int n_findings = mpi_verify_n_findings(run->mpi);
	const void **sites = calloc((size_t)n_findings + 1, MPI_FINDING_MAX_CALLS * sizeof *sites);
	size_t n = 0;

	for (int i = 0; sites && i < n_findings; i++) {
		const struct mpi_finding *finding = mpi_verify_finding(run->mpi, i);

		for (int k = 0; k < finding->n_calls; k++)
			sites[n++] = finding->calls[k].site;
	}
	if (sites)
		pd_describe_soon(run->world, sites, n);
	free(sites);
}

void verify_describe(struct run *run, struct verify_report *out)
{
	int n;

	*out = (struct verify_report){.n = 0};
	if (run->options.verify_unread)
		verify_price_ask(run->aside, run);
	if (run->options.verify_impact)
		verify_impact_ask(run->aside, run);
	mpi_verify_end(run->mpi);
	n = mpi_verify_n_findings(run->mpi);
	describe_sites(run);
	out->findings = calloc((size_t)n + 1, sizeof *out->findings);
	for (int i = 0; out->findings && i < n; i++) {
		const struct mpi_finding *finding = mpi_verify_finding(run->mpi, i);

		describe(run, finding, &out->sites, &out->findings[out->n]);
		if (verify_is_suppressed(run->suppressions, &out->findings[out->n])) {
			out->n_suppressed++;
			continue;
		}
		out->n_counting += finding->severity != MPI_FINDING_NOTE;
		out->n++;
	}
}

static void print_call(const struct trace_finding_call *call, FILE *file)
{
	fprintf(file, "rank %d: %s%s%s", call->rank,
		call->function ? call->function : "the program's own code",
		call->site ? " at " : "", call->site ? call->site : "");
}

/* What was found, when and how often. */
static void print_found(const struct trace_finding *finding, FILE *file)
{
	char time[32], count[48] = "";

	util_format_time(time, sizeof time, finding->time_s);
	if (finding->count > 1)
		snprintf(count, sizeof count, "%llu times in all",
			 (unsigned long long)finding->count);
	if (finding->is_failure)
		fprintf(file, "it ends the run, as told above");
	else
		fprintf(file, "%s", finding->found);
	if (!finding->is_timeless && !finding->is_failure)
		fprintf(file, " (at %s of simulated time%s%s)", time, *count ? "; " : "", count);
	else if (*count)
		fprintf(file, " (%s)", count);
	fputc('\n', file);
}

static void print_finding(const struct trace_finding *finding, const char *tool, FILE *file)
{
	fprintf(file, "%s: %s: %s: ", tool, finding->severity, finding->class_name);
	if (finding->n_calls > 0) {
		print_call(&finding->calls[0], file);
		fprintf(file, ": ");
	}
	print_found(finding, file);
	for (int i = 1; i < finding->n_calls && !finding->is_failure; i++) {
		fprintf(file, "  with ");
		print_call(&finding->calls[i], file);
		fputc('\n', file);
	}
	if (finding->wanted)
		fprintf(file, "  wanted: %s\n", finding->wanted);
	if (finding->why)
		fprintf(file, "  why it matters: %s\n", finding->why);
	if (finding->decisions)
		fprintf(file, "  again: --decisions %s\n", finding->decisions);
}

void verify_print(const struct verify_report *report, const char *tool, FILE *file)
{
	for (int i = 0; i < report->n; i++)
		print_finding(&report->findings[i], tool, file);
	if (report->n_suppressed > 0)
		fprintf(file, "%s: %d more finding%s suppressed\n", tool, report->n_suppressed,
			report->n_suppressed == 1 ? " is" : "s are");
}

void verify_report_finish(struct verify_report *report)
{
	free(report->findings);
	run_strings_finish(&report->sites);
}
