/* SPDX-License-Identifier: BSD-3-Clause */
/* What --verify found, in JSON. */
#include "traces/json.h"

#include "traces/run.h"

static json_t *finding_json(const struct trace_finding *finding)
{
	json_t *object = json_object(), *calls = json_array();

	for (int i = 0; i < finding->n_calls; i++) {
		json_t *call = json_object();

		json_object_set_new(call, "rank", json_integer(finding->calls[i].rank));
		json_object_set_new(call, "call", trace_json_string(finding->calls[i].function));
		json_object_set_new(call, "site", trace_json_string(finding->calls[i].site));
		json_array_append_new(calls, call);
	}
	json_object_set_new(object, "class", trace_json_string(finding->class_name));
	json_object_set_new(object, "severity", trace_json_string(finding->severity));
	json_object_set_new(object, "calls", calls);
	json_object_set_new(object, "time_s", trace_json_number(finding->time_s));
	json_object_set_new(object, "found", trace_json_string(finding->found));
	json_object_set_new(object, "wanted", trace_json_string(finding->wanted));
	json_object_set_new(object, "why", trace_json_string(finding->why));
	json_object_set_new(object, "decisions", trace_json_string(finding->decisions));
	json_object_set_new(object, "count", json_integer((json_int_t)finding->count));
	return object;
}

json_t *trace_json_findings(const struct trace_run *run)
{
	json_t *array = json_array();

	for (int i = 0; i < run->n_findings; i++)
		json_array_append_new(array, finding_json(&run->findings[i]));
	return array;
}
