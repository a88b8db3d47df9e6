// SPDX-License-Identifier: BSD-3-Clause
#include "traces/analysis/ideal.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "traces/json.h"

struct trace_ideal {
	double time_s;
	json_t *jobs;  /* "name": [begin, end, span] */
	json_t *spans; /* "name": [[begin, end, span of the first], …] */
};

/* Phases of a name come in the order of their numbers. */
static int add_phase(json_t *spans, const json_t *phase)
{
	const json_t *name = json_object_get(phase, "name"),
		     *index = json_object_get(phase, "index");
	json_t *begin = json_object_get(phase, "begin_s"), *end = json_object_get(phase, "end_s"),
	       *span = json_object_get(phase, "span_s"), *list;

	if (!json_is_string(name) || !json_is_integer(index) || !json_is_number(begin) ||
	    !json_is_number(end) || !json_is_number(span))
		return -1;
	list = json_object_get(spans, json_string_value(name));
	if (!list) {
		list = json_array();
		if (json_object_set_new(spans, json_string_value(name), list))
			return -1;
	}
	if (json_integer_value(index) != (json_int_t)json_array_size(list))
		return -1;
	return json_array_append_new(list, json_pack("[O, O, O]", begin, end, span));
}

static int add_job(json_t *jobs, const json_t *job)
{
	const json_t *name = json_object_get(job, "name");
	json_t *begin = json_object_get(job, "begin_s"), *end = json_object_get(job, "end_s");

	if (!json_is_string(name) || !json_is_number(begin) || !json_is_number(end))
		return -1;
	return json_object_set_new(
	    jobs, json_string_value(name),
	    json_pack("[O, O, f]", begin, end, json_number_value(end) - json_number_value(begin)));
}

static const char *without_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Another problem has another ideal time. */
static int check_command(const json_t *found, const char *path, char *const command[],
			 struct util_error *err)
{
	size_t n = json_array_size(found);

	for (size_t i = 0; i < n || command[i]; i++) {
		const char *is = i < n ? json_string_value(json_array_get(found, i)) : NULL;
		const char *wanted = command[i];

		if (is && wanted && i == 0) {
			is = without_folder(is);
			wanted = without_folder(wanted);
		}
		if (!is || !wanted || strcmp(is, wanted) != 0)
			return util_refuse(
			    err,
			    "%s: command[%zu]: found %s%s%s, wanted %s%s%s: the ideal run has to "
			    "be one of the same program with the same arguments",
			    path, i, is ? "\"" : "", is ? is : "nothing", is ? "\"" : "",
			    wanted ? "\"" : "", wanted ? wanted : "nothing", wanted ? "\"" : "");
	}
	return 0;
}

/* Without those that were spawned. */
static long long n_at_start(const json_t *root, const json_t *ranks)
{
	const json_t *spawned = json_object_get(root, "spawned");
	long long n = json_integer_value(ranks);

	for (size_t i = 0; i < json_array_size(spawned); i++)
		n -= json_integer_value(json_object_get(json_array_get(spawned, i), "ranks"));
	return n;
}

static int take(struct trace_ideal *ideal, const json_t *root, const char *path, int n_ranks,
		struct util_error *err)
{
	const json_t *state = json_object_get(json_object_get(root, "exit"), "state");
	const json_t *ranks = json_object_get(json_object_get(root, "settings"), "ranks");
	const json_t *time = json_object_get(root, "predicted_time_s");
	const json_t *phases = json_object_get(root, "phases"),
		     *jobs = json_object_get(root, "jobs");
	size_t i;

	if (!json_is_string(state) || !json_is_integer(ranks) || !json_is_number(time))
		return util_refuse(err, "%s: wanted what mpisim-run --json writes (docs/json.md)",
				   path);
	if (strcmp(json_string_value(state), "completed") != 0)
		return util_refuse(err, "%s: exit.state: found \"%s\", wanted a completed run",
				   path, json_string_value(state));
	if (n_at_start(root, ranks) != n_ranks)
		return util_refuse(err,
				   "%s: settings.ranks: found %lld, wanted a run of the same "
				   "program with %d ranks",
				   path, n_at_start(root, ranks), n_ranks);
	ideal->time_s = json_number_value(time);
	for (i = 0; i < json_array_size(phases); i++)
		if (add_phase(ideal->spans, json_array_get(phases, i)))
			return util_refuse(err,
					   "%s: phases[%zu]: wanted name, index, begin_s, end_s "
					   "and span_s, in the order of their indices",
					   path, i);
	for (i = 0; i < json_array_size(jobs); i++)
		if (add_job(ideal->jobs, json_array_get(jobs, i)))
			return util_refuse(err, "%s: jobs[%zu]: wanted name, begin_s and end_s",
					   path, i);
	return 0;
}

int trace_ideal_load(const char *path, int n_ranks, char *const command[], struct trace_ideal **out,
		     struct util_error *err)
{
	struct trace_ideal *ideal = calloc(1, sizeof *ideal);
	json_t *root = NULL;
	int failed;

	if (ideal && (ideal->spans = json_object()) && (ideal->jobs = json_object()))
		failed = trace_json_load(path, &root, err);
	else
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory for %s", path);
	if (!failed)
		failed = take(ideal, root, path, n_ranks, err);
	if (!failed)
		failed = check_command(json_object_get(root, "command"), path, command, err);
	json_decref(root);
	if (failed) {
		trace_ideal_destroy(ideal);
		return failed;
	}
	*out = ideal;
	return 0;
}

void trace_ideal_destroy(struct trace_ideal *ideal)
{
	if (!ideal)
		return;
	json_decref(ideal->spans);
	json_decref(ideal->jobs);
	free(ideal);
}

double trace_ideal_time(const struct trace_ideal *ideal)
{
	return ideal->time_s;
}

static bool get_span(const json_t *span, struct trace_ideal_span *out)
{
	if (!span)
		return false;
	*out = (struct trace_ideal_span){
	    .begin_s = json_number_value(json_array_get(span, 0)),
	    .end_s = json_number_value(json_array_get(span, 1)),
	    .span_s = json_number_value(json_array_get(span, 2)),
	};
	return true;
}

bool trace_ideal_phase(const struct trace_ideal *ideal, const char *name, int index,
		       struct trace_ideal_span *out)
{
	return get_span(json_array_get(json_object_get(ideal->spans, name), (size_t)index), out);
}

bool trace_ideal_job(const struct trace_ideal *ideal, const char *name,
		     struct trace_ideal_span *out)
{
	return get_span(json_object_get(ideal->jobs, name), out);
}
