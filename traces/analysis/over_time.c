// SPDX-License-Identifier: BSD-3-Clause
/* Efficiencies that multiply, in windows of time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

	return (x->time > y->time) - (x->time < y->time);
}

/* Phases of several ranks may overlap otherwise on an ideal network: no run goes back. Of marks at
 * one time the furthest stays. */
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

static void add_mark(struct progress *progress, sim_time_ps time, double ideal_s)
{
	progress->marks[progress->n_marks++] = (struct mark){time, ideal_s};
}

/* Begin and end of a job, and of phases: of the job, or all. */
static int set_marks(struct progress *progress, const struct trace_explanation *e)
{
	const struct trace_analysis *analysis = e->analysis;
	const struct trace_summary *summary = analysis->summary;
	size_t n = (size_t)(summary->phases.n + e->n_jobs) + 1;
	struct trace_ideal_span same = {.end_s = trace_ideal_time(e->ideal)};

	progress->marks = calloc(2 * n, sizeof *progress->marks);
	if (!progress->marks)
		return -1;
	if (e->job && !trace_ideal_job(e->ideal, e->job->name, &same))
		return 0;
	add_mark(progress, e->begin, same.begin_s);
	add_mark(progress, e->end, same.end_s);
	for (int i = 0; i < e->n_jobs; i++) {
		const struct trace_job *job = e->jobs[i].job;

		if (!trace_ideal_job(e->ideal, job->name, &same))
			continue;
		add_mark(progress, job->begin, same.begin_s);
		add_mark(progress, job->end, same.end_s);
	}
	for (int i = 0; i < summary->phases.n && i < analysis->n_regions; i++) {
		const struct trace_phase *phase = summary->phases.of[i];

		if ((e->job && analysis->regions[i].job != e->job_number) ||
		    !trace_ideal_phase(e->ideal, summary->phase_names.text[phase->name],
				       phase->index, &same))
			continue;
		add_mark(progress, phase->begin, same.begin_s);
		add_mark(progress, phase->end, same.end_s);
	}
	order_marks(progress);
	return 0;
}

/* The advance of the clocks of the job, or of all, in bins as wide as those of `present`. */
static double advance_ps(const struct trace_explanation *e, const struct trace_curve *present,
			 int bin)
{
	const struct trace_analysis *analysis = e->analysis;
	double sum = 0;

	for (int job = 0; job < analysis->n_jobs; job++) {
		const struct trace_curve *advance = &analysis->advance[job];
		/* A clock that hardly moves has bins so small that all lie in the first one here. */
		sim_time_ps ratio = present->width / advance->width;
		int per_bin = ratio < TRACE_CURVE_BINS ? (int)ratio : TRACE_CURVE_BINS;

		if (e->job && job != e->job_number)
			continue;
		for (int k = bin * per_bin; k < (bin + 1) * per_bin && k < TRACE_CURVE_BINS; k++)
			sum += advance->amount[k];
	}
	return sum;
}

/* The mean is that of the ranks that are there: one that has ended holds up nobody. */
static void set_clock(struct progress *progress, const struct trace_explanation *e,
		      struct trace_curve *present)
{
	const struct trace_analysis *analysis = e->analysis;

	for (int job = 0; job < analysis->n_jobs; job++)
		if (present->width < analysis->advance[job].width)
			present->width = analysis->advance[job].width;
	for (int i = 0; i < e->units.n_ranks; i++) {
		const struct trace_rank *rank = &analysis->summary->ranks[e->units.first_rank + i];
		sim_time_ps begin = rank->begin > e->begin ? rank->begin : e->begin;
		sim_time_ps end = rank->has_ended ? rank->sums.last : e->end;

		if (e->units.of[i] >= 0)
			trace_curve_add(present, begin, end, (double)(end - begin));
	}
	progress->width = present->width;
	for (int i = 0; i < TRACE_CURVE_BINS; i++) {
		progress->rate[i] =
		    present->amount[i] > 0 ? advance_ps(e, present, i) / present->amount[i] : 0;
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
	set_clock(progress, explanation, present);
	free(present);
	return explanation->ideal ? set_marks(progress, explanation) : 0;
}

struct windows { /* of a run or a job */
	sim_time_ps begin, end, width;
	int n;
};

/* Windows begin at multiples of 1 ns times a power of two, as the bins of all curves; so the first
 * and last of a job may be shorter. */
static struct windows windows_of(const struct trace_explanation *e, int max)
{
	struct windows w = {e->begin, e->end, e->analysis->useful_over_time.width, 0};

	while (w.end / w.width - w.begin / w.width >= max)
		w.width *= 2;
	if (w.end > w.begin)
		w.n = (int)((w.end - 1) / w.width - w.begin / w.width) + 1;
	return w;
}

/* Where window `i` begins; of n: where the last one ends. */
static sim_time_ps bound(const struct windows *w, int i)
{
	sim_time_ps time = (w->begin / w->width + i) * w->width;

	return time < w->begin ? w->begin : time > w->end ? w->end : time;
}

static double window_s(const struct windows *w, int i)
{
	return sim_time_to_s(bound(w, i + 1) - bound(w, i));
}

/*
 * Where ranks share cores, steps that count evenly over their length may give a window more than
 * its cores can do: others computed in a part of that time only. The excess goes to the next
 * windows, and what is left at the end to the last ones before it that have room.
 */
static void move_excess(const struct trace_units *units, const struct windows *w, double done_s[])
{
	for (int unit = 0; unit < units->n; unit++) {
		double excess_s = 0;

		for (int k = 0; k < 2 * w->n; k++) { /* there and back */
			int i = k < w->n ? k : 2 * w->n - 1 - k;
			double *done = &done_s[(size_t)i * (size_t)units->n + (size_t)unit];
			double all_s = *done + excess_s;

			*done = fmin(all_s, window_s(w, i) * units->width[unit]);
			excess_s = all_s - *done;
		}
	}
}

/* done_s: [w->n * units.n], what each unit computed in each window. Returns 0, or -1 without
 * memory. */
static int sum_windows(struct trace_explanation *e, const struct windows *w, double done_s[])
{
	const struct trace_curves *curves = &e->analysis->useful_over_time;
	struct trace_units *units = &e->units;
	int n_ranks = e->analysis->n_ranks;
	double *useful_s = calloc((size_t)n_ranks + 1, sizeof *useful_s);

	if (!useful_s)
		return -1;
	for (int i = 0; i < w->n; i++) {
		sim_time_ps begin = bound(w, i), first = begin - begin % curves->width;

		for (int k = 0; k < units->n_ranks; k++)
			useful_s[units->first_rank + k] =
			    trace_curves_sum(curves, units->first_rank + k, first, bound(w, i + 1));
		trace_units_sum(units, (struct trace_useful){0},
				(struct trace_useful){useful_s, n_ranks});
		memcpy(done_s + (size_t)i * (size_t)units->n, units->sum_s,
		       (size_t)units->n * sizeof *done_s);
	}
	free(useful_s);
	move_excess(units, w, done_s);
	return 0;
}

/* done_s: [units->n] */
static struct trace_tree tree_within(struct trace_units *units, const double done_s[],
				     double length_s, double ideal_s)
{
	struct trace_tree tree;

	memcpy(units->sum_s, done_s, (size_t)units->n * sizeof *done_s);
	tree = trace_tree_of(units, length_s, 0);
	ideal_s = fmin(fmax(ideal_s, tree.useful_max_s), length_s);
	tree = trace_tree_of(units, length_s, ideal_s);
	if (tree.useful_max_s <= 0)
		tree.load_balance = NAN;
	if (ideal_s <= 0)
		tree.serialization = NAN;
	return tree;
}

int trace_tree_curve(struct trace_explanation *explanation, int max_windows,
		     struct trace_tree_window out[], struct util_error *err)
{
	struct windows w = windows_of(explanation, max_windows);
	size_t n_units = (size_t)explanation->units.n;
	double *done_s = calloc((size_t)w.n * n_units + 1, sizeof *done_s);
	struct progress *progress = calloc(1, sizeof *progress);
	bool failed = !done_s || !progress || sum_windows(explanation, &w, done_s) ||
		      progress_init(progress, explanation);

	for (int i = 0; i < w.n && !failed; i++) {
		sim_time_ps begin = bound(&w, i), end = bound(&w, i + 1);

		out[i].begin_s = sim_time_to_s(begin);
		out[i].end_s = sim_time_to_s(end);
		out[i].tree =
		    tree_within(&explanation->units, done_s + (size_t)i * n_units, window_s(&w, i),
				ideal_at(progress, end) - ideal_at(progress, begin));
	}
	if (progress)
		free(progress->marks);
	free(progress);
	free(done_s);
	return failed ? util_error_set(err, UTIL_ENOMEM, "out of memory for efficiency over time")
		      : w.n;
}
