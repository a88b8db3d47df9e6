// SPDX-License-Identifier: BSD-3-Clause
#include "traces/page/page.h"

#include <errno.h>
#include <stdlib.h>

#include "traces/json.h"
#include "traces/page/timeline.h"
#include "traces/real/real.h"

enum { MAX_PHASES = 500 }; /* that are shown */

/* A real run beside it has the same axis. */
static int add_timelines(json_t *root, const struct trace_page *page)
{
	const struct trace_real *real = page->run->real;
	sim_time_ps end = page->run->summary->end, unit;
	int failed = 0;

	if (real && trace_real_end(real) > end)
		end = trace_real_end(real);
	unit = trace_page_unit(end, page->detail->n_intervals);
	failed |= json_object_set_new(
	    root, "timeline", trace_page_timeline(page->detail, page->site_texts, end, unit));
	if (real)
		failed |= json_object_set_new(
		    root, "real_timeline",
		    trace_page_timeline(trace_real_detail(real), NULL, end, unit));
	return failed;
}

static json_t *matrix_json(const struct trace_detail *detail)
{
	json_t *object = json_object(), *cells = json_array();

	for (int row = 0; row < detail->n_rows; row++)
		for (int column = 0; column < detail->n_rows; column++) {
			const struct trace_flow *flow =
			    &detail->flows[(size_t)row * (size_t)detail->n_rows + (size_t)column];

			if (flow->n_messages > 0)
				json_array_append_new(cells, json_pack("[i,i,I,I]", row, column,
								       (json_int_t)flow->n_messages,
								       (json_int_t)flow->size_B));
		}
	json_object_set_new(object, "rows", json_integer(detail->n_rows));
	json_object_set_new(object, "ranks_per_row", json_integer(detail->ranks_per_row));
	json_object_set_new(object, "cells", cells);
	return object;
}

static double duration_of(const json_t *phase)
{
	const json_t *span = json_object_get(phase, "span_s");

	return json_number_value(span ? span : json_object_get(phase, "time_s"));
}

static int compare_durations(const void *a, const void *b)
{
	double x = duration_of(*(json_t *const *)a), y = duration_of(*(json_t *const *)b);

	return (x < y) - (x > y);
}

/* The MAX_PHASES longest of `all`, in order; of equal ones the first. `sorted` is all of them, longest
 * first. */
static json_t *longest_phases(const json_t *all, json_t *const sorted[])
{
	double least_s = duration_of(sorted[MAX_PHASES - 1]);
	int n_least = 0;
	json_t *kept = json_array();

	for (int i = MAX_PHASES - 1; i >= 0 && duration_of(sorted[i]) == least_s; i--)
		n_least++;
	for (size_t i = 0; i < json_array_size(all); i++) {
		json_t *one = json_array_get(all, i);
		double duration_s = duration_of(one);

		if (duration_s > least_s || (duration_s == least_s && n_least-- > 0))
			json_array_append(kept, one);
	}
	return kept;
}

/* Of many phases the page shows the longest, and says how many there were. */
static int shorten_phases(json_t *of)
{
	const json_t *all = json_object_get(of, "phases");
	size_t n = json_array_size(all);
	json_t **sorted;
	int failed;

	if (n <= MAX_PHASES)
		return 0;
	sorted = malloc(n * sizeof(json_t *));
	if (!sorted)
		return -1;
	for (size_t i = 0; i < n; i++)
		sorted[i] = json_array_get(all, i);
	qsort(sorted, n, sizeof(json_t *), compare_durations);
	failed = json_object_set_new(of, "phases", longest_phases(all, sorted));
	free(sorted);
	return failed | json_object_set_new(of, "n_phases", json_integer((json_int_t)n));
}

/* The ranks by columns: each key once. */
static json_t *columns_json(const json_t *rows)
{
	json_t *columns = json_object(), *value;
	const char *key;
	size_t i;

	json_object_foreach(json_array_get(rows, 0), key, value)
	    json_object_set_new(columns, key, json_array());
	json_object_foreach(columns, key, value) for (i = 0; i < json_array_size(rows); i++)
	{
		json_t *cell = json_object_get(json_array_get(rows, i), key);

		json_array_append_new(value, cell ? json_incref(cell) : json_null());
	}
	return columns;
}

/* The run as --json tells it, but for what the page does not show. */
static json_t *run_json(const struct trace_page *page)
{
	json_t *run = trace_json_run(page->run);
	json_t *analysis = json_object_get(run, "analysis");

	if (!run)
		return NULL;
	json_object_del(json_object_get(analysis, "wait_states"), "ranks");
	if (!shorten_phases(run) && (!analysis || !shorten_phases(analysis)) &&
	    !json_object_set_new(run, "ranks", columns_json(json_object_get(run, "ranks"))))
		return run;
	json_decref(run);
	return NULL;
}

static json_t *data_json(const struct trace_page *page)
{
	json_t *root = json_object();
	int failed = 0;

	failed |= json_object_set_new(root, "run", run_json(page));
	failed |= add_timelines(root, page);
	failed |= json_object_set_new(root, "matrix", matrix_json(page->detail));
	if (page->cluster_text)
		failed |= json_object_set_new(root, "cluster_text",
					      trace_json_string(page->cluster_text));
	if (page->what_if)
		failed |= json_object_set(root, "what_if", page->what_if);
	if (!failed)
		return root;
	json_decref(root);
	return NULL;
}

/* Within <script> the text may not look like the element's end. */
static int write_escaped(const char *text, size_t size, void *file)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] == '<' ? fputs("\\u003c", file) == EOF : fputc(text[i], file) == EOF)
			return -1;
	return 0;
}

int trace_page_write_data(const json_t *data, FILE *file, size_t flags)
{
	return json_dump_callback(data, write_escaped, file, flags);
}

int trace_page_write(const struct trace_page *page, FILE *file, struct util_error *err)
{
	json_t *root = data_json(page);
	int failed;

	if (!root)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for the HTML report");
	errno = 0;
	failed = fputs(trace_page_before, file) == EOF ||
		 trace_page_write_data(root, file, JSON_COMPACT | JSON_REAL_PRECISION(12)) ||
		 fputs("\n", file) == EOF || fputs(trace_page_after, file) == EOF || fflush(file);
	json_decref(root);
	return failed ? util_error_errno(err, errno ? errno : EIO, "cannot write the HTML report")
		      : 0;
}
