/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/validate/phases.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/validate/csv.h"
#include "tools/validate/grid.h"
#include "tools/validate/table.h"
#include "tools/validate/trace.h"
#include "traces/real/walk.h"
#include "util/array.h"
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
	int n_ranks; /* in the log or trace: exactly, or at least */
	bool has_all_ranks, has_cpu_clock;
};

static int no_memory(struct util_error *err)
{
	return util_error_set(err, UTIL_ENOMEM, "out of memory");
}

/* The phase of that name, a new one if there is none; -1: out of memory. */
static int find(struct val_phases *phases, const char *name)
{
	for (int i = 0; i < phases->n; i++)
		if (strcmp(phases->list[i].name, name) == 0)
			return i;
	if (!util_array_room(&phases->list, (size_t)phases->n, sizeof *phases->list))
		return -1;
	phases->list[phases->n] = (struct val_phase){.name = strdup(name)};
	return phases->list[phases->n].name ? phases->n++ : -1;
}

static int begin(struct reading *r, const struct open_phase *phase, struct util_error *err)
{
	if (phase->phase < 0 || !util_array_room(&r->open, (size_t)r->n_open, sizeof *r->open))
		return no_memory(err);
	r->open[r->n_open++] = *phase;
	return 0;
}

static void add(struct val_phase *to, const struct val_phase *more)
{
	to->n_measured += more->n_measured;
	to->n_predicted += more->n_predicted;
	to->measured_s += more->measured_s;
	to->predicted_s += more->predicted_s;
}

static bool is_within(const struct reading *r, int k)
{
	for (int i = 0; i < k; i++)
		if (r->open[i].rank == r->open[k].rank)
			return true;
	return false;
}

static void add_measured(struct val_phase *to, double seconds)
{
	to->n_measured++;
	to->measured_s += seconds;
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
		return util_refuse(err, "found the end of \"%s\" on rank %lld, wanted %s", of->name,
				   (long long)phase->rank,
				   k < 0 ? "its begin before" : "that of the phase begun last");
	if (phase->begin_s < r->open[k].begin_s)
		return util_refuse(err, "found the end of \"%s\" before its begin in line %d",
				   of->name, r->open[k].line);
	add_measured(of, phase->begin_s - r->open[k].begin_s);
	if (!is_within(r, k))
		add_measured(&r->phases.total, phase->begin_s - r->open[k].begin_s);
	memmove(&r->open[k], &r->open[k + 1], (size_t)(--r->n_open - k) * sizeof *r->open);
	return 0;
}

static int take_line(struct reading *r, const struct csv_record *record, struct util_error *err)
{
	struct open_phase phase = {.line = record->line};

	if (record->n_fields != N_FIELDS)
		return util_refuse(err, "found %d fields, wanted rank,name,begin or end,seconds",
				   record->n_fields);
	if (util_parse_int(record->fields[RANK], 0, INT32_MAX, &phase.rank, err))
		return util_error_prepend(err, "rank");
	if (util_parse_double(record->fields[SECONDS], &phase.begin_s, err))
		return util_error_prepend(err, "seconds");
	if (phase.rank >= r->n_ranks)
		r->n_ranks = (int)phase.rank + 1;
	phase.phase = find(&r->phases, record->fields[NAME]);
	if (strcmp(record->fields[EDGE], "begin") == 0)
		return begin(r, &phase, err);
	if (strcmp(record->fields[EDGE], "end") == 0)
		return end(r, &phase, err);
	return util_refuse(err, "found \"%s\", wanted begin or end", record->fields[EDGE]);
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
		return util_refuse(
		    err, "%s:%d: found the begin of \"%s\" on rank %lld, wanted its end, too",
		    r->path, r->open[0].line, r->phases.list[r->open[0].phase].name,
		    (long long)r->open[0].rank);
	if (r->phases.n == 0 && r->parts.n == 0)
		return util_refuse(err, "%s: found no phases, wanted some", r->path);
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
		return util_refuse(
		    err, "%s: found the end of a phase on rank %d, wanted its begin before",
		    r->path, rank);
	phase.phase = name ? find(&r->phases, name) : r->open[k].phase;
	return name ? begin(r, &phase, err) : end(r, &phase, err);
}

static int add_part(struct reading *r, const struct val_phase *part, struct util_error *err)
{
	int index = find(&r->parts, part->name);

	if (index < 0)
		return no_memory(err);
	add(&r->parts.list[index], part);
	/* how long a library takes to start and to end would be most of a short run */
	if (!trace_real_is_edge(part->name))
		add(&r->parts.total, part);
	return 0;
}

/* Steps of computation are cut in other places than in a prediction: they are not counted. */
static int take_part(void *context, const char *name, double seconds, struct util_error *err)
{
	return add_part(context,
			&(struct val_phase){.name = (char *)(uintptr_t)name,
					    .n_measured = !val_is_computation(name),
					    .measured_s = seconds},
			err);
}

static int predict_part(struct reading *r, const char *name, long n, double seconds,
			struct util_error *err)
{
	return add_part(r,
			&(struct val_phase){.name = (char *)(uintptr_t)name,
					    .n_predicted = n,
					    .predicted_s = seconds},
			err);
}

/* A trace by the CPU's clock has computation in seconds of CPU, and apart from it what passed
 * between calls. */
static int predict_computing(struct reading *r, const json_t *kernel, struct util_error *err)
{
	double time_s = json_number_value(json_object_get(kernel, "time_s"));
	double useful_s =
	    r->has_cpu_clock ? json_number_value(json_object_get(kernel, "useful_s")) : time_s;
	int failed = predict_part(r, VAL_COMPUTING, 0, useful_s, err);

	if (!failed && r->has_cpu_clock)
		failed = predict_part(r, VAL_WAITING, 0, time_s - useful_s, err);
	return failed;
}

static int predict_parts(struct reading *r, const json_t *root, struct util_error *err)
{
	json_t *entry;
	size_t k;
	int failed = 0;

	json_array_foreach(json_object_get(root, "kernels"), k, entry)
	{
		if (!failed)
			failed = predict_computing(r, entry, err);
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
		add(&r->sizes.total, &r->sizes.list[index]);
	}
	return 0;
}

static int predict_phase(struct reading *r, const json_t *phase, const char *path,
			 struct util_error *err)
{
	const char *name = json_string_value(json_object_get(phase, "name"));
	struct val_phase more = {
	    .n_predicted = (long)json_integer_value(json_object_get(phase, "ranks")),
	    .predicted_s = json_number_value(json_object_get(phase, "rank_time_s"))};
	int index = name ? find(&r->phases, name) : -1;

	if (!name)
		return util_refuse(err, "%s: found a phase without a name", path);
	if (index < 0)
		return no_memory(err);
	add(&r->phases.list[index], &more);
	if (!json_is_string(json_object_get(phase, "parent")))
		add(&r->phases.total, &more);
	return 0;
}

/* Sums over the ranks of runs of different size say nothing. */
static int check_ranks(const struct reading *r, const json_t *root, const char *path,
		       struct util_error *err)
{
	const json_t *ranks = json_object_get(json_object_get(root, "settings"), "ranks");
	int n_ranks = (int)json_integer_value(ranks);

	if (!json_is_integer(ranks) || r->n_ranks == n_ranks ||
	    (r->n_ranks < n_ranks && !r->has_all_ranks))
		return 0;
	return util_refuse(err, "%s: found %s%d rank%s, wanted the %d that %s predicts", r->path,
			   r->has_all_ranks ? "" : "at least ", r->n_ranks,
			   r->n_ranks == 1 ? "" : "s", n_ranks, path);
}

static int read_prediction(struct reading *r, const char *path, struct util_error *err)
{
	double time_s;
	int failed = val_prediction_read(path, &time_s, err);
	json_t *root = failed ? NULL : json_load_file(path, 0, NULL);
	json_t *list = json_object_get(root, "phases"), *phase;
	size_t k;

	if (!failed)
		failed = check_ranks(r, root, path, err);
	json_array_foreach(list, k, phase)
	{
		if (!failed)
			failed = predict_phase(r, phase, path, err);
	}
	if (!failed && r->parts.n > 0)
		failed = predict_parts(r, root, err);
	if (!failed)
		failed = read_sizes(r, json_object_get(root, "real"), err);
	json_decref(root);
	return failed;
}

static void name_missing(const struct val_phases *phases, bool is_measured, FILE *file)
{
	int n = 0;

	for (int i = 0; i < phases->n; i++) {
		const struct val_phase *p = &phases->list[i];
		bool is_only = is_measured ? p->n_measured > 0 && p->n_predicted == 0
					   : p->n_predicted > 0 && p->n_measured == 0;

		if (is_only && !val_is_computation(p->name))
			fprintf(file, "%s%s",
				n++	      ? ", "
				: is_measured ? "only measured: "
					      : "only predicted: ",
				p->name);
	}
	if (n)
		fputs("; ", file);
}

/* Names that only one of both has: of another program, or not of the same problem. */
static char *describe_mismatch(const struct val_places *places)
{
	const struct val_phases *const lists[] = {&places->phases, &places->parts};
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	for (int i = 0; file && i < 2; i++) {
		name_missing(lists[i], true, file);
		name_missing(lists[i], false, file);
	}
	if (!file || fclose(file) || size == 0) {
		free(text);
		return NULL;
	}
	text[size - 2] = '\0';
	return text;
}

int val_phases_read(const char *log, const char *prediction, struct val_places *out,
		    struct util_error *err)
{
	struct reading reading = {.path = log};
	struct val_trace_reader reader = {
	    .context = &reading, .phase = take_phase, .part = take_part};
	bool is_trace = val_is_trace(log);
	int failed = is_trace ? val_trace_read(log, &reader, err) : read_log(&reading, err);
	struct val_places places;

	reading.has_all_ranks = is_trace;
	reading.has_cpu_clock = reader.has_cpu_clock;
	if (is_trace)
		reading.n_ranks = reader.n_ranks;
	if (!failed)
		failed = check_log(&reading, err);
	if (!failed)
		failed = read_prediction(&reading, prediction, err);
	free(reading.open);
	places = (struct val_places){reading.phases, reading.parts, reading.sizes, NULL};
	if (failed) {
		val_phases_finish(&places);
		return failed;
	}
	places.mismatch = describe_mismatch(&places);
	*out = places;
	return 0;
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
	free(places->mismatch);
	places->mismatch = NULL;
}
