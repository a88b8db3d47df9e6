// SPDX-License-Identifier: BSD-3-Clause
/* Efficiencies that multiply, in windows of time. */
#include <math.h>
#include <stdlib.h>

#include "traces/analysis/explain.h"
#include "traces/analysis/internal.h"

struct mark { /* an instant that both runs have */
	sim_time_ps time;
	double ideal_s;
};

struct progress {	   /* how far an ideal run has come when this run is at some time */
	sim_time_ps width; /* of bins in which the second clocks advance evenly */
	double clock_s[TRACE_CURVE_BINS]; /* their mean where each bin begins */
	double rate[TRACE_CURVE_BINS];	  /* its advance / time */
	struct mark *marks; /* [n_marks] in order, both times; none: the clocks tell */
	int n_marks;
};

static double clock_at(const struct progress *progress, sim_time_ps time)
{
	sim_time_ps bin = time / progress->width;

	if (bin >= TRACE_CURVE_BINS)
		bin = TRACE_CURVE_BINS - 1;
	return progress->clock_s[bin] +
	       progress->rate[bin] * sim_time_to_s(time - bin * progress->width);
}

/* Between two marks as the clocks went, slowed down where they came further than the ideal run;
 * what they lack comes evenly. */
static double ideal_at(const struct progress *progress, sim_time_ps time)
{
	const struct mark *mark = progress->marks;
	int first = 0, last = progress->n_marks - 1;
	double clock_s, all_s, ideal_s, part;

	if (progress->n_marks == 0)
		return clock_at(progress, time);
	if (time >= mark[last].time)
		return mark[last].ideal_s;
	while (last - first > 1) { /* mark[first].time <= time < mark[last].time */
		int middle = first + (last - first) / 2;

		*(mark[middle].time <= time ? &first : &last) = middle;
	}
	clock_s = clock_at(progress, time) - clock_at(progress, mark[first].time);
	all_s = clock_at(progress, mark[last].time) - clock_at(progress, mark[first].time);
	ideal_s = mark[last].ideal_s - mark[first].ideal_s;
	part = (double)(time - mark[first].time) / (double)(mark[last].time - mark[first].time);
	return mark[first].ideal_s +
	       (all_s > ideal_s ? clock_s * (ideal_s / all_s) : clock_s + part * (ideal_s - all_s));
}

static int compare_marks(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->ideal_s > y->ideal_s) - (x->ideal_s < y->ideal_s);
}

/* Phases of several ranks may overlap otherwise on an ideal network: no run goes back. Of marks at
 * one time the last stays. */
static void order_marks(struct progress *progress)
{
	struct mark *marks = progress->marks;
	int n = 0;

	qsort(marks, (size_t)progress->n_marks, sizeof *marks, compare_marks);
	for (int i = 0; i < progress->n_marks; i++) {
		struct mark mark = marks[i];

		if (n > 0)
			mark.ideal_s = fmax(mark.ideal_s, marks[n - 1].ideal_s);
		if (n == 0 || marks[n - 1].time < mark.time)
			n++;
		marks[n - 1] = mark;
	}
	progress->n_marks = n;
}

static int set_marks(struct progress *progress, const struct trace_explanation *explanation)
{
	const struct trace_summary *summary = explanation->analysis->summary;
	double all_s = trace_ideal_time(explanation->ideal);
	struct trace_ideal_phase same;

	progress->marks = calloc(2 * (size_t)summary->phases.n + 2, sizeof *progress->marks);
	if (!progress->marks)
		return -1;
	progress->marks[progress->n_marks++] = (struct mark){.time = 0};
	for (int i = 0; i < summary->phases.n; i++) {
		const struct trace_phase *phase = summary->phases.of[i];

		if (!trace_ideal_phase(explanation->ideal, summary->phase_names.text[phase->name],
				       phase->index, &same))
			continue;
		progress->marks[progress->n_marks++] = (struct mark){phase->begin, same.begin_s};
		progress->marks[progress->n_marks++] = (struct mark){phase->end, same.end_s};
	}
	progress->marks[progress->n_marks++] = (struct mark){summary->end, all_s};
	order_marks(progress);
	return 0;
}

/* The mean is that of the ranks that are there: one that has ended holds up nobody. */
static void set_clock(struct progress *progress, const struct trace_analysis *analysis,
		      struct trace_curve *present)
{
	const struct trace_curve *advance = &analysis->advance;
	int per_bin;

	present->width = advance->width;
	for (int i = 0; i < analysis->n_ranks; i++) {
		const struct trace_rank *rank = &analysis->summary->ranks[i];
		sim_time_ps end = rank->has_ended ? rank->sums.last : analysis->summary->end;

		trace_curve_add(present, rank->begin, end, (double)(end - rank->begin));
	}
	progress->width = present->width;
	per_bin = (int)(present->width / advance->width);
	for (int i = 0; i < TRACE_CURVE_BINS; i++) {
		double advance_ps = 0;

		for (int k = i * per_bin; k < (i + 1) * per_bin && k < TRACE_CURVE_BINS; k++)
			advance_ps += advance->amount[k];
		progress->rate[i] = present->amount[i] > 0 ? advance_ps / present->amount[i] : 0;
		progress->clock_s[i] =
		    i == 0 ? 0
			   : progress->clock_s[i - 1] +
				 progress->rate[i - 1] * sim_time_to_s(progress->width);
	}
}

static int progress_init(struct progress *progress, const struct trace_explanation *explanation)
{
	struct trace_curve *present = malloc(sizeof *present);

	progress->marks = NULL;
	progress->n_marks = 0;
	if (!present)
		return -1;
	trace_curve_init(present);
	set_clock(progress, explanation->analysis, present);
	free(present);
	return explanation->ideal ? set_marks(progress, explanation) : 0;
}

/*
 * `useful_s`, `excess_s`: [n_units], room. Steps count evenly over their length. Where ranks share
 * cores, that may give a window more than its cores can do: the excess goes to the next.
 */
static struct trace_tree tree_within(const struct trace_analysis *analysis, double useful_s[],
				     double excess_s[], sim_time_ps begin, sim_time_ps end,
				     double ideal_s)
{
	double length_s = sim_time_to_s(end - begin);
	struct trace_tree tree;

	for (int i = 0; i < analysis->n_units; i++) {
		double most_s = length_s * analysis->unit_width[i];

		double all_s =
		    excess_s[i] + trace_curves_sum(&analysis->useful_over_time, i, begin, end);

		useful_s[i] = fmin(all_s, most_s);
		excess_s[i] = all_s - useful_s[i];
	}
	tree = trace_tree_of(analysis, NULL, useful_s, length_s, 0);
	ideal_s = fmin(fmax(ideal_s, tree.useful_max_s), length_s);
	tree = trace_tree_of(analysis, NULL, useful_s, length_s, ideal_s);
	if (tree.useful_max_s <= 0)
		tree.load_balance = NAN;
	if (ideal_s <= 0)
		tree.serialization = NAN;
	return tree;
}

/* All curves have windows of 1 ns times a power of two. */
static sim_time_ps window_width(const struct trace_analysis *analysis, int max_windows)
{
	sim_time_ps width = analysis->useful_over_time.width;

	while (width < analysis->advance.width || width * max_windows < analysis->summary->end)
		width *= 2;
	return width;
}

int trace_tree_curve(const struct trace_explanation *explanation, int max_windows,
		     struct trace_tree_window out[], struct util_error *err)
{
	const struct trace_analysis *analysis = explanation->analysis;
	sim_time_ps all = analysis->summary->end, width = window_width(analysis, max_windows);
	double *useful_s = calloc(2 * (size_t)analysis->n_units + 1, sizeof *useful_s);
	struct progress *progress = malloc(sizeof *progress);
	int n = 0;

	if (!useful_s || !progress || progress_init(progress, explanation)) {
		free(useful_s);
		free(progress);
		return util_error_set(err, UTIL_ENOMEM, "out of memory for efficiency over time");
	}
	for (sim_time_ps begin = 0; begin < all; begin += width, n++) {
		sim_time_ps end = begin + width < all ? begin + width : all;

		out[n].begin_s = sim_time_to_s(begin);
		out[n].end_s = sim_time_to_s(end);
		out[n].tree = tree_within(analysis, useful_s, useful_s + analysis->n_units, begin,
					  end, ideal_at(progress, end) - ideal_at(progress, begin));
	}
	free(progress->marks);
	free(progress);
	free(useful_s);
	return n;
}
