// SPDX-License-Identifier: BSD-3-Clause
#include "traces/reasons.h"

#include <stdlib.h>

#include "traces/json.h"
#include "util/units.h"

static const char *const names[TRACE_N_REASONS] = {
    [TRACE_REASON_SLOW_RANKS] = "slow_ranks", [TRACE_REASON_SLOW_NODE] = "slow_node",
    [TRACE_REASON_SERIAL] = "serial",	      [TRACE_REASON_IMBALANCE] = "imbalance",
    [TRACE_REASON_CONTENTION] = "contention", [TRACE_REASON_MEMORY] = "memory", [TRACE_REASON_PLACEMENT] = "placement",
    [TRACE_REASON_LOCKS] = "locks",	      [TRACE_REASON_MESSAGES] = "messages",
    [TRACE_REASON_BANDWIDTH] = "bandwidth",
};

const char *trace_reason_name(enum trace_reason_kind kind)
{
	return names[kind];
}

void trace_reasons_finish(struct trace_reasons *reasons)
{
	for (int i = 0; i < reasons->n; i++)
		free(reasons->list[i].ranks);
	free(reasons->list);
	free(reasons->bandwidth);
	reasons->list = NULL;
	reasons->n = 0;
}

static json_t *text_or_null(const char *text)
{
	return text[0] ? trace_json_string(text) : json_null();
}

static json_t *reason_json(const struct trace_reason *reason)
{
	json_t *object = json_object(), *ranks = json_array();

	for (int i = 0; i < reason->n_ranks; i++)
		json_array_append_new(ranks, json_integer(reason->ranks[i]));
	json_object_set_new(object, "kind", json_string(names[reason->kind]));
	json_object_set_new(object, "text", trace_json_string(reason->text));
	json_object_set_new(object, "ranks", ranks);
	json_object_set_new(object, "where", text_or_null(reason->where));
	json_object_set_new(object, "called_from", text_or_null(reason->callers));
	json_object_set_new(object, "after", text_or_null(reason->after));
	json_object_set_new(object, "before", text_or_null(reason->before));
	json_object_set_new(object, "time_s", trace_json_number(reason->time_s));
	json_object_set_new(object, "waiting_s", trace_json_number(reason->waiting_s));
	json_object_set_new(object, "without", trace_json_string(reason->remedy));
	json_object_set_new(object, "option", text_or_null(reason->option));
	json_object_set_new(object, "predicted_time_s", trace_json_number(reason->predicted_s));
	json_object_set_new(object, "gain_s", trace_json_number(reason->gain_s));
	return object;
}

json_t *trace_bandwidth_json(const struct trace_bandwidth *curve)
{
	json_t *points = json_array();

	for (int i = 0; i < TRACE_N_BANDWIDTHS; i++)
		json_array_append_new(
		    points,
		    json_pack("{s:o, s:o}", "bandwidth_Bps",
			      trace_json_number(curve->points[i].bandwidth_Bps), "predicted_time_s",
			      trace_json_number(curve->points[i].predicted_s)));
	return json_pack("{s:o, s:o, s:o}", "own_Bps", trace_json_number(curve->own_Bps),
			 "knee_Bps",
			 curve->knee_Bps > 0 ? trace_json_number(curve->knee_Bps) : json_null(),
			 "points", points);
}

json_t *trace_reasons_json(const struct trace_reasons *reasons)
{
	json_t *list;

	if (reasons->why_not[0])
		return json_pack("{s:s}", "unknown", reasons->why_not);
	list = json_array();
	for (int i = 0; i < reasons->n; i++)
		json_array_append_new(list, reason_json(&reasons->list[i]));
	return list;
}

static void write_bandwidth(const struct trace_bandwidth *curve, FILE *file)
{
	char own[32], knee[32];

	util_format_size(own, sizeof own, curve->own_Bps);
	util_format_size(knee, sizeof knee,
			 curve->knee_Bps > 0 ? curve->knee_Bps : curve->points[0].bandwidth_Bps);
	fprintf(file, "bandwidth: %s/s; above %s/s more of it saves less than 5 %%\n", own, knee);
}

void trace_reasons_text(const struct trace_reasons *reasons, int most, bool has_callers, FILE *file)
{
	for (int i = 0; i < reasons->n && i < most; i++) {
		const struct trace_reason *reason = &reasons->list[i];
		double all_s = reason->predicted_s + reason->gain_s;

		fprintf(file, "%d. %s", i + 1, reason->text);
		if (reason->where[0])
			fprintf(file, ", at %s", reason->where);
		if (has_callers && reason->callers[0])
			fprintf(file, "\n   called from %s", reason->callers);
		fprintf(file, "\n   %s: %s, %.1f %% less", reason->remedy,
			util_time_text(reason->predicted_s).text,
			all_s > 0 ? 100 * reason->gain_s / all_s : 0);
		if (reason->waiting_s > 0)
			fprintf(file, "; others wait %s for it",
				util_time_text(reason->waiting_s).text);
		fputc('\n', file);
	}
	if (reasons->bandwidth && most >= reasons->n)
		write_bandwidth(reasons->bandwidth, file);
}
