/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/validate/trace.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "mtrace/reader.h"

struct walk {
	const struct val_trace_reader *reader;
	struct mtrace_file *file;
	struct mtrace_cursor at;
	uint64_t op;	  /* of the last record that times may follow */
	const char *name; /* of its phase or function */
	int64_t now_ns;
	double charged_s; /* of computation since then */
	bool has_times;
};

bool val_is_computation(const char *name)
{
	return strcmp(name, VAL_COMPUTING) == 0 || strcmp(name, VAL_WAITING) == 0;
}

bool val_is_trace(const char *path)
{
	char magic[sizeof MTRACE_MAGIC - 1];
	FILE *file = fopen(path, "rb");
	bool is_trace = file && fread(magic, sizeof magic, 1, file) == 1 &&
			memcmp(magic, MTRACE_MAGIC, sizeof magic) == 0;

	if (file)
		fclose(file);
	return is_trace;
}

static int take_charge(struct walk *w, struct util_error *err)
{
	double seconds;

	mtrace_get_uint(&w->at);
	mtrace_get_byte(&w->at);
	seconds = mtrace_get_double(&w->at);
	for (int n = mtrace_get_byte(&w->at); n > 0; n--)
		mtrace_get_double(&w->at);
	w->charged_s += seconds;
	return w->reader->part(w->reader->context, VAL_COMPUTING, seconds, err);
}

/* What passed since the last call, or the last phase's begin or end, and was no computation. */
static int take_gap(struct walk *w, int64_t begin_ns, struct util_error *err)
{
	double waited_s = (double)(begin_ns - w->now_ns) * 1e-9 - w->charged_s;
	bool is_first = w->now_ns == 0, has_computed = w->charged_s != 0;

	w->charged_s = 0;
	if (!w->reader->has_cpu_clock || is_first || !has_computed)
		return 0;
	return w->reader->part(w->reader->context, VAL_WAITING, waited_s, err);
}

static int take_times(struct walk *w, struct util_error *err)
{
	int64_t begin_ns = w->now_ns + (int64_t)mtrace_get_uint(&w->at);
	double took_s = (double)mtrace_get_uint(&w->at) * 1e-9;
	void *context = w->reader->context;
	int failed = take_gap(w, begin_ns, err);

	if (failed)
		return failed;

	w->now_ns = begin_ns + (int64_t)(took_s * 1e9 + 0.5);
	w->has_times = true;
	if (w->op >= MTRACE_CALL)
		return w->reader->part(context, w->name, took_s, err);
	return w->reader->phase(context, w->at.rank, w->name, (double)begin_ns * 1e-9, err);
}

static int take_call(struct walk *w, uint64_t function, struct util_error *err)
{
	if (function >= w->file->n_functions)
		return mtrace_cursor_damaged(&w->at, "no such function", err);
	w->name = w->file->functions[function].name;
	mtrace_get_uint(&w->at);
	mtrace_skip_arguments(&w->at, w->file->functions[function].signature);
	return 0;
}

static int take_record(struct walk *w, struct util_error *err)
{
	/* varints of the records that nothing is taken from */
	static const int n_numbers[] = {[MTRACE_END] = 1,
					[MTRACE_CLOCK] = 1,
					[MTRACE_SLEEP] = 2,
					[MTRACE_TYPE] = 6,
					[MTRACE_NODE_ACQUIRE] = 0};
	uint64_t op = mtrace_get_uint(&w->at), string;

	if (op == MTRACE_CHARGE)
		return take_charge(w, err);
	if (op == MTRACE_TIMES)
		return take_times(w, err);
	w->op = op;
	w->name = NULL;
	if (op >= MTRACE_CALL)
		return take_call(w, op - MTRACE_CALL, err);
	if (op == MTRACE_PHASE_BEGIN) {
		string = mtrace_get_uint(&w->at);
		if (string >= w->file->n_strings)
			return mtrace_cursor_damaged(&w->at, "no such text", err);
		w->name = w->file->strings[string];
		return 0;
	}
	if (op >= sizeof n_numbers / sizeof n_numbers[0])
		return mtrace_cursor_damaged(&w->at, "no such record", err);
	for (int i = 0; i < n_numbers[op]; i++)
		mtrace_get_uint(&w->at);
	if (op == MTRACE_TYPE)
		mtrace_get_byte(&w->at);
	return 0;
}

static int read_rank(struct walk *w, int rank, struct util_error *err)
{
	int failed = mtrace_cursor_open(w->file, rank, &w->at, err), more = 0;

	if (failed)
		return failed;
	w->now_ns = 0;
	w->charged_s = 0;
	while (!failed && (more = mtrace_cursor_more(&w->at, err)) > 0)
		failed = take_record(w, err);
	mtrace_cursor_close(&w->at);
	return failed ? failed : more;
}

static bool has_cpu_clock(const struct mtrace_file *file)
{
	json_t *root = json_loads(file->provenance, 0, NULL);
	const char *clock = json_string_value(json_object_get(root, "clock"));
	bool is_cpu = clock && strcmp(clock, "cpu") == 0;

	json_decref(root);
	return is_cpu;
}

int val_trace_read(const char *path, struct val_trace_reader *reader, struct util_error *err)
{
	struct walk walk = {.reader = reader};
	int failed = mtrace_file_open(path, &walk.file, err);

	if (!failed) {
		reader->has_cpu_clock = has_cpu_clock(walk.file);
		reader->n_ranks = walk.file->n_ranks;
	}
	for (int rank = 0; !failed && rank < walk.file->n_ranks; rank++)
		failed = read_rank(&walk, rank, err);
	if (!failed && !walk.has_times)
		failed = util_refuse(err, "%s: found no times, wanted a trace of a real run", path);
	mtrace_file_close(walk.file);
	return failed;
}
