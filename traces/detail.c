// SPDX-License-Identifier: BSD-3-Clause
#include "traces/detail.h"

#include <stdlib.h>

#include "traces/real/real.h"
#include "util/array.h"

#define FIRST_WIDTH_PS 1000

static void raster_fold(struct trace_detail *detail)
{
	for (int row = 0; row < detail->n_rows; row++) {
		struct trace_cell *cells = &detail->raster[(size_t)row * TRACE_RASTER_COLUMNS];

		for (int i = 0; i < TRACE_RASTER_COLUMNS; i++) {
			struct trace_cell merged = {{0}};

			for (int a = 0; a < TRACE_N_ACTIVITIES && i < TRACE_RASTER_COLUMNS / 2; a++)
				merged.time[a] = cells[2 * i].time[a] + cells[2 * i + 1].time[a];
			cells[i] = merged;
		}
	}
	detail->column_width *= 2;
}

static void raster_add(struct trace_detail *detail, int rank, enum trace_activity activity,
		       sim_time_ps begin, sim_time_ps end)
{
	struct trace_cell *cells;

	while (end / detail->column_width >= TRACE_RASTER_COLUMNS)
		raster_fold(detail);
	cells = &detail->raster[(size_t)(rank / detail->ranks_per_row) * TRACE_RASTER_COLUMNS];
	while (begin < end) {
		sim_time_ps column = begin / detail->column_width;
		sim_time_ps left = detail->column_width - begin % detail->column_width;

		if (left > end - begin)
			left = end - begin;
		cells[column].time[activity] += (float)left;
		begin += left;
	}
}

static void add(struct trace_detail *detail, int rank, enum trace_activity activity,
		const char *name, const void *address, sim_time_ps begin, sim_time_ps end)
{
	int site = -1;

	if (end <= begin || begin < 0 || rank >= detail->n_ranks)
		return;
	raster_add(detail, rank, activity, begin, end);
	if (detail->n_intervals == TRACE_MAX_INTERVALS ||
	    !util_array_room(&detail->intervals, (size_t)detail->n_intervals,
			     sizeof *detail->intervals))
		detail->is_complete = false;
	if (detail->is_complete)
		site = trace_sites_id(&detail->sites, name, address);
	if (detail->is_complete && site < 0)
		detail->is_complete = false;
	if (detail->is_complete)
		detail->intervals[detail->n_intervals++] =
		    (struct trace_interval){.rank = rank,
					    .activity = activity,
					    .site = site,
					    .name = name,
					    .begin = begin,
					    .end = end};
}

static void detail_compute(void *context, const struct sim_record_compute *record)
{
	struct trace_detail *detail = context;

	add(detail, record->rank, TRACE_COMPUTING, record->kernel, NULL, record->begin,
	    record->end);
}

/* Within a call, waiting is drawn first: most calls wait for a partner, and then for the bytes. */
static void detail_call(void *context, const struct sim_record_call *record)
{
	struct trace_detail *detail = context;
	sim_time_ps middle = record->begin + record->waiting;

	add(detail, record->rank, TRACE_WAITING, record->function, record->site, record->begin,
	    middle);
	add(detail, record->rank, TRACE_COMMUNICATING, record->function, record->site, middle,
	    record->end);
	if (detail->real)
		trace_real_see_call(detail->real, record);
}

static void add_line(struct trace_detail *detail, const struct sim_record_message *record)
{
	if (detail->n_messages == TRACE_MAX_LINES ||
	    !util_array_room(&detail->messages, (size_t)detail->n_messages,
			     sizeof *detail->messages))
		detail->has_all_messages = false;
	if (detail->has_all_messages)
		detail->messages[detail->n_messages++] =
		    (struct trace_line){record->source, record->dest,	 record->size_B,
					record->sent,	record->started, record->received};
}

static void detail_message(void *context, const struct sim_record_message *record)
{
	struct trace_detail *detail = context;
	size_t row = (size_t)(record->source / detail->ranks_per_row);
	size_t column = (size_t)(record->dest / detail->ranks_per_row);
	bool is_drawn = record->source < detail->n_ranks && record->dest < detail->n_ranks;

	if (is_drawn) {
		struct trace_flow *flow = &detail->flows[row * (size_t)detail->n_rows + column];

		flow->n_messages++;
		flow->size_B += (uint64_t)record->size_B;
		add_line(detail, record);
	}
}

/* Copies into tables of `n_rows` rows for `per_row` ranks each, a multiple of what it was. */
static int resize(struct trace_detail *detail, int n_rows, int per_row)
{
	size_t n = (size_t)n_rows, columns = TRACE_RASTER_COLUMNS;
	struct trace_cell *raster = calloc(n * columns, sizeof *raster);
	struct trace_flow *flows = calloc(n * n, sizeof *flows);
	size_t merged = (size_t)(per_row / detail->ranks_per_row), old = (size_t)detail->n_rows;

	if (!raster || !flows) {
		free(raster);
		free(flows);
		return -1;
	}
	for (size_t i = 0; i < old * columns; i++)
		for (int a = 0; a < TRACE_N_ACTIVITIES; a++)
			raster[i / columns / merged * columns + i % columns].time[a] +=
			    detail->raster[i].time[a];
	for (size_t i = 0; i < old * old; i++) {
		struct trace_flow *flow = &flows[i / old / merged * n + i % old / merged];

		flow->n_messages += detail->flows[i].n_messages;
		flow->size_B += detail->flows[i].size_B;
	}
	free(detail->raster);
	free(detail->flows);
	detail->raster = raster;
	detail->flows = flows;
	detail->n_rows = n_rows;
	detail->ranks_per_row = per_row;
	return 0;
}

static void detail_rank_begin(void *context, int rank, int parent, int node, sim_time_ps now)
{
	struct trace_detail *detail = context;
	int per_row = detail->ranks_per_row, n_rows;

	while ((rank + per_row) / per_row > TRACE_MAX_ROWS)
		per_row *= 2;
	n_rows = (rank + per_row) / per_row;
	if (n_rows == detail->n_rows || !resize(detail, n_rows, per_row))
		detail->n_ranks = rank + 1; /* else nothing is drawn of it */
}

struct sim_observer trace_detail_observer(struct trace_detail *detail)
{
	return (struct sim_observer){
	    .context = detail,
	    .compute = detail_compute,
	    .call = detail_call,
	    .message = detail_message,
	    .rank_begin = detail_rank_begin,
	};
}

int trace_detail_create(int n_ranks, struct trace_detail **out, struct util_error *err)
{
	struct trace_detail *detail = calloc(1, sizeof *detail);
	size_t n_rows;

	if (!detail)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for the report");
	detail->n_ranks = n_ranks;
	detail->ranks_per_row = (n_ranks + TRACE_MAX_ROWS - 1) / TRACE_MAX_ROWS;
	detail->n_rows = (n_ranks + detail->ranks_per_row - 1) / detail->ranks_per_row;
	trace_sites_init(&detail->sites, NULL, NULL);
	detail->is_complete = true;
	detail->has_all_messages = true;
	detail->column_width = FIRST_WIDTH_PS;
	n_rows = (size_t)detail->n_rows;
	detail->raster = calloc(n_rows * TRACE_RASTER_COLUMNS, sizeof *detail->raster);
	detail->flows = calloc(n_rows * n_rows, sizeof *detail->flows);
	if (!detail->raster || !detail->flows) {
		trace_detail_destroy(detail);
		return util_error_set(err, UTIL_ENOMEM, "out of memory for the report");
	}
	*out = detail;
	return 0;
}

void trace_detail_destroy(struct trace_detail *detail)
{
	if (!detail)
		return;
	trace_sites_finish(&detail->sites);
	free(detail->intervals);
	free(detail->messages);
	free(detail->raster);
	free(detail->flows);
	free(detail);
}
