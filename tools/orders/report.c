// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/verify/verify.h"
#include "pdexec/image.h"
#include "tools/orders/explore.h"

static const char *text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static long long number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static const json_t *view_of(const json_t *views, const char *name)
{
	for (size_t i = 0; i < json_array_size(views); i++)
		if (strcmp(text(json_array_get(views, i), "view"), name) == 0)
			return json_array_get(views, i);
	return NULL;
}

static void print_view(const struct run *run, const json_t *view)
{
	long long n_maps = number(view, "match_maps");

	if (!run->options.quiet)
		fprintf(run->console,
			"%s: orders, %s view: %lld complete match map%s, %lld result%s, %lld "
			"deadlock%s, %lld "
			"error%s; %lld execution%s, %lld state%s, %lld choice%s, %lld merged\n",
			run->tool, text(view, "view"), n_maps, n_maps == 1 ? "" : "s",
			number(view, "results"), number(view, "results") == 1 ? "" : "s",
			number(view, "deadlocks"), number(view, "deadlocks") == 1 ? "" : "s",
			number(view, "errors"), number(view, "errors") == 1 ? "" : "s",
			number(view, "executions"), number(view, "executions") == 1 ? "" : "s",
			number(view, "states"), number(view, "states") == 1 ? "" : "s",
			number(view, "choices"), number(view, "choices") == 1 ? "" : "s",
			number(view, "merged"));
	if (text(view, "incomplete"))
		fprintf(run->console,
			"%s: orders, %s view: incomplete: %s; %lld orders were begun and not "
			"followed\n",
			run->tool, text(view, "view"), text(view, "incomplete"),
			number(view, "left"));
}

static void take_calls(const struct run *run, const json_t *calls, struct mpi_finding *out)
{
	for (size_t i = 0; i < json_array_size(calls) && out->n_calls < MPI_FINDING_MAX_CALLS;
	     i++) {
		const json_t *call = json_array_get(calls, i);
		const char *function = text(call, "function");
		int rank = (int)number(call, "rank");
		uint64_t place = (uint64_t)number(call, "place");
		const void *site;

		if (rank < 0 || rank >= run->world->n_ranks)
			continue;
		site = place ? pd_rank_base(&run->world->ranks[rank]) + place : NULL;
		out->calls[out->n_calls++] = (struct mpi_finding_call){
		    .rank = rank,
		    .function = function ? function : mpi_verify_sender_at(run->mpi, site),
		    .site = site,
		};
	}
}

static enum mpi_finding_severity severity_of(const char *name)
{
	return strcmp(name, "note") == 0      ? MPI_FINDING_NOTE
	       : strcmp(name, "warning") == 0 ? MPI_FINDING_WARNING
					      : MPI_FINDING_ERROR;
}

/* Whether a finding that is told names the file. */
static bool is_named(const struct run *run, const char *path)
{
	for (int i = 0; i < mpi_verify_n_findings(run->mpi); i++) {
		const char *named = mpi_verify_finding(run->mpi, i)->decisions;

		if (named && strstr(named, path))
			return true;
	}
	return false;
}

/* What was written for findings that are not told. */
static void remove_files(const struct run *run, const json_t *view)
{
	const json_t *findings = json_object_get(view, "findings");

	for (size_t i = 0; i < json_array_size(findings); i++) {
		const char *named = text(json_array_get(findings, i), "decisions");
		char *copy = named ? strdup(named) : NULL, *rest = NULL;

		for (char *path = copy ? strtok_r(copy, ", ", &rest) : NULL; path;
		     path = strtok_r(NULL, ", ", &rest))
			if (!is_named(run, path))
				unlink(path);
		free(copy);
	}
}

static void report(struct run *run, const json_t *entry, const char *class_name, const char *why)
{
	struct mpi_finding finding = {
	    .class_name = class_name,
	    .severity = severity_of(text(entry, "severity")),
	    .is_of_orders = true,
	    .found = text(entry, "found"),
	    .why = why,
	    .decisions = text(entry, "decisions"),
	    .count = (uint64_t)number(entry, "count"),
	};

	take_calls(run, json_object_get(entry, "calls"), &finding);
	mpi_verify_report(run->mpi, &finding);
}

static bool has(const json_t *view, const char *class_name)
{
	const json_t *findings = json_object_get(view, "findings");

	for (size_t i = 0; i < json_array_size(findings); i++)
		if (strcmp(text(json_array_get(findings, i), "class"), class_name) == 0)
			return true;
	return false;
}

/* Nothing was chosen before it: it is so in every order, and the run that is shown ends so, too. */
static bool is_certain(const json_t *entry)
{
	const json_t *n = json_object_get(entry, "n_decisions");

	return n && json_integer_value(n) == 0;
}

/*
 * The strict view adds what the loose one does not have: there it is certain to be found in some
 * library. What both have is told once, and what `--verify=deadlock` tells of not here.
 */
static void report_one(struct run *run, const json_t *entry, const json_t *loose)
{
	const char *class_name = text(entry, "class"), *why = text(entry, "why");
	bool is_deadlock = strcmp(class_name, "deadlock-in-order") == 0;

	if (loose && (has(loose, class_name) ||
		      (strcmp(class_name, "harmless-wildcard") == 0 && has(loose, "message-race"))))
		return;
	if (is_certain(entry) &&
	    (mpi_verify_wants(run->mpi, MPI_VERIFY_DEADLOCK) || (!loose && !is_deadlock)))
		return;
	if (loose && is_deadlock && !text(loose, "incomplete")) {
		class_name = "potential-deadlock";
		why = "the program relies on buffers that the standard does not promise: whether "
		      "it ends depends on the library and on the size of messages";
	} else if (is_deadlock && is_certain(entry)) {
		class_name = "deadlock";
		why = "no order of messages goes on";
	}
	report(run, entry, class_name, why);
}

static void report_view(struct run *run, const json_t *view, const json_t *loose)
{
	const json_t *findings = json_object_get(view, "findings");

	for (size_t i = 0; i < json_array_size(findings); i++)
		report_one(run, json_array_get(findings, i), loose);
}

void orders_report(struct run *run, json_t *views)
{
	const json_t *strict = view_of(views, "strict"), *loose = view_of(views, "loose");

	if (strict)
		print_view(run, strict);
	if (loose)
		print_view(run, loose);
	if (loose)
		report_view(run, loose, NULL);
	if (strict)
		report_view(run, strict, loose);
	run->order_findings = json_array(); /* what is told borrows from them */
	for (size_t i = 0; i < json_array_size(views); i++) {
		json_t *view = json_array_get(views, i);

		remove_files(run, view);
		json_array_append(run->order_findings, json_object_get(view, "findings"));
		json_object_del(view, "findings");
	}
}
