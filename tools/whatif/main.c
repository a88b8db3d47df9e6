// SPDX-License-Identifier: BSD-3-Clause
/* mpisim-whatif: what changes of a cluster or of a program would gain (docs/what-if.md). */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/outfile.h"
#include "util/version.h"
#include "tools/sweep/command.h"
#include "tools/whatif/async.h"
#include "tools/whatif/report.h"

#define EXIT_FAILED 1
#define EXIT_USAGE 2
#define EXIT_INTERRUPTED 130

struct session {
	struct whatif_options options;
	struct sweep_tools tools;
	json_t *results; /* array: of each trace */
	int n_failed;	 /* scenarios */
};

static int add_scenarios(const struct whatif_options *o, const struct whatif_base *base,
			 struct whatif_scenarios *scenarios, struct util_error *err)
{
	static const char *const designs[] = {"rma.design.kind=nic", "rma.design.kind=onload",
					      "rma.design.kind=helper", "rma.design.kind=dma"};
	int failed = 0;

	for (int i = 0; o->rma_designs && i < 4 && !failed; i++)
		failed = whatif_scenarios_add(scenarios, base, designs[i], err);
	if (!failed && o->n_scenarios == 0 && !o->rma_designs)
		failed = whatif_scenarios_add_usual(scenarios, base, err);
	for (int i = 0; i < o->n_scenarios && !failed; i++)
		failed = whatif_scenarios_add(scenarios, base, o->scenarios[i], err);
	for (int i = 0; i < o->n_pairs && !failed; i++)
		failed = whatif_scenarios_add_pair(scenarios, base, o->pairs[i], err);
	return failed;
}

static int report(struct session *s, const struct whatif_report *report, struct util_error *err)
{
	json_t *json = whatif_report_json(report);

	for (int i = 0; i < report->scenarios->n; i++)
		s->n_failed += report->scenarios->list[i].error != NULL;
	if (!s->options.quiet && (!s->options.json || strcmp(s->options.json, "-") != 0)) {
		if (json_array_size(s->results) > 0)
			putchar('\n');
		whatif_report_text(report, stdout);
		fflush(stdout);
	}
	if (!s->options.quiet)
		whatif_report_warnings(report, stderr);
	return json_array_append_new(s->results, json)
		   ? util_error_set(err, UTIL_ENOMEM, "out of memory")
		   : 0;
}

static int explore_base(struct session *s, struct whatif_base *base,
			struct whatif_scenarios *scenarios, struct util_error *err)
{
	const struct whatif_options *o = &s->options;
	struct whatif_derivatives derivatives;
	struct whatif_report result = {.base = base, .scenarios = scenarios};
	int failed = whatif_predict_base(base, err);

	if (!failed)
		failed = add_scenarios(o, base, scenarios, err);
	if (!failed)
		failed = whatif_predict(base, scenarios, o->n_jobs, err);
	if (!failed && !o->no_derivatives && !o->rma_designs) {
		failed = whatif_derive(base, o->n_jobs, &derivatives, err);
		result.derivatives = &derivatives;
	}
	if (failed)
		return failed;
	whatif_sort(scenarios);
	return report(s, &result, err);
}

static int explore(struct session *s, const char *trace, struct util_error *err)
{
	struct whatif_scenarios scenarios = {0};
	struct whatif_base base;
	int failed =
	    whatif_base_init(&base, &s->options, trace, s->tools.run, s->tools.replay, err);

	if (!failed)
		failed = explore_base(s, &base, &scenarios, err);
	whatif_scenarios_finish(&scenarios);
	whatif_base_finish(&base);
	return failed;
}

/* One result as it is, several in a list. */
static int write_json(const void *context, FILE *file, struct util_error *err)
{
	const struct session *s = context;
	bool is_one = json_array_size(s->results) == 1;
	json_t *root = is_one ? json_incref(json_array_get(s->results, 0))
			      : json_pack("{s:i, s:O}", "version", 1, "runs", s->results);
	int failed = !root || json_dumpf(root, file, JSON_INDENT(1) | JSON_REAL_PRECISION(17));

	json_decref(root);
	fputc('\n', file);
	return failed ? util_error_set(err, UTIL_ENOMEM, "cannot write the JSON") : 0;
}

static int find_tools(struct sweep_tools *out, struct util_error *err)
{
	char path[PATH_MAX] = "";

	if (readlink("/proc/self/exe", path, sizeof path - 1) < 0)
		return util_error_set(err, UTIL_ESYSTEM, "cannot find where mpisim-whatif is");
	return sweep_tools_find(path, MPISIM_LIB_FROM_BIN, out, err);
}

/* What is read stays as it is, and no result replaces another one. */
static int check_results(const struct whatif_options *o, struct util_error *err)
{
	const char *const results[] = {o->json, o->html, o->async_trace}, *const names[] = {
									      "--json", "--html",
									      "--async-trace"};
	int n_read = o->has_ranks ? 1 : o->n_program;

	for (int k = 0; k < 3; k++) {
		const char *of = NULL;

		if (!results[k])
			continue;
		for (int i = 0; i < n_read; i++)
			if (util_outfile_is_same(results[k], o->program[i]))
				of = o->has_ranks ? "the program" : "the trace";
		for (int i = 0; i < k; i++)
			if (results[i] && util_outfile_is_same(results[k], results[i]))
				of = names[i];
		if (of)
			return util_refuse(
			    err, "%s: found '%s', which is the file of %s, wanted another one",
			    names[k], results[k], of);
		if (util_outfile_check(results[k], err))
			return util_error_prepend(err, "%s", names[k]);
	}
	return 0;
}

static int whatif(struct session *s, struct util_error *err)
{
	const struct whatif_options *o = &s->options;
	int failed = find_tools(&s->tools, err);

	if (!failed)
		failed = check_results(o, err);
	s->results = json_array();
	if (!failed && o->has_ranks)
		failed = explore(s, NULL, err);
	for (int i = 0; i < o->n_program && !o->has_ranks && !failed; i++)
		failed = o->n_async > 0 ? whatif_async(o, &s->tools, o->program[i], s->results,
						       &s->n_failed, err)
					: explore(s, o->program[i], err);
	return !failed && o->json ? util_outfile_write(o->json, write_json, s, err) : failed;
}

static int exit_status(const struct session *s, int failed, const struct util_error *err)
{
	if (failed == UTIL_EPROGRAM)
		return EXIT_INTERRUPTED;
	if (failed)
		fprintf(stderr, "mpisim-whatif: %s\n", err->text);
	return failed ? EXIT_USAGE : s->n_failed ? EXIT_FAILED : 0;
}

int main(int argc, char **argv)
{
	struct session session = {0};
	struct util_error err = {0};
	int status = 0, failed = whatif_options_parse(argc, argv, &session.options, &err);

	if (!failed && session.options.help)
		fputs(whatif_help, stdout);
	else if (!failed && session.options.version)
		printf("mpisim-whatif %s\n", util_version());
	else
		status = exit_status(&session, failed ? failed : whatif(&session, &err), &err);
	whatif_options_finish(&session.options);
	sweep_tools_finish(&session.tools);
	json_decref(session.results);
	if ((fflush(stdout) || ferror(stdout)) && status == 0) {
		perror("mpisim-whatif: cannot write to standard output");
		return EXIT_USAGE;
	}
	return status;
}
