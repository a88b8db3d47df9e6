// SPDX-License-Identifier: BSD-3-Clause
/* Jobs of a schedule, and processes that were spawned. */
#include <jansson.h>
#include <stdio.h>

#include "traces/json.h"
#include "traces/run.h"

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static json_t *job_json(const struct trace_run *run, const struct trace_job *job)
{
	json_t *object = json_object();

	set(object, "name", trace_json_string(job->name));
	set(object, "command", trace_json_words(job->command));
	set(object, "first_rank", json_integer(job->first_rank));
	set(object, "ranks", json_integer(job->n_ranks));
	set(object, "nodes", json_integer(job->n_nodes));
	set(object, "due_s", job->due >= 0 ? trace_json_seconds(job->due) : json_null());
	set(object, "begin_s", job->has_begun ? trace_json_seconds(job->begin) : json_null());
	set(object, "end_s", job->has_ended ? trace_json_seconds(job->end) : json_null());
	set(object, "node_s", trace_json_number(job->node_s));
	set(object, "efficiency", trace_json_number(trace_job_efficiency(run->summary, job)));
	set(object, "bad_exits", json_integer(job->n_bad_exits));
	return object;
}

static json_t *startup_json(const struct trace_job *job)
{
	json_t *object = json_object();
	char name[32];

	for (int i = 0; i < job->n_startup; i++) {
		snprintf(name, sizeof name, "%s_s", job->startup_names[i]);
		set(object, name, trace_json_seconds(job->startup[i]));
	}
	return object;
}

json_t *trace_json_connections(const struct trace_run *run)
{
	json_t *object = json_object();

	set(object, "count", json_integer((json_int_t)run->n_connections));
	set(object, "most", json_integer(run->most_connections));
	set(object, "memory_B", json_integer((json_int_t)run->connection_memory_B));
	return object;
}

json_t *trace_json_spawned(const struct trace_run *run)
{
	json_t *array = json_array();

	for (int i = 0; i < run->n_spawned; i++) {
		const struct trace_job *job = &run->spawned[i];
		json_t *object = json_object();

		set(object, "name", trace_json_string(job->name));
		set(object, "command", trace_json_words(job->command));
		set(object, "first_rank", json_integer(job->first_rank));
		set(object, "ranks", json_integer(job->n_ranks));
		set(object, "nodes", json_integer(job->n_nodes));
		set(object, "begin_s", trace_json_seconds(job->begin));
		set(object, "end_s", job->has_ended ? trace_json_seconds(job->end) : json_null());
		set(object, "bad_exits", json_integer(job->n_bad_exits));
		if (job->startup)
			set(object, "startup", startup_json(job));
		json_array_append_new(array, object);
	}
	return array;
}

json_t *trace_json_jobs(const struct trace_run *run)
{
	json_t *array = json_array();

	for (int i = 0; i < run->n_jobs; i++)
		json_array_append_new(array, job_json(run, &run->jobs[i]));
	return array;
}
