// SPDX-License-Identifier: BSD-3-Clause
/* The tables of a report. Times are seconds; the first line names the columns. */
#include <stdlib.h>

#include "traces/reasons.h"
#include "traces/report_parts.h"

static void write_text(const char *text, FILE *file)
{
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text == '\n' ? ' ' : *text, file);
	}
	fputc('"', file);
}

static void write_breakdown(const struct trace_breakdown *b, FILE *file)
{
	fprintf(file, ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g", b->useful_s, b->stolen_s,
		b->shared_s, b->communicating_s, b->waiting_s, b->ended_s, b->other_s,
		b->accelerator_s);
}

#define BREAKDOWN_COLUMNS "useful_s,stolen_s,shared_s,communicating_s,waiting_s,ended_s,other_s,accelerator_s"

static void write_ranks(const struct trace_report *report, FILE *file)
{
	fprintf(file, "rank,node," BREAKDOWN_COLUMNS
		      ",calls,messages_sent,messages_received,bytes_sent,bytes_received\n");
	for (int rank = 0; rank < report->summary->n_ranks; rank++) {
		const struct trace_rank *r = &report->summary->ranks[rank];
		struct trace_breakdown b = trace_rank_breakdown(report->summary, rank);

		fprintf(file, "%d,%d", rank, r->node);
		write_breakdown(&b, file);
		fprintf(file, ",%llu,%llu,%llu,%llu,%llu\n", (unsigned long long)r->sums.n_calls,
			(unsigned long long)r->sums.n_sent,
			(unsigned long long)(r->sums.n_received[0] + r->sums.n_received[1]),
			(unsigned long long)r->sums.sent_B,
			(unsigned long long)(r->sums.received_B[0] + r->sums.received_B[1]));
	}
}

/* The mean of the ranks of each row of the pictures. */
static void write_rows(const struct trace_report *report, FILE *file)
{
	int per_row = report->detail->ranks_per_row, n_ranks = report->summary->n_ranks;

	fprintf(file, "first_rank,last_rank," BREAKDOWN_COLUMNS "\n");
	for (int first = 0; first < n_ranks; first += per_row) {
		int last = first + per_row < n_ranks ? first + per_row - 1 : n_ranks - 1;
		double n = last - first + 1;
		struct trace_breakdown sum = {0};

		for (int rank = first; rank <= last; rank++) {
			struct trace_breakdown one = trace_rank_breakdown(report->summary, rank);

			trace_breakdown_add(&sum, &one);
		}
		fprintf(file, "%d,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", first, last,
			sum.useful_s / n, sum.stolen_s / n, sum.shared_s / n,
			sum.communicating_s / n, sum.waiting_s / n, sum.ended_s / n,
			sum.other_s / n, sum.accelerator_s / n);
	}
}

static void write_messages(const struct trace_report *report, FILE *file)
{
	const struct trace_detail *detail = report->detail;
	int n = detail->n_rows;

	fprintf(file, "from_rank,to_rank,messages,bytes\n");
	for (int i = 0; i < n * n; i++) {
		const struct trace_flow *flow = &detail->flows[i];

		if (flow->n_messages > 0)
			fprintf(file, "%d,%d,%llu,%llu\n", i / n * detail->ranks_per_row,
				i % n * detail->ranks_per_row, (unsigned long long)flow->n_messages,
				(unsigned long long)flow->size_B);
	}
}

uint64_t trace_report_flow(const struct trace_report *report, const struct trace_flow *flow)
{
	return report->has_volume ? flow->size_B : flow->n_messages;
}

/* The same as a matrix, which is what an image is drawn from: a line per sender. */
static void write_matrix(const struct trace_report *report, FILE *file)
{
	int n = report->detail->n_rows;

	for (int i = 0; i < n * n; i++)
		fprintf(file, "%llu%c",
			(unsigned long long)trace_report_flow(report, &report->detail->flows[i]),
			(i + 1) % n ? ',' : '\n');
}

static const char *const activity_names[] = {
    [TRACE_COMPUTING] = "computing",
    [TRACE_COMMUNICATING] = "communicating",
    [TRACE_WAITING] = "waiting",
};

static void write_intervals(const struct trace_report *report, FILE *file)
{
	const struct trace_detail *detail = report->detail;

	fprintf(file, "rank,begin_s,end_s,activity,name\n");
	for (int i = 0; i < detail->n_intervals; i++) {
		const struct trace_interval *interval = &detail->intervals[i];

		fprintf(file, "%d,%.17g,%.17g,%s,", interval->rank, sim_time_to_s(interval->begin),
			sim_time_to_s(interval->end), activity_names[interval->activity]);
		write_text(interval->name ? interval->name : "", file);
		fputc('\n', file);
	}
}

/* Pictures of more cells than this take long to draw and show no more. */
#define MAX_CELLS 250000

struct cells { /* of one row, side by side */
	int row, first_column, n_columns;
};

/* Fractions of the cells' time. */
static void write_cells(const struct trace_report *report, const struct cells *cells, FILE *file)
{
	const struct trace_detail *detail = report->detail;
	sim_time_ps begin = cells->first_column * detail->column_width, end = report->summary->end;
	sim_time_ps width = cells->n_columns * detail->column_width,
		    until = end - begin < width ? end : begin + width;
	int first = cells->row * detail->ranks_per_row, left = detail->n_ranks - first;
	double whole = (double)(left < detail->ranks_per_row ? left : detail->ranks_per_row) *
		       (double)(until - begin);
	double time[TRACE_N_ACTIVITIES] = {0};

	for (int i = 0; i < cells->n_columns; i++)
		for (int a = 0;
		     a < TRACE_N_ACTIVITIES && cells->first_column + i < TRACE_RASTER_COLUMNS; a++)
			time[a] += detail
				       ->raster[(size_t)cells->row * TRACE_RASTER_COLUMNS +
						(size_t)(cells->first_column + i)]
				       .time[a];
	fprintf(file, "%d,%.9g,%.9g,%.4g,%.4g,%.4g\n", first, sim_time_to_s(begin),
		sim_time_to_s(until), time[TRACE_COMPUTING] / whole,
		time[TRACE_COMMUNICATING] / whole, time[TRACE_WAITING] / whole);
}

/* From rank to rank and from column to column: a grid, as an image needs. */
static void write_raster(const struct trace_report *report, FILE *file)
{
	const struct trace_detail *detail = report->detail;
	int n_columns =
	    (int)((report->summary->end + detail->column_width - 1) / detail->column_width);
	struct cells cells = {.n_columns = 1};

	if (n_columns > TRACE_RASTER_COLUMNS)
		n_columns = TRACE_RASTER_COLUMNS;
	while (detail->n_rows * (n_columns / cells.n_columns) > MAX_CELLS)
		cells.n_columns *= 2;
	fprintf(file, "first_rank,begin_s,end_s,computing,communicating,waiting\n");
	for (cells.row = 0; cells.row < detail->n_rows; cells.row++)
		for (cells.first_column = 0; cells.first_column < n_columns;
		     cells.first_column += cells.n_columns)
			write_cells(report, &cells, file);
}

static void write_efficiency(const struct trace_report *report, FILE *file)
{
	static const int max_windows = 200;
	struct trace_window windows[200];
	int n = trace_efficiency_curve(report->summary, max_windows, windows);

	fprintf(file, "begin_s,end_s,useful_s,held_core_s,efficiency\n");
	for (int i = 0; i < n; i++)
		fprintf(file, "%.17g,%.17g,%.17g,%.17g,%.17g\n", windows[i].begin_s,
			windows[i].end_s, windows[i].useful_s, windows[i].held_core_s,
			windows[i].efficiency);
}

static void write_phases(const struct trace_report *report, FILE *file)
{
	const struct trace_summary *summary = report->summary;

	fprintf(file, "number,name,index,ranks,begin_s,end_s,efficiency,rank_time_s,useful_s,"
		      "communicating_s,waiting_s\n");
	for (int i = 0; i < summary->phases.n; i++) {
		const struct trace_phase *phase = summary->phases.of[i];

		fprintf(file, "%d,", i);
		write_text(summary->phase_names.text[phase->name], file);
		fprintf(file, ",%d,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", phase->index,
			phase->n_ranks, sim_time_to_s(phase->begin), sim_time_to_s(phase->end),
			trace_phase_efficiency(summary, phase), phase->time_s, phase->useful_s,
			phase->communicating_s, phase->waiting_s);
	}
}

static void write_factors(const struct trace_report *report, FILE *file)
{
	fprintf(file, "begin_s,end_s,parallel,load_balance,serialization,transfer\n");
	for (int i = 0; i < report->n_windows; i++) {
		const struct trace_tree_window *window = &report->windows[i];

		fprintf(file, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", window->begin_s,
			window->end_s, window->tree.parallel, window->tree.load_balance,
			window->tree.serialization, window->tree.transfer);
	}
}

static void write_bandwidth(const struct trace_report *report, FILE *file)
{
	const struct trace_bandwidth *curve = report->run->reasons->bandwidth;

	fprintf(file, "bandwidth_Bps,predicted_time_s\n");
	for (int i = 0; i < TRACE_N_BANDWIDTHS; i++)
		fprintf(file, "%.17g,%.17g\n", curve->points[i].bandwidth_Bps,
			curve->points[i].predicted_s);
}

const struct trace_report_file trace_report_tables[] = {
    {"ranks.csv", write_ranks},		  {"breakdown.csv", write_rows},
    {"messages.csv", write_messages},	  {"messages-matrix.csv", write_matrix},
    {"timeline.csv", write_intervals},	  {"timeline-raster.csv", write_raster},
    {"efficiency.csv", write_efficiency}, {"factors.csv", write_factors},
    {"phases.csv", write_phases},	  {"bandwidth.csv", write_bandwidth},
    {NULL, NULL},
};
