// SPDX-License-Identifier: BSD-3-Clause
#include "traces/page/timeline.h"

#include <stdlib.h>

#include "traces/json.h"

enum { MANY_INTERVALS = 200000 };

sim_time_ps trace_page_unit(sim_time_ps end, int n_intervals)
{
	int64_t most = n_intervals > MANY_INTERVALS ? (int64_t)1 << 32 : (int64_t)1 << 40;
	sim_time_ps unit = 1;

	while (end / unit >= most)
		unit *= 10;
	return unit;
}

/* --- lists of numbers --- */

struct packed {
	unsigned char *bytes; /* [n] */
	size_t n, capacity;
	bool is_lost; /* out of memory */
};

static void put(struct packed *to, int64_t value)
{
	uint64_t rest = (uint64_t)value;

	if (to->n + 10 > to->capacity) {
		size_t capacity = 2 * to->capacity + 4096;
		unsigned char *grown = realloc(to->bytes, capacity);

		if (!grown) {
			to->is_lost = true;
			return;
		}
		to->bytes = grown;
		to->capacity = capacity;
	}
	for (; rest >= 128; rest >>= 7)
		to->bytes[to->n++] = (unsigned char)(rest | 128);
	to->bytes[to->n++] = (unsigned char)rest;
}

/* Numbers of either sign: 0, -1, 1, -2, … */
static void put_signed(struct packed *to, int64_t value)
{
	put(to, value < 0 ? -2 * value - 1 : 2 * value);
}

/* Frees what was packed. */
static json_t *packed_json(struct packed *from)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = from->is_lost ? NULL : malloc(from->n / 3 * 4 + 5), *to = text;
	json_t *string = NULL;

	for (size_t i = 0; text && i < from->n; i += 3) {
		size_t left = from->n - i;
		unsigned int bits = (unsigned int)from->bytes[i] << 16 |
				    (left > 1 ? (unsigned int)from->bytes[i + 1] << 8 : 0) |
				    (left > 2 ? from->bytes[i + 2] : 0);

		*to++ = digits[bits >> 18];
		*to++ = digits[bits >> 12 & 63];
		*to++ = left > 1 ? digits[bits >> 6 & 63] : '=';
		*to++ = left > 2 ? digits[bits & 63] : '=';
	}
	if (text)
		string = json_stringn_nocheck(text, (size_t)(to - text));
	free(text);
	free(from->bytes);
	return string;
}

/* --- what the ranks did --- */

static int compare_begins(const void *a, const void *b)
{
	const struct trace_interval *left = *(const struct trace_interval *const *)a;
	const struct trace_interval *right = *(const struct trace_interval *const *)b;

	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	return (left->begin > right->begin) - (left->begin < right->begin);
}

static const struct trace_interval **sort_intervals(const struct trace_detail *detail)
{
	const struct trace_interval **sorted =
	    malloc(((size_t)detail->n_intervals + 1) * sizeof *sorted);

	for (int i = 0; sorted && i < detail->n_intervals; i++)
		sorted[i] = &detail->intervals[i];
	if (sorted && detail->n_intervals > 0)
		qsort(sorted, (size_t)detail->n_intervals, sizeof *sorted, compare_begins);
	return sorted;
}

/* For each rank how many, then kind, gap to the one before, length of each; kind = 3 x site +
 * activity. */
static json_t *intervals_json(const struct trace_detail *detail, sim_time_ps unit)
{
	const struct trace_interval **sorted = sort_intervals(detail);
	struct packed packed = {.is_lost = !sorted};
	int i = 0, n = sorted ? detail->n_intervals : 0;

	for (int rank = 0; rank < detail->n_ranks; rank++) {
		int first = i;
		int64_t last = 0;

		while (i < n && sorted[i]->rank == rank)
			i++;
		put(&packed, i - first);
		for (int k = first; k < i; k++) {
			int64_t begin = sorted[k]->begin / unit, end = sorted[k]->end / unit;

			put(&packed, 3 * (int64_t)sorted[k]->site + sorted[k]->activity);
			put_signed(&packed, begin - last);
			put(&packed, end - begin);
			last = end;
		}
	}
	free(sorted);
	return packed_json(&packed);
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

/* --- messages, those of collectives too --- */

/* Of each: source, destination, when it was sent, each as what it differs by from the one before;
 * how much later its bulk entered the network, and it was received; size. */
static json_t *messages_json(const struct trace_detail *detail, sim_time_ps unit)
{
	struct packed packed = {.n = 0};
	int64_t source = 0, dest = 0, sent = 0;

	for (int i = 0; i < detail->n_messages; i++) {
		const struct trace_line *line = &detail->messages[i];

		put_signed(&packed, line->source - source);
		put_signed(&packed, line->dest - dest);
		put_signed(&packed, line->sent / unit - sent);
		put_signed(&packed, line->started / unit - line->sent / unit);
		put_signed(&packed, line->received / unit - line->sent / unit);
		put(&packed, line->size_B);
		source = line->source;
		dest = line->dest;
		sent = line->sent / unit;
	}
	return packed_json(&packed);
}

/* [name, line of the source] of each site. */
static json_t *kinds_json(const struct trace_detail *detail, const char *const *site_texts)
{
	json_t *array = json_array();

	for (int i = 0; i < detail->sites.n; i++) {
		json_t *kind = json_array();

		json_array_append_new(kind, trace_json_string(detail->sites.list[i].function));
		json_array_append_new(kind, trace_json_string(site_texts ? site_texts[i] : NULL));
		json_array_append_new(array, kind);
	}
	return array;
}

json_t *trace_page_timeline(const struct trace_detail *detail, const char *const *site_texts,
			    sim_time_ps end, sim_time_ps unit)
{
	json_t *object = json_object();
	int failed = 0;

	failed |= json_object_set_new(object, "unit_s", trace_json_number(1e-12 * (double)unit));
	failed |= json_object_set_new(object, "end", json_integer((json_int_t)(end / unit)));
	failed |= json_object_set_new(object, "ranks", json_integer(detail->n_ranks));
	failed |= json_object_set_new(object, "ranks_per_row", json_integer(detail->ranks_per_row));
	failed |= json_object_set_new(object, "complete", json_boolean(detail->is_complete));
	failed |= json_object_set_new(object, "n_intervals",
				      json_integer(detail->is_complete ? detail->n_intervals : 0));
	failed |= detail->is_complete
		      ? json_object_set_new(object, "intervals", intervals_json(detail, unit))
		      : json_object_set_new(object, "raster", raster_json(detail, end, unit));
	failed |= json_object_set_new(object, "n_messages", json_integer(detail->n_messages));
	failed |= json_object_set_new(object, "messages", messages_json(detail, unit));
	failed |= json_object_set_new(object, "messages_complete",
				      json_boolean(detail->has_all_messages));
	failed |= json_object_set_new(object, "kinds", kinds_json(detail, site_texts));
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}
