// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "mpi/verify/memory.h"
#include "mpi/verify/verify.h"
#include "tools/run/failure.h"
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
	if (strcmp(text, "valgrind") != 0)
		return util_error_set(err, UTIL_EINPUT,
				      "--verify-memory: found \"%s\", wanted valgrind", text);
	out->verify |= MPI_VERIFY_MEMORY;
	out->verify_valgrind = true;
	return 0;
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
	return 0;
}

static const char *const severity_names[] = {
    [MPI_FINDING_ERROR] = "error",
    [MPI_FINDING_WARNING] = "warning",
    [MPI_FINDING_NOTE] = "note",
};

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
	for (int i = 0; i < finding->n_calls; i++)
		out->calls[i] = (struct trace_finding_call){
		    .rank = finding->calls[i].rank,
		    .function = finding->calls[i].function,
		    .site = run_site(run, sites, finding->calls[i].site),
		};
}

void verify_describe(struct run *run, struct verify_report *out)
{
	int n;

	*out = (struct verify_report){.n = 0};
	mpi_verify_end(run->mpi);
	n = mpi_verify_n_findings(run->mpi);
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

static void print_finding(const struct trace_finding *finding, const char *tool, FILE *file)
{
	char time[32];

	fprintf(file, "%s: %s: %s: ", tool, finding->severity, finding->class_name);
	if (finding->n_calls > 0) {
		print_call(&finding->calls[0], file);
		fprintf(file, ": ");
	}
	util_format_time(time, sizeof time, finding->time_s);
	fprintf(file, "%s (at %s of simulated time", finding->found, time);
	if (finding->count > 1)
		fprintf(file, "; %llu times in all", (unsigned long long)finding->count);
	fprintf(file, ")\n");
	for (int i = 1; i < finding->n_calls; i++) {
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
