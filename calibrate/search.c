/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the plain model on: a latency, a bandwidth and overheads. Then one mechanism more at a time,
 * whichever makes the times better explained, kept only if it predicts times better that were left
 * out of the fit, by more than chance would.
 */
#include "search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>

#include "within.h"

enum { MOST_MECHANISMS = 10, MOST_TRIED = 3 };
enum { REFINED = 4, FEW_STEPS = 2, FOLD_STEPS = 2, MANY_STEPS = 8, FOLDS = 2 };
static const double LEAST_GAIN = 0.03; /* of the loss of what was left out */
static const double GIVEN_UP = 1e9;
static const double ENOUGH = 0.01; /* a loss of which nothing is left to explain */
/* What most times are off is their noise: not less than the first one, nor more than the second. */
static const double LEAST_NOISE = 0.01, MOST_NOISE = 0.2;
static const double MEDIAN_TO_DEVIATION = 1.4826;

/* --- one more --- */

struct trial {
	const struct mechanism *mechanism;
	struct machine machine;
	double loss;
};

static double loss_at(struct search *search, const struct machine *machine)
{
	double *times = calloc((size_t)search->observations->n, sizeof(*times)), loss = GIVEN_UP;
	struct util_error err;

	if (times && predictor_run(&search->predictor, machine, 1, times, &err) == 0)
		loss = loss_of_all(search, times);
	free(times);
	return loss;
}

/* The best of its variants. */
static struct trial try_mechanism(struct search *search, const struct mechanism *mechanism)
{
	struct variants *variants = calloc(1, sizeof(*variants));
	size_t n = (size_t)search->observations->n;
	double *times = calloc(n * VARIANTS, sizeof(*times));
	struct trial trial = {mechanism, search->machine, GIVEN_UP};
	struct util_error err;

	if (variants)
		mechanism->vary(search, &search->machine, variants);
	if (times && variants && variants->n > 0 &&
	    predictor_run(&search->predictor, variants->list, variants->n, times, &err) == 0)
		for (int k = 0; k < variants->n; k++) {
			double loss = loss_of_all(search, times + (size_t)k * n);

			if (loss < trial.loss) {
				trial.loss = loss;
				trial.machine = variants->list[k];
			}
		}
	free(variants);
	free(times);
	return trial;
}

/* After a few steps of the fit. */
static void refine_trial(struct search *search, struct trial *trial)
{
	struct util_error err;

	if (trial->loss < GIVEN_UP &&
	    refine(search, &trial->machine, NULL, FEW_STEPS, false, &err) == 0)
		trial->loss = loss_at(search, &trial->machine);
}

/* Every second time of each operation by size, or the others, are left out. */
static void choose_fold(const struct observations *observations, int fold, bool *is_left_out)
{
	for (int k = 0, place = 0; k < observations->n; k++) {
		place = k > 0 && observation_is_same_curve(&observations->list[k - 1],
							   &observations->list[k])
			    ? place + 1
			    : k;
		is_left_out[k] = place % FOLDS == fold;
	}
}

/* Each time as predicted from the others. */
static int predict_left_out(struct search *search, const struct machine *machine,
			    double *left_out_s)
{
	const struct observations *all = search->observations;
	bool *is_left_out = calloc((size_t)all->n, sizeof(*is_left_out));
	double *times = calloc((size_t)all->n, sizeof(*times));
	struct util_error err;
	int failed = !is_left_out || !times;

	for (int fold = 0; fold < FOLDS && !failed; fold++) {
		struct machine other = *machine;

		choose_fold(all, fold, is_left_out);
		failed = refine(search, &other, is_left_out, FOLD_STEPS, false, &err) ||
			 predictor_run(&search->predictor, &other, 1, times, &err);
		for (int k = 0; k < all->n && !failed; k++)
			if (is_left_out[k])
				left_out_s[k] = times[k];
	}
	free(is_left_out);
	free(times);
	return failed;
}

/* In the mean by a part of it, and by more than its standard error. */
static bool is_better(const struct search *search, const double *now_s, const double *with_s)
{
	int n = search->observations->n;
	double sum = 0, squares = 0, before = 0, mean, error;

	for (int k = 0; k < n; k++) {
		const struct observation *o = &search->observations->list[k];
		double now = loss_of(search, o, now_s[k]),
		       gain = now - loss_of(search, o, with_s[k]);

		sum += gain;
		squares += gain * gain;
		before += now;
	}
	mean = sum / n;
	error = sqrt(fmax(squares / n - mean * mean, 0) / n);
	return mean > error && sum > LEAST_GAIN * before;
}

static int compare_trials(const void *a, const void *b)
{
	const struct trial *left = a, *right = b;

	return (left->loss > right->loss) - (left->loss < right->loss);
}

static int compare_numbers(const void *a, const void *b)
{
	const double *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* What most times are off, and how good the machine is in units of it. */
static void accept(struct search *search, const char *what)
{
	int n = search->observations->n;
	double *off = calloc((size_t)n, sizeof(*off));
	struct util_error err;

	if (off &&
	    predictor_run(&search->predictor, &search->machine, 1, search->predicted, &err) == 0) {
		for (int k = 0; k < n; k++)
			off[k] =
			    fabs(log(search->predicted[k] / search->observations->list[k].time_s));
		qsort(off, (size_t)n, sizeof(*off), compare_numbers);
		search->noise =
		    fmin(fmax(MEDIAN_TO_DEVIATION * off[n / 2], LEAST_NOISE), MOST_NOISE);
		search->loss = loss_of_all(search, search->predicted);
	}
	free(off);
	if (search->tell)
		search->tell(search, what);
}

/* The best of those that predict what was left out; false: none does. */
static bool add_mechanism(struct search *search, double *now_s, double *with_s)
{
	struct trial trials[MECHANISMS_MOST];
	struct util_error err;

	for (int k = 0; k < N_MECHANISMS; k++)
		trials[k] = try_mechanism(search, &MECHANISMS[k]);
	qsort(trials, (size_t)N_MECHANISMS, sizeof(*trials), compare_trials);
	for (int k = 0; k < REFINED; k++)
		refine_trial(search, &trials[k]);
	qsort(trials, REFINED, sizeof(*trials), compare_trials);
	for (int k = 0; k < MOST_TRIED && trials[k].loss < search->loss; k++) {
		if (predict_left_out(search, &trials[k].machine, with_s) ||
		    !is_better(search, now_s, with_s) ||
		    refine(search, &trials[k].machine, NULL, MANY_STEPS, false, &err))
			continue;
		search->machine = trials[k].machine;
		memcpy(now_s, with_s, (size_t)search->observations->n * sizeof(*now_s));
		accept(search, trials[k].mechanism->name);
		return true;
	}
	return false;
}

/* --- the beginning --- */

/* The least time of a kind; 0: there is none. Of a byte, if `by_byte`. */
static double least_s(const struct search *search, enum benchmark_kind kind, bool by_byte)
{
	double least = 0;

	for (int k = 0; k < search->observations->n; k++) {
		const struct observation *o = &search->observations->list[k];
		double value = o->time_s / (by_byte && o->size_B > 0 ? o->size_B : 1);

		if (!o->what || o->what->kind != kind || (by_byte && o->size_B == 0) ||
		    observation_is_within(o))
			continue;
		least = least > 0 ? fmin(least, value) : value;
	}
	return least;
}

/* Closed forms: an empty message is a latency and two overheads; a window of them an overhead each;
 * bytes of the largest ones take what the link does. */
static void begin_plain(struct search *search)
{
	struct machine *machine = &search->machine;
	double empty_s = least_s(search, BENCHMARK_LATENCY, false),
	       each_s = least_s(search, BENCHMARK_STREAM, false),
	       byte_s = least_s(search, BENCHMARK_STREAM, true);

	if (byte_s == 0)
		byte_s = least_s(search, BENCHMARK_LATENCY, true);
	if (byte_s == 0)
		byte_s = least_s(search, BENCHMARK_BOTH_WAYS, true);
	if (empty_s == 0)
		empty_s = each_s > 0 ? 5 * each_s : 20e-6;
	if (each_s == 0 || each_s > empty_s / 2)
		each_s = empty_s / 10;
	machine_set(machine, BANDWIDTH, byte_s > 0 ? 1 / byte_s : 1e9);
	machine_set(machine, LATENCY, fmax(empty_s - 2 * each_s, empty_s / 10));
	machine_set(machine, SEND_OVERHEAD, each_s);
	machine_set(machine, RECV_OVERHEAD, each_s);
	if (search->wanted != LIBRARIES)
		machine_set_library(machine, search->wanted);
	within_begin(search);
}

int search_run(struct search *search, struct util_error *err)
{
	size_t n = (size_t)search->observations->n;
	double *now = calloc(n, sizeof(*now)), *with = calloc(n, sizeof(*with));
	int failed = 0;

	gsl_set_error_handler_off();
	search->predicted = calloc(n, sizeof(*search->predicted));
	if (!now || !with || !search->predicted)
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	begin_plain(search);
	search->noise = MOST_NOISE;
	if (!failed)
		failed = predictor_run(&search->predictor, &search->machine, 1, search->predicted,
				       err) ||
			 refine(search, &search->machine, NULL, MANY_STEPS, false, err);
	if (!failed) {
		accept(search, "latency, bandwidth and overheads");
		failed = predict_left_out(search, &search->machine, now) != 0;
	}
	for (int k = 0; k < MOST_MECHANISMS && !failed && search->loss > ENOUGH; k++)
		if (!add_mechanism(search, now, with))
			break;
	if (!failed)
		failed =
		    refine(search, &search->machine, NULL, MANY_STEPS, true, err) ||
		    predictor_run(&search->predictor, &search->machine, 1, search->predicted, err);
	free(now);
	free(with);
	return failed ? err->code : 0;
}

void search_finish(struct search *search)
{
	free(search->predicted);
	search->predicted = NULL;
}
