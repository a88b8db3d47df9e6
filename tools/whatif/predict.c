// SPDX-License-Identifier: BSD-3-Clause
#include "tools/whatif/scenario.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/result.h"
#include "tools/whatif/change.h"
#include "util/array.h"

#define WAIT_MS 1000

/* The base's command with the scenario's options and --json, to be freed; its texts are borrowed.
 */
static char **command(const struct whatif_base *base, char *const more[], int n_more)
{
	static char json[] = "--json", path[] = SWEEP_RESULT_PATH, quiet[] = "--quiet",
		    html[] = "--html";
	char **words = calloc((size_t)(base->n_words + n_more) + 6, sizeof *words);
	bool is_placed = false;
	int n = 0;

	if (!words)
		return NULL;
	for (int i = 0; i < n_more; i++)
		is_placed |= strcmp(more[i], "--placement") == 0;
	for (int i = 0; i < base->place; i++)
		if (is_placed && strcmp(base->words[i], "--placement") == 0)
			i++; /* the scenario's holds */
		else
			words[n++] = base->words[i];
	for (int i = 0; i < n_more; i++)
		words[n++] = more[i];
	words[n++] = json;
	words[n++] = path;
	words[n++] = quiet;
	if (base->html) {
		words[n++] = html;
		words[n++] = (char *)(uintptr_t)base->html;
	}
	for (int i = base->place; i < base->n_words; i++)
		words[n++] = base->words[i];
	return words;
}

static int start(struct sweep_pool *pool, const struct whatif_base *base, int tag,
		 char *const more[], int n_more, struct util_error *err)
{
	char **words = command(base, more, n_more);
	int failed = words ? sweep_pool_start(pool, tag, words, 0, err)
			   : util_error_set(err, UTIL_ENOMEM, "out of memory");

	free(words);
	return failed;
}

/* 1: *out is set. */
static int wait_for_one(struct sweep_pool *pool, struct sweep_ended *out, struct util_error *err)
{
	int found = 0;

	while (found == 0)
		found = sweep_pool_wait(pool, WAIT_MS, out, err);
	return found;
}

static int take(struct whatif_scenario *scenario, const struct sweep_ended *ended,
		struct util_error *err)
{
	struct sweep_result result = {0};
	int failed = sweep_result_take(ended, &result, err);

	if (failed)
		return failed;
	scenario->time_s = result.predicted_time_s;
	if (result.state != SWEEP_DONE) {
		scenario->error = result.error;
		result.error = NULL;
	}
	sweep_result_finish(&result);
	return 0;
}

static int predict_in(struct sweep_pool *pool, const struct whatif_base *base,
		      struct whatif_scenarios *scenarios, int n_jobs, struct util_error *err)
{
	int next = 0, failed = 0;

	while (!failed && (next < scenarios->n || sweep_pool_n_running(pool) > 0)) {
		struct sweep_ended ended;

		for (; next < scenarios->n && sweep_pool_n_running(pool) < n_jobs && !failed;
		     next++)
			failed = start(pool, base, next, scenarios->list[next].words,
				       scenarios->list[next].n_words, err);
		if (failed)
			break;
		failed = wait_for_one(pool, &ended, err);
		if (failed < 0)
			break;
		failed = take(&scenarios->list[ended.tag], &ended, err);
		sweep_ended_finish(&ended);
	}
	return failed;
}

int whatif_predict(const struct whatif_base *base, struct whatif_scenarios *scenarios, int n_jobs,
		   struct util_error *err)
{
	struct sweep_pool *pool;
	int failed = sweep_pool_create(n_jobs, &pool, err);

	if (failed)
		return failed;
	failed = predict_in(pool, base, scenarios, n_jobs, err);
	sweep_pool_destroy(pool);
	return failed;
}

static int take_base(struct whatif_base *base, const struct sweep_ended *ended,
		     struct util_error *err)
{
	struct whatif_scenario scenario = {0};
	int failed = take(&scenario, ended, err);

	if (!failed && scenario.error)
		failed = util_refuse(err, "%s: %s", base->what, scenario.error);
	free(scenario.error);
	if (failed)
		return failed;
	failed = whatif_base_take_result(
	    base, json_loadb(ended->result, ended->result_size, 0, NULL), scenario.time_s, err);
	if (!failed && !(base->time_s > 0))
		return util_refuse(err, "%s: found a running time of 0 s, wanted one to gain from",
				   base->what);
	return failed;
}

/* --explain and the factors that the base has. */
static int base_words(const struct whatif_base *base, char ***out, int *out_n,
		      struct util_error *err)
{
	struct whatif_change change;
	char **words = NULL;
	int n = 0, failed = whatif_change_init(&change, base, err);

	if (!failed)
		failed = whatif_change_words(&change, &words, &n, err);
	whatif_change_finish(&change);
	if (!failed && util_texts_add(&words, &n, strdup("--explain")))
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	*out = words;
	*out_n = n;
	return failed;
}

/* A measurement is another one in each run. */
static int warn_of_measuring(struct whatif_base *base, struct util_error *err)
{
	const json_t *settings = json_object_get(base->result, "settings");
	const char *mode = json_string_value(json_object_get(settings, "compute"));
	json_t *warning;

	if (strcmp(base->how, "run") != 0 || !mode || strcmp(mode, "modelled") == 0)
		return 0;
	warning = json_string("computation was measured anew for each scenario: small gains may be "
			      "its variation; mpisim-run --record makes a trace, in which it is "
			      "always the same");
	return json_array_append_new(whatif_base_warnings(base), warning)
		   ? util_error_set(err, UTIL_ENOMEM, "out of memory")
		   : 0;
}

static int predict_base_in(struct sweep_pool *pool, struct whatif_base *base,
			   struct util_error *err)
{
	struct sweep_ended ended;
	char **words;
	int n, failed = base_words(base, &words, &n, err);

	if (!failed)
		failed = start(pool, base, 0, words, n, err);
	for (int i = 0; i < n; i++)
		free(words[i]);
	free(words);
	if (failed || (failed = wait_for_one(pool, &ended, err)) < 0)
		return failed;
	failed = take_base(base, &ended, err);
	sweep_ended_finish(&ended);
	return failed ? failed : warn_of_measuring(base, err);
}

int whatif_predict_base(struct whatif_base *base, struct util_error *err)
{
	struct sweep_pool *pool;
	int failed = sweep_pool_create(1, &pool, err);

	if (failed)
		return failed;
	failed = predict_base_in(pool, base, err);
	sweep_pool_destroy(pool);
	return failed;
}
