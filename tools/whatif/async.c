// SPDX-License-Identifier: BSD-3-Clause
#include "tools/whatif/async.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/whatif/scenario.h"
#include "util/units.h"

/* --- what was asked for --- */

static int take_cost(struct async_setup *setup, const char *text, struct util_error *err)
{
	static const struct {
		const char *name;
		size_t at;
	} all[] = {
	    {"request", offsetof(struct async_setup, request_s)},
	    {"copy", offsetof(struct async_setup, copy_s)},
	    {"protect", offsetof(struct async_setup, protect_s)},
	    {"page", offsetof(struct async_setup, page_s)},
	    {"fault", offsetof(struct async_setup, fault_s)},
	    {"gap", offsetof(struct async_setup, gap_s)},
	};
	size_t length = strcspn(text, "=");

	for (size_t i = 0; i < sizeof all / sizeof all[0] && text[length]; i++)
		if (strlen(all[i].name) == length && strncmp(all[i].name, text, length) == 0)
			return util_parse_span_s(text + length + 1,
						 (double *)((char *)setup + all[i].at), err)
				   ? util_error_prepend(err, "--async-cost %s", text)
				   : 0;
	return util_refuse(
	    err,
	    "--async-cost: found \"%s\", wanted request, copy, protect, page, fault or gap "
	    "= TIME",
	    text);
}

static int take_mode(const char *text, enum async_mode *out, struct util_error *err)
{
	for (int i = 0; async_mode_names[i]; i++)
		if (strcmp(text, async_mode_names[i]) == 0) {
			*out = (enum async_mode)i;
			return 0;
		}
	return util_refuse(
	    err, "--async: found \"%s\", wanted chain, touch, touch-exact, priority or all", text);
}

static int take_setups(const struct whatif_options *o, struct async_prediction predictions[],
		       int *out_n, struct util_error *err)
{
	struct async_setup setup = {.gap_s = ASYNC_GAP_OF_STEP};
	bool are_all = false;
	int n, failed = 0;

	for (int i = 0; i < o->n_async; i++)
		are_all |= strcmp(o->async[i], "all") == 0;
	n = are_all ? ASYNC_N_MODES : o->n_async;
	for (int i = 0; i < o->n_async_costs && !failed; i++)
		failed = take_cost(&setup, o->async_costs[i], err);
	if (!failed && n > ASYNC_N_MODES)
		failed =
		    util_refuse(err, "--async: found %d modes, there are %d", n, ASYNC_N_MODES);
	for (int i = 0; i < n && !failed; i++) {
		predictions[i].setup = setup;
		if (are_all)
			predictions[i].setup.mode = (enum async_mode)i;
		else
			failed = take_mode(o->async[i], &predictions[i].setup.mode, err);
	}
	if (!failed && o->async_trace && n > 1)
		failed = util_refuse(err, "--async-trace: found %d modes, wanted one", n);
	*out_n = failed ? 0 : n;
	return failed;
}

/* --- predicting --- */

static int take_error(char **error, struct util_error *err)
{
	*error = strdup(err->text);
	return *error ? 0 : util_error_set(err, UTIL_ENOMEM, "out of memory");
}

/* One that does not end keeps what the replay says. */
static int predict_as_is(const struct whatif_options *o, struct async_prediction *p,
			 struct util_error *err)
{
	int failed = o->html ? async_page_begin(p, err) : 0;

	if (failed)
		return failed;
	failed = whatif_predict_base(&p->base, err);
	p->base.html = NULL; /* what is predicted of it besides has none */
	return failed == UTIL_EINPUT ? take_error(&p->error, err) : failed;
}

static int predict_bare(struct async_prediction *p, struct util_error *err)
{
	struct whatif_scenarios scenarios = {NULL};
	int failed = whatif_scenarios_add(&scenarios, &p->base, ASYNC_BARE, err);

	if (!failed)
		failed = whatif_predict(&p->base, &scenarios, 1, err);
	if (!failed) {
		p->bare_error = scenarios.list[0].error;
		scenarios.list[0].error = NULL;
	}
	whatif_scenarios_finish(&scenarios);
	return failed;
}

static int predict_one(const struct whatif_options *o, const struct sweep_tools *tools,
		       struct mtrace_file *file, const char *trace, const char *path, bool is_bare,
		       struct async_prediction *p, struct util_error *err)
{
	int failed = async_rewrite(file, &p->setup, path, &p->result, err);

	if (!failed)
		failed = whatif_base_init(&p->base, o, path, tools->run, tools->replay, err);
	p->base.what = trace; /* what it says names no temporary file */
	if (!failed)
		failed = predict_as_is(o, p, err);
	if (!failed && is_bare && !p->error)
		failed = predict_bare(p, err);
	return failed;
}

static int predict(const struct whatif_options *o, const struct sweep_tools *tools,
		   struct mtrace_file *file, const char *trace, bool is_bare,
		   struct async_prediction predictions[], int n, struct util_error *err)
{
	const char *folder = getenv("TMPDIR");
	char temporary[4096];
	int fd, failed = 0;

	snprintf(temporary, sizeof temporary, "%s/mpisim-async-XXXXXX",
		 folder && *folder ? folder : "/tmp");
	fd = o->async_trace ? -1 : mkstemp(temporary);
	if (!o->async_trace && fd < 0)
		return util_error_set(err, UTIL_ESYSTEM, "cannot make a file in %s",
				      folder && *folder ? folder : "/tmp");
	for (int i = 0; i < n && !failed; i++)
		failed =
		    predict_one(o, tools, file, trace, o->async_trace ? o->async_trace : temporary,
				is_bare, &predictions[i], err);
	if (fd >= 0) {
		close(fd);
		unlink(temporary);
	}
	return failed;
}

static int tell(const struct whatif_options *o, const struct mtrace_file *file,
		const struct async_prediction *as_is, const struct async_prediction predictions[],
		int n, json_t *results, int *n_failed, struct util_error *err)
{
	json_t *json = async_report_json(file, as_is, predictions, n);

	*n_failed += as_is->error != NULL;
	for (int i = 0; i < n; i++)
		*n_failed += predictions[i].error != NULL;
	if (!o->quiet && (!o->json || strcmp(o->json, "-") != 0)) {
		if (json_array_size(results) > 0)
			putchar('\n');
		async_report_text(file, as_is, predictions, n, stdout);
	}
	return json_array_append_new(results, json)
		   ? util_error_set(err, UTIL_ENOMEM, "out of memory")
		   : 0;
}

static void finish(struct async_prediction *p)
{
	async_result_finish(&p->result);
	whatif_base_finish(&p->base);
	free(p->error);
	free(p->bare_error);
	async_page_finish(p);
}

int whatif_async(const struct whatif_options *o, const struct sweep_tools *tools, const char *trace,
		 json_t *results, int *n_failed, struct util_error *err)
{
	struct async_prediction predictions[ASYNC_N_MODES] = {{.error = NULL}},
				as_is = {.base.what = trace};
	struct mtrace_file *file = NULL;
	int n = 0, failed = take_setups(o, predictions, &n, err);

	if (!failed)
		failed = mtrace_file_open(trace, &file, err);
	if (!failed)
		failed = whatif_base_init(&as_is.base, o, trace, tools->run, tools->replay, err);
	if (!failed)
		failed = predict_as_is(o, &as_is, err);
	if (!failed && !as_is.error)
		failed = predict_bare(&as_is, err);
	if (!failed)
		failed =
		    predict(o, tools, file, trace, as_is.bare_error != NULL, predictions, n, err);
	if (!failed && o->html)
		failed = async_page_write(o->html, file, &as_is, predictions, n, err);
	if (!failed)
		failed = tell(o, file, &as_is, predictions, n, results, n_failed, err);
	for (int i = 0; i < ASYNC_N_MODES; i++)
		finish(&predictions[i]);
	finish(&as_is);
	mtrace_file_close(file);
	return failed;
}
