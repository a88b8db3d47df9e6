/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the plain model on: a latency, a bandwidth and overheads. Then one mechanism more at a time,
 * whichever predicts most, kept if it does so better than a number more would by chance (Bayesian
 * information criterion).
 */
#include "search.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gsl/gsl_errno.h>

#include "util/array.h"

enum {
	MOST_ROUNDS = 10,
	REFINED = 6,
	REFINED_ROUGH = 3,
	FEW_STEPS = 2,
	MANY_STEPS = 8,
	MORE_TIMES = 2
};
static const double WORTH = 1;	    /* a gain that more steps may follow */
static const double ENOUGH = 0.001; /* a loss of which nothing is left to explain */
/* What most are off is their noise: not less than the first one, nor more than the second. */
static const double LEAST_NOISE = 0.01, MOST_NOISE = 0.2;
static const double MEDIAN_TO_DEVIATION = 1.4826;

int view_begin(struct view *view, int n, struct util_error *err)
{
	view->n = n;
	view->scatter = calloc(2 * (size_t)n + 1, sizeof(*view->scatter));
	if (!view->scatter)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	view->weight = view->scatter + n;
	return 0;
}

void view_end(struct view *view)
{
	free(view->scatter);
}

void view_may(struct view *view, enum parameter_id id, double value)
{
	struct starts *starts = &view->starts[id];

	if (starts->n < STARTS && isfinite(value) && value > 0)
		starts->values[starts->n++] = value;
}

void view_may_all(struct view *view, enum parameter_id id, const double *values)
{
	for (; *values > 0; values++)
		view_may(view, id, *values);
}

void view_add_time(struct view *view, int where, double size_B, double time_s, bool may_begin)
{
	struct curve *curve = &view->curves[where];

	if (curve->n == CURVE || !(time_s > 0))
		return;
	curve->sizes_B[curve->n] = size_B;
	curve->may_begin[curve->n] = may_begin;
	curve->times_s[curve->n++] = time_s;
}

/* --- one more --- */

struct trial {
	const struct mechanism *mechanism;
	struct machine machine, hopeful;
	double gain; /* over the machine that is best so far */
	double hope; /* if what it predicts worse could be mended by other values */
	double *off; /* [view->n] */
};

/* Another library than it is called counts as one. */
static int numbers(const struct search *search, const struct machine *machine)
{
	return machine_numbers(machine) + (machine->library != search->called);
}

/* By how much less they are off, less what so many numbers more gain by chance. *hope: without what
 * is more off. */
static double gain_of(const struct search *search, const struct machine *machine, const double *off,
		      double *hope)
{
	const struct view *view = search->view;
	int more = numbers(search, machine) - numbers(search, &search->machine);
	double gain = 0, chance = more * log(search->n_told);

	*hope = 0;
	for (int k = 0; k < view->n; k++) {
		double here;

		if (isinf(off[k]))
			return *hope = -INFINITY;
		here = loss_of(search, k, search->off[k]) - loss_of(search, k, off[k]);
		gain += here;
		*hope += fmax(here, 0);
	}
	*hope -= chance;
	return gain - chance;
}

/* What it could explain is not worth a number more. */
static bool is_hopeless(const struct search *search, const struct mechanism *mechanism)
{
	const struct view *view = search->view;
	double most = 0;

	if (!view->tells)
		return false;
	for (int k = 0; k < view->n; k++)
		if (view->tells(view->context, k, mechanism->id))
			most += loss_of(search, k, search->off[k]);
	return most < log(search->n_told);
}

/* What need not be tried may be needless: then only machines without it. */
static void vary_needed(const struct search *search, const struct mechanism *mechanism,
			struct variants *variants)
{
	const struct machine *now = &search->machine;
	bool is_all = !is_hopeless(search, mechanism);
	int n = 0;

	if (is_all || now->has[mechanism->id])
		vary(mechanism, search->view, now, variants);
	for (int k = 0; k < variants->n; k++)
		if (is_all || !variants->list[k].has[mechanism->id])
			variants->list[n++] = variants->list[k];
	variants->n = n;
}

/* The best of its variants. */
static void try_mechanism(struct search *search, struct trial *trial)
{
	const struct view *view = search->view;
	struct variants *variants = calloc(1, sizeof(*variants));
	double *off = calloc((size_t)view->n * VARIANTS + 1, sizeof(*off));
	struct util_error err;

	trial->gain = trial->hope = -INFINITY;
	if (variants)
		vary_needed(search, trial->mechanism, variants);
	if (off && variants && variants->n > 0 &&
	    view->predict(view->context, variants->list, variants->n, off, &err) == 0)
		for (int k = 0; k < variants->n; k++) {
			const double *here = off + (ptrdiff_t)k * view->n;
			double hope, gain = gain_of(search, &variants->list[k], here, &hope);

			if (hope > trial->hope) {
				trial->hope = hope;
				trial->hopeful = variants->list[k];
			}
			if (gain <= trial->gain)
				continue;
			trial->gain = gain;
			trial->machine = variants->list[k];
			memcpy(trial->off, here, (size_t)view->n * sizeof(*off));
		}
	search->n_runs += variants ? variants->n : 0;
	free(variants);
	free(off);
}

/* Its machine after so many steps of the fit. */
static void refine_trial(struct search *search, struct trial *trial, int n_steps)
{
	const struct view *view = search->view;
	struct util_error err;
	double hope;

	trial->gain = -INFINITY;
	if (refine(search, &trial->machine, n_steps, false, &err) == 0 &&
	    view->predict(view->context, &trial->machine, 1, trial->off, &err) == 0)
		trial->gain = gain_of(search, &trial->machine, trial->off, &hope);
}

static int compare_gains(const void *a, const void *b)
{
	const struct trial *left = a, *right = b;

	return (left->gain < right->gain) - (left->gain > right->gain);
}

/* What gains as it is comes before what only may. */
static int compare_hopes(const void *a, const void *b)
{
	const struct trial *left = a, *right = b;
	bool gains = left->gain > 0 || right->gain > 0;

	return gains ? compare_gains(a, b)
		     : (left->hope < right->hope) - (left->hope > right->hope);
}

/* What most are off, and how good the machine is in units of it. */
static void judge(struct search *search, const char *what)
{
	const struct view *view = search->view;
	double *off = calloc((size_t)view->n + 1, sizeof(*off));
	int n = 0;

	for (int k = 0; off && k < view->n; k++)
		if (!isnan(search->off[k]))
			off[n++] = fabs(search->off[k]);
	if (n > 0) {
		qsort(off, (size_t)n, sizeof(*off), util_compare_doubles);
		search->noise =
		    fmin(fmax(MEDIAN_TO_DEVIATION * off[n / 2], LEAST_NOISE), MOST_NOISE);
	}
	free(off);
	search->n_told = 1;
	search->loss = 0;
	for (int k = 0; k < view->n; k++) {
		search->n_told += view->weight[k];
		search->loss += loss_of(search, k, search->off[k]);
	}
	search->loss /= search->n_told;
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "fit: with %s: loss %.3f, %d runs of the simulator\n", what,
			search->loss, search->n_runs);
}

static void take(struct search *search, const struct trial *trial)
{
	search->machine = trial->machine;
	memcpy(search->off, trial->off, (size_t)search->view->n * sizeof(*search->off));
	judge(search, trial->mechanism->name);
}

/* All values anew; kept if they are better: true. */
static bool refine_all(struct search *search)
{
	static const struct mechanism values = {"values fitted", LATENCY};
	struct trial trial = {&values, .machine = search->machine};

	trial.off = calloc((size_t)search->view->n + 1, sizeof(*trial.off));
	if (trial.off)
		refine_trial(search, &trial, MANY_STEPS);
	if (trial.gain > 0)
		take(search, &trial);
	free(trial.off);
	return trial.gain > WORTH;
}

/* All that predict better as they are, the best one first, each beside those before it. */
static bool take_better(struct search *search, struct trial *trials)
{
	int n_taken = 0;

	qsort(trials, (size_t)N_MECHANISMS, sizeof(*trials), compare_gains);
	for (int k = 0; k < N_MECHANISMS && trials[k].gain > 0; k++) {
		if (n_taken > 0)
			try_mechanism(search, &trials[k]);
		if (trials[k].gain > 0) {
			take(search, &trials[k]);
			n_taken++;
		}
	}
	return n_taken > 0;
}

/* Of the most hopeful ones the first that predicts better when its values are fitted; where closed
 * forms are rough, the best. */
static bool take_hopeful(struct search *search, struct trial *trials)
{
	struct trial *best = NULL;
	bool is_rough = search->view->is_rough;

	qsort(trials, (size_t)N_MECHANISMS, sizeof(*trials), compare_hopes);
	for (int k = 0; k < (is_rough ? REFINED_ROUGH : REFINED) && (is_rough || !best); k++) {
		struct trial *trial = &trials[k];

		if (trial->hope <= 0)
			continue;
		trial->machine = trial->hopeful;
		refine_trial(search, trial, is_rough ? MANY_STEPS : FEW_STEPS);
		if (trial->gain > (best ? best->gain : 0))
			best = trial;
	}
	if (best)
		take(search, best);
	return best != NULL;
}

/* False: none predicts better. */
static bool add_mechanisms(struct search *search, struct trial *trials)
{
	for (int k = 0; k < N_MECHANISMS; k++)
		try_mechanism(search, &trials[k]);
	return (!search->view->is_rough && take_better(search, trials)) ||
	       take_hopeful(search, trials);
}

/* --- all of it --- */

static void add_all(struct search *search, struct trial *trials)
{
	bool is_better = true;

	if (search->view->names_library) {
		try_mechanism(search, &trials[0]);
		if (trials[0].gain > 0)
			take(search, &trials[0]);
	}
	if (search->view->is_rough)
		refine_all(search);
	/* values that were fitted anew may let in what had not been better before */
	for (int k = 0; k < MOST_ROUNDS && (is_better || k < 2) && search->loss > ENOUGH; k++) {
		is_better = add_mechanisms(search, trials);
		if (is_better || k == 0)
			refine_all(search);
	}
	for (int k = 0; k < MORE_TIMES && refine_all(search); k++)
		;
}

int search_run(struct search *search, struct util_error *err)
{
	const struct view *view = search->view;
	struct trial trials[MECHANISMS_MOST] = {0};
	double *off = calloc((size_t)(N_MECHANISMS + 1) * (size_t)view->n + 1, sizeof(*off));
	int failed;

	gsl_set_error_handler_off();
	search->noise = MOST_NOISE;
	search->called = search->machine.library;
	search->off = off;
	if (!off)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	failed = view->predict(view->context, &search->machine, 1, search->off, err);
	if (failed)
		return failed;
	judge(search, "closed forms");
	for (int k = 0; k < N_MECHANISMS; k++)
		trials[k] = (struct trial){&MECHANISMS[k], .off = off += view->n};
	add_all(search, trials);
	failed = refine(search, &search->machine, 0, true, err);
	return failed ? failed
		      : view->predict(view->context, &search->machine, 1, search->off, err);
}

void search_finish(struct search *search)
{
	free(search->off);
	search->off = NULL;
}
