/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/validate/trace.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "traces/real/walk.h"

struct walk {
	const struct val_trace_reader *reader;
	struct mtrace_file *file;
	struct trace_real_walk at;
	int64_t last_ns;
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

static int take_charges(struct walk *w, struct util_error *err)
{
	int failed = 0;

	for (int i = 0; i < w->at.n_charges && !failed; i++) {
		w->charged_s += w->at.charges[i].seconds;
		failed = w->reader->part(w->reader->context, VAL_COMPUTING,
					 w->at.charges[i].seconds, err);
	}
	w->at.n_charges = 0;
	return failed;
}

/* What passed since the last call, or the last phase's begin or end, and was no computation. */
static int take_gap(struct walk *w, int64_t begin_ns, struct util_error *err)
{
	double waited_s = (double)(begin_ns - w->last_ns) * 1e-9 - w->charged_s;
	bool is_first = w->last_ns == 0, has_computed = w->charged_s != 0;

	w->charged_s = 0;
	if (!w->reader->has_cpu_clock || is_first || !has_computed)
		return 0;
	return w->reader->part(w->reader->context, VAL_WAITING, waited_s, err);
}

static int take_item(struct walk *w, int rank, const struct trace_real_item *item,
		     struct util_error *err)
{
	void *context = w->reader->context;
	int failed = take_charges(w, err);

	if (!item->has_times || failed)
		return failed;
	failed = take_gap(w, item->begin_ns, err);
	if (failed)
		return failed;
	w->last_ns = item->end_ns;
	w->has_times = true;
	if (item->kind == TRACE_REAL_CALL)
		return w->reader->part(context, item->name,
				       (double)(item->end_ns - item->begin_ns) * 1e-9, err);
	return w->reader->phase(context, rank, item->name, (double)item->begin_ns * 1e-9, err);
}

static int read_rank(struct walk *w, int rank, struct util_error *err)
{
	struct trace_real_item item;
	int failed = trace_real_walk_open(w->file, rank, &w->at, err), more = 0;

	w->last_ns = 0;
	w->charged_s = 0;
	while (!failed && (more = trace_real_walk_next(&w->at, &item, err)) > 0)
		failed = take_item(w, rank, &item, err);
	if (!failed && more == 0)
		failed = take_charges(w, err);
	trace_real_walk_close(&w->at);
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
