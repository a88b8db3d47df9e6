/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/validate/phases.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tools/validate/csv.h"
#include "tools/validate/grid.h"
#include "tools/validate/table.h"
#include "tools/validate/trace.h"
#include "util/units.h"

enum { RANK, NAME, EDGE, SECONDS, N_FIELDS };

struct open_phase {
	int64_t rank;
	int phase, line;
	double begin_s;
};

struct reading {
	const char *path;
	struct val_phases phases, parts, sizes;
	struct open_phase *open; /* [n_open], those of a rank in the order of their begins */
	int n_open;
};

static int no_memory(struct util_error *err)
{
	return util_error_set(err, UTIL_ENOMEM, "out of memory");
}

/* The phase of that name, a new one if there is none; -1: out of memory. */
static int find(struct val_phases *phases, const char *name)
{
	struct val_phase *more;

	for (int i = 0; i < phases->n; i++)
		if (strcmp(phases->list[i].name, name) == 0)
			return i;
	more = realloc(phases->list, (size_t)(phases->n + 1) * sizeof *more);
	if (!more)
		return -1;
	phases->list = more;
	phases->list[phases->n] = (struct val_phase){.name = strdup(name)};
	return phases->list[phases->n].name ? phases->n++ : -1;
}

static int begin(struct reading *r, const struct open_phase *phase, struct util_error *err)
{
	struct open_phase *more = realloc(r->open, (size_t)(r->n_open + 1) * sizeof *more);

	if (!more || phase->phase < 0)
		return no_memory(err);
	r->open = more;
	r->open[r->n_open++] = *phase;
	return 0;
}

/* Phases nest: what ends is what its rank began last. */
static int end(struct reading *r, const struct open_phase *phase, struct util_error *err)
{
	struct val_phase *of;
	int k = r->n_open - 1;

	while (k >= 0 && r->open[k].rank != phase->rank)
		k--;
	if (phase->phase < 0)
		return no_memory(err);
	of = &r->phases.list[phase->phase];
	if (k < 0 || r->open[k].phase != phase->phase)
		return util_error_set(err, UTIL_EINPUT,
				      "found the end of \"%s\" on rank %lld, wanted %s", of->name,
				      (long long)phase->rank,
				      k < 0 ? "its begin before" : "that of the phase begun last");
	if (phase->begin_s < r->open[k].begin_s)
		return util_error_set(err, UTIL_EINPUT,
				      "found the end of \"%s\" before its begin in line %d",
				      of->name, r->open[k].line);
	of->n_measured++;
	of->measured_s += phase->begin_s - r->open[k].begin_s;
	memmove(&r->open[k], &r->open[k + 1], (size_t)(--r->n_open - k) * sizeof *r->open);
	return 0;
}

static int take_line(struct reading *r, const struct csv_record *record, struct util_error *err)
{
	struct open_phase phase = {.line = record->line};

	if (record->n_fields != N_FIELDS)
		return util_error_set(err, UTIL_EINPUT,
				      "found %d fields, wanted rank,name,begin or end,seconds",
				      record->n_fields);
	if (util_parse_int(record->fields[RANK], 0, INT32_MAX, &phase.rank, err))
		return util_error_prepend(err, "rank");
	if (util_parse_double(record->fields[SECONDS], &phase.begin_s, err))
		return util_error_prepend(err, "seconds");
	phase.phase = find(&r->phases, record->fields[NAME]);
	if (strcmp(record->fields[EDGE], "begin") == 0)
		return begin(r, &phase, err);
	if (strcmp(record->fields[EDGE], "end") == 0)
		return end(r, &phase, err);
	return util_error_set(err, UTIL_EINPUT, "found \"%s\", wanted begin or end",
			      record->fields[EDGE]);
}

static int read_log(struct reading *r, struct util_error *err)
{
	struct csv csv;
	int failed = csv_read(r->path, &csv, err);

	if (failed)
		return failed;
	for (int i = 0; i < csv.n && !failed; i++) {
		failed = take_line(r, &csv.records[i], err);
		if (failed)
			util_error_prepend(err, "%s:%d", r->path, csv.records[i].line);
	}
	csv_finish(&csv);
	return failed;
}

static int check_log(const struct reading *r, struct util_error *err)
{
	if (r->n_open > 0)
		return util_error_set(
		    err, UTIL_EINPUT,
		    "%s:%d: found the begin of \"%s\" on rank %lld, wanted its end, too", r->path,
		    r->open[0].line, r->phases.list[r->open[0].phase].name,
		    (long long)r->open[0].rank);
	if (r->phases.n == 0 && r->parts.n == 0)
		return util_error_set(err, UTIL_EINPUT, "%s: found no phases, wanted some",
				      r->path);
	return 0;
}

/* --- traces --- */

static int take_phase(void *context, int rank, const char *name, double at_s,
		      struct util_error *err)
{
	struct reading *r = context;
	struct open_phase phase = {.rank = rank, .begin_s = at_s};
	int k = r->n_open - 1;

	while (!name && k >= 0 && r->open[k].rank != rank)
		k--;
	if (!name && k < 0)
		return util_error_set(
		    err, UTIL_EINPUT,
		    "%s: found the end of a phase on rank %d, wanted its begin before", r->path,
		    rank);
	phase.phase = name ? find(&r->phases, name) : r->open[k].phase;
	return name ? begin(r, &phase, err) : end(r, &phase, err);
}

static int take_part(void *context, const char *name, double seconds, struct util_error *err)
{
	struct reading *r = context;
	int index = find(&r->parts, name);

	if (index < 0)
		return no_memory(err);
	r->parts.list[index].n_measured++;
	r->parts.list[index].measured_s += seconds;
	return 0;
}

static int predict_part(struct reading *r, const char *name, long n, double seconds,
			struct util_error *err)
{
	int index = find(&r->parts, name);

	if (index < 0)
		return no_memory(err);
	r->parts.list[index].n_predicted += n;
	r->parts.list[index].predicted_s += seconds;
	return 0;
}

static int predict_parts(struct reading *r, const json_t *root, struct util_error *err)
{
	json_t *entry;
	size_t k;
	int failed = 0;

	json_array_foreach(json_object_get(root, "kernels"), k, entry)
	{
		if (!failed)
			failed =
			    predict_part(r, VAL_COMPUTING,
					 (long)json_integer_value(json_object_get(entry, "count")),
					 json_number_value(json_object_get(entry, "time_s")), err);
	}
	json_array_foreach(json_object_get(root, "calls"), k, entry)
	{
		const char *name = json_string_value(json_object_get(entry, "name"));

		if (!failed && name)
			failed = predict_part(
			    r, name, (long)json_integer_value(json_object_get(entry, "count")),
			    json_number_value(json_object_get(entry, "time_s")), err);
	}
	return failed;
}

static void describe_class(const json_t *class, char *text, size_t size)
{
	const json_t *least = json_object_get(class, "least_B"),
		     *below = json_object_get(class, "below_B");
	char from[32], to[32];

	util_format_size(from, sizeof from, (double)json_integer_value(least));
	util_format_size(to, sizeof to, (double)json_integer_value(below));
	if (!json_is_integer(least))
		snprintf(text, size, "no message");
	else if (!json_is_integer(below))
		snprintf(text, size, "from %s", from);
	else if (json_integer_value(least) == 0)
		snprintf(text, size, "below %s", to);
	else
		snprintf(text, size, "%s to %s", from, to);
}

/* What the prediction was compared with call by call: mpisim-run or mpisim-replay --real. */
static int read_sizes(struct reading *r, const json_t *real, struct util_error *err)
{
	const json_t *class;
	size_t k;

	json_array_foreach(json_object_get(real, "sizes"), k, class)
	{
		char text[80];
		int index;

		describe_class(class, text, sizeof text);
		index = find(&r->sizes, text);
		if (index < 0)
			return no_memory(err);
		r->sizes.list[index] = (struct val_phase){
		    r->sizes.list[index].name,
		    (long)json_integer_value(json_object_get(class, "measured_count")),
		    (long)json_integer_value(json_object_get(class, "predicted_count")),
		    json_number_value(json_object_get(class, "measured_s")),
		    json_number_value(json_object_get(class, "predicted_s"))};
	}
	return 0;
}

static int read_prediction(struct reading *r, const char *path, struct util_error *err)
{
	double time_s;
	int failed = val_prediction_read(path, &time_s, err), index;
	json_t *root = failed ? NULL : json_load_file(path, 0, NULL);
	json_t *list = json_object_get(root, "phases"), *phase;
	size_t k;

	json_array_foreach(list, k, phase)
	{
		const char *name = json_string_value(json_object_get(phase, "name"));

		index = name && !failed ? find(&r->phases, name) : -1;
		if (index < 0) {
			failed = name ? no_memory(err)
				      : util_error_set(err, UTIL_EINPUT,
						       "%s: found a phase without a name", path);
			break;
		}
		r->phases.list[index].n_predicted +=
		    (long)json_integer_value(json_object_get(phase, "ranks"));
		r->phases.list[index].predicted_s +=
		    json_number_value(json_object_get(phase, "rank_time_s"));
	}
	if (!failed && r->parts.n > 0)
		failed = predict_parts(r, root, err);
	if (!failed)
		failed = read_sizes(r, json_object_get(root, "real"), err);
	json_decref(root);
	return failed;
}

int val_phases_read(const char *log, const char *prediction, struct val_places *out,
		    struct util_error *err)
{
	struct reading reading = {.path = log};
	struct val_trace_reader reader = {&reading, take_phase, take_part};
	int failed =
	    val_is_trace(log) ? val_trace_read(log, &reader, err) : read_log(&reading, err);
	struct val_places places;

	if (!failed)
		failed = check_log(&reading, err);
	if (!failed)
		failed = read_prediction(&reading, prediction, err);
	free(reading.open);
	places = (struct val_places){reading.phases, reading.parts, reading.sizes};
	if (failed)
		val_phases_finish(&places);
	else
		*out = places;
	return failed;
}

static void finish_list(struct val_phases *phases)
{
	for (int i = 0; i < phases->n; i++)
		free(phases->list[i].name);
	free(phases->list);
	*phases = (struct val_phases){.list = NULL};
}

void val_phases_finish(struct val_places *places)
{
	finish_list(&places->phases);
	finish_list(&places->parts);
	finish_list(&places->sizes);
}
