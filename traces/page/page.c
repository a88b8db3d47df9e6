// SPDX-License-Identifier: BSD-3-Clause
#include "traces/page/page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "traces/json.h"
#include "traces/names.h"
#include "traces/real/real.h"

enum { MAX_PHASES = 500 }; /* that are shown */

/* Times are whole numbers of a unit, so that JavaScript's numbers hold their sums exactly and the
 * page stays small: the least power of ten of picoseconds for which the run has fewer than 2^40. */
#define MAX_UNITS ((int64_t)1 << 40)

static sim_time_ps choose_unit(sim_time_ps end)
{
	sim_time_ps unit = 1;

	while (end / unit >= MAX_UNITS)
		unit *= 10;
	return unit;
}

static json_t *integer(int64_t value)
{
	return json_integer((json_int_t)value);
}

static int compare_begins(const void *a, const void *b)
{
	const struct trace_interval *left = a, *right = b;

	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	return (left->begin > right->begin) - (left->begin < right->begin);
}

/* For each rank a list of kind, gap to the one before, length; kind = 3 x name + activity. */
static json_t *intervals_json(const struct trace_detail *detail, struct trace_names *names,
			      sim_time_ps unit)
{
	size_t n = (size_t)detail->n_intervals;
	struct trace_interval *sorted = malloc((n + 1) * sizeof *sorted);
	json_t *rows = json_array(), *row = NULL;
	int64_t last = 0;
	int next_rank = 0;

	for (size_t i = 0; sorted && i < n; i++)
		sorted[i] = detail->intervals[i];
	if (sorted)
		qsort(sorted, n, sizeof *sorted, compare_begins);
	for (size_t i = 0; sorted && i < n; i++) {
		const struct trace_interval *interval = &sorted[i];
		int name = trace_names_id(names, interval->name ? interval->name : "");
		int64_t begin = interval->begin / unit, end = interval->end / unit;

		while (next_rank <= interval->rank) {
			row = json_array();
			json_array_append_new(rows, row);
			last = 0;
			next_rank++;
		}
		json_array_append_new(row, integer(3 * (int64_t)name + interval->activity));
		json_array_append_new(row, integer(begin - last));
		json_array_append_new(row, integer(end - begin));
		last = end;
	}
	for (; next_rank < detail->n_rows; next_rank++)
		json_array_append_new(rows, json_array());
	free(sorted);
	return rows;
}

/* Each cell of the raster as three characters from '0' on, shares of the column in 63rds. */
static json_t *raster_row(const struct trace_detail *detail, int row, int n_columns)
{
	int first = row * detail->ranks_per_row, left = detail->n_ranks - first;
	double whole = (double)detail->column_width *
		       (left < detail->ranks_per_row ? left : detail->ranks_per_row);
	char text[3 * TRACE_RASTER_COLUMNS];

	for (int column = 0; column < n_columns; column++) {
		const struct trace_cell *cell =
		    &detail->raster[(size_t)row * TRACE_RASTER_COLUMNS + (size_t)column];

		for (int a = 0; a < TRACE_N_ACTIVITIES; a++) {
			double share = (double)cell->time[a] / whole;

			text[3 * column + a] =
			    (char)('0' + (int)(63 * (share < 1 ? share : 1) + 0.5));
		}
	}
	return json_stringn(text, 3 * (size_t)n_columns);
}

static json_t *raster_json(const struct trace_detail *detail, sim_time_ps end, sim_time_ps unit)
{
	json_t *object = json_object(), *rows = json_array();
	int n_columns = (int)(end / detail->column_width) + 1;

	for (int row = 0; row < detail->n_rows; row++)
		json_array_append_new(rows, raster_row(detail, row,
						       n_columns < TRACE_RASTER_COLUMNS
							   ? n_columns
							   : TRACE_RASTER_COLUMNS));
	json_object_set_new(object, "width",
			    trace_json_number((double)detail->column_width / (double)unit));
	json_object_set_new(object, "cells", rows);
	return object;
}

/* Source, destination, send, receive, size for each; those of collectives too. */
static json_t *messages_json(const struct trace_detail *detail, sim_time_ps unit)
{
	json_t *array = json_array();

	for (int i = 0; i < detail->n_messages; i++) {
		const struct trace_line *line = &detail->messages[i];

		json_array_append_new(array, integer(line->source));
		json_array_append_new(array, integer(line->dest));
		json_array_append_new(array, integer(line->sent / unit));
		json_array_append_new(array, integer(line->received / unit));
		json_array_append_new(array, integer(line->size_B));
	}
	return array;
}

static json_t *names_json(const struct trace_names *names)
{
	json_t *array = json_array();

	for (int i = 0; i < names->n; i++)
		json_array_append_new(array, trace_json_string(names->text[i]));
	return array;
}

static json_t *timeline_json(const struct trace_detail *detail, sim_time_ps end, sim_time_ps unit)
{
	bool is_exact = detail->is_complete && detail->ranks_per_row == 1;
	struct trace_names names;
	json_t *object = json_object();

	trace_names_init(&names);
	json_object_set_new(object, "unit_s", trace_json_number(1e-12 * (double)unit));
	json_object_set_new(object, "end", integer(end / unit));
	json_object_set_new(object, "ranks", json_integer(detail->n_ranks));
	json_object_set_new(object, "rows", json_integer(detail->n_rows));
	json_object_set_new(object, "ranks_per_row", json_integer(detail->ranks_per_row));
	json_object_set_new(object, "complete", json_boolean(is_exact));
	json_object_set_new(object, "intervals",
			    is_exact ? intervals_json(detail, &names, unit) : json_array());
	if (!is_exact)
		json_object_set_new(object, "raster", raster_json(detail, end, unit));
	json_object_set_new(object, "messages", messages_json(detail, unit));
	json_object_set_new(object, "messages_complete", json_boolean(detail->has_all_messages));
	json_object_set_new(object, "names", names_json(&names));
	trace_names_finish(&names);
	return object;
}

/* A real run beside it has the same axis. */
static int add_timelines(json_t *root, const struct trace_page *page)
{
	const struct trace_real *real = page->run->real;
	sim_time_ps end = page->run->summary->end, unit;
	int failed = 0;

	if (real && trace_real_end(real) > end)
		end = trace_real_end(real);
	unit = choose_unit(end);
	failed |= json_object_set_new(root, "timeline", timeline_json(page->detail, end, unit));
	if (real)
		failed |= json_object_set_new(root, "real_timeline",
					      timeline_json(trace_real_detail(real), end, unit));
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

static int compare_durations(const void *a, const void *b)
{
	double x = json_number_value(json_object_get(*(json_t *const *)a, "time_s"));
	double y = json_number_value(json_object_get(*(json_t *const *)b, "time_s"));

	return (x < y) - (x > y);
}

static double duration_of(const json_t *phase)
{
	return json_number_value(json_object_get(phase, "time_s"));
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
static int shorten_phases(json_t *analysis)
{
	const json_t *all = json_object_get(analysis, "phases");
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
	failed = json_object_set_new(analysis, "phases", longest_phases(all, sorted));
	free(sorted);
	return failed | json_object_set_new(analysis, "n_phases", json_integer((json_int_t)n));
}

/* The run as --json tells it, but for what the page does not show. */
static json_t *run_json(const struct trace_page *page)
{
	json_t *run = trace_json_run(page->run);

	json_object_del(run, "phases");
	if (!run || !shorten_phases(json_object_get(run, "analysis")))
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
	failed =
	    fputs(trace_page_before, file) == EOF ||
	    trace_page_write_data(root, file, JSON_COMPACT | JSON_REAL_PRECISION(12)) ||
	    fputs("\n", file) == EOF || fputs(trace_page_after, file) == EOF || fflush(file);
	json_decref(root);
	return failed ? util_error_errno(err, errno ? errno : EIO, "cannot write the HTML report")
		      : 0;
}
