/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fits a kernel's model: a sum of terms of its complexity, chosen among all subsets by cross-validation; pieces in ranges of a parameter where
 * that predicts what was left out clearly better. What is minimised is the relative error, so that short calls count as much as long ones.
 */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/kernels/kernels.h"

#define MAX_TERMS 6      /* of a complexity: 2^6 subsets are tried */
#define MAX_FOLDS 10
#define SIMPLER 1.05     /* a candidate with more terms must be better by this much */
#define WORTH_A_PIECE 0.75 /* so must two pieces, compared with one */
#define GOOD_ENOUGH 0.01 /* no pieces below this relative error */
#define MAX_SPLITS 12    /* thresholds tried for a parameter */

struct subset { /* of a series' points */
	const struct kern_point **points;
	size_t n;
};

/* --- least squares --- */

static double target_s(const struct kern_point *point)
{
	return point->mean_s > 1e-12 ? point->mean_s : 1e-12;
}

/* Those whose index is not `left_out` modulo n_folds; left_out -1: all. False when they do not determine the terms. */
static bool solve(const struct subset *set, int left_out, int n_folds, struct pd_expression *expression)
{
	size_t n_rows = 0, terms = (size_t)expression->n_terms;
	gsl_matrix *x, *covariance;
	gsl_vector *y, *c;
	gsl_multifit_linear_workspace *work;
	double chi;
	bool is_solved;

	for (size_t i = 0; i < set->n; i++)
		n_rows += left_out < 0 || i % (size_t)n_folds != (size_t)left_out;
	if (n_rows < terms)
		return false;
	x = gsl_matrix_alloc(n_rows, terms);
	covariance = gsl_matrix_alloc(terms, terms);
	y = gsl_vector_alloc(n_rows);
	c = gsl_vector_alloc(terms);
	work = gsl_multifit_linear_alloc(n_rows, terms);
	for (size_t i = 0, row = 0; i < set->n; i++) {
		if (left_out >= 0 && i % (size_t)n_folds == (size_t)left_out)
			continue;
		for (size_t k = 0; k < terms; k++)
			gsl_matrix_set(x, row, k,
				       pd_term_value(&expression->terms[k], set->points[i]->params) /
					   target_s(set->points[i]));
		gsl_vector_set(y, row++, 1);
	}
	is_solved = gsl_multifit_linear(x, y, c, covariance, &chi, work) == GSL_SUCCESS &&
		    gsl_multifit_linear_rank(1e-12, work) == terms;
	for (size_t k = 0; k < terms; k++)
		expression->terms[k].coefficient = gsl_vector_get(c, k);
	gsl_multifit_linear_free(work);
	gsl_vector_free(c);
	gsl_vector_free(y);
	gsl_matrix_free(covariance);
	gsl_matrix_free(x);
	return is_solved;
}

static double relative_error(const struct pd_expression *expression, const struct kern_point *point)
{
	return pd_expression_value(expression, point->params) / target_s(point) - 1;
}

/* --- one piece --- */

/* The terms of `all` whose bit is set. */
static struct pd_expression choose_terms(const struct pd_expression *all, unsigned bits)
{
	struct pd_expression chosen = {.n_params = all->n_params};

	for (int k = 0; k < all->n_terms; k++) {
		if (bits >> k & 1)
			chosen.terms[chosen.n_terms++] = all->terms[k];
	}
	return chosen;
}

/* Signs as stated (a term without a minus is time that is spent), and no point is predicted to take no time. */
static bool is_sensible(const struct pd_expression *stated, unsigned bits, const struct pd_expression *fit,
			const struct subset *set)
{
	for (int k = 0, chosen = 0; k < stated->n_terms; k++) {
		if (!(bits >> k & 1))
			continue;
		if (fit->terms[chosen++].coefficient < 0 && stated->terms[k].coefficient >= 0)
			return false;
	}
	for (size_t i = 0; i < set->n; i++) {
		if (pd_expression_value(fit, set->points[i]->params) <= 0)
			return false;
	}
	return true;
}

/* Root mean square over the points, each predicted by a fit to the others. */
static double cross_validate(const struct subset *set, struct pd_expression expression)
{
	int n_folds = set->n < MAX_FOLDS ? (int)set->n : MAX_FOLDS;
	double sum = 0;

	for (int fold = 0; fold < n_folds; fold++) {
		if (!solve(set, fold, n_folds, &expression))
			return INFINITY;
		for (size_t i = (size_t)fold; i < set->n; i += (size_t)n_folds) {
			double error = relative_error(&expression, set->points[i]);

			sum += error * error;
		}
	}
	return sqrt(sum / (double)set->n);
}

static void note_residuals(const struct subset *set, struct kern_piece *piece)
{
	double sum = 0;

	piece->worst = 0;
	for (size_t i = 0; i < set->n; i++) {
		double error = fabs(relative_error(&piece->expression, set->points[i]));

		sum += error * error;
		piece->worst = error > piece->worst ? error : piece->worst;
	}
	piece->residual = sqrt(sum / (double)set->n);
	piece->n_points = set->n;
}

/* The best candidate without pieces. False when none is sensible. A single point is predicted in proportion. */
static bool fit_piece(const struct subset *set, const struct pd_expression *stated, struct kern_piece *out)
{
	struct kern_piece best = {.held_out = INFINITY};
	int best_terms = 0;

	for (int n_terms = 1; n_terms <= stated->n_terms; n_terms++) {
		for (unsigned bits = 1; bits < 1u << stated->n_terms; bits++) {
			struct pd_expression fit = choose_terms(stated, bits);
			double held_out;

			if (fit.n_terms != n_terms || (set->n > 1 && (size_t)n_terms >= set->n) ||
			    !solve(set, -1, 1, &fit) || !is_sensible(stated, bits, &fit, set))
				continue;
			held_out = set->n > 1 ? cross_validate(set, fit) : 0;
			if (best_terms && !(held_out * (n_terms > best_terms ? SIMPLER : 1) < best.held_out))
				continue;
			best.held_out = held_out;
			best.expression = fit;
			best_terms = n_terms;
		}
	}
	if (!best_terms)
		return false;
	note_residuals(set, &best);
	*out = best;
	return true;
}

/* --- pieces --- */

struct split {
	int param;
	double threshold, held_out;
	struct kern_piece low, high;
};

static void divide(const struct subset *set, int param, double threshold, struct subset *low, struct subset *high)
{
	low->n = high->n = 0;
	for (size_t i = 0; i < set->n; i++) {
		struct subset *side = set->points[i]->params[param] < threshold ? low : high;

		side->points[side->n++] = set->points[i];
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Distinct values of a parameter, at most MAX_SPLITS of them, evenly chosen; the smallest is none. */
static int thresholds(const struct subset *set, int param, double values[], double out[MAX_SPLITS])
{
	size_t n = 0;
	int n_out = 0;

	for (size_t i = 0; i < set->n; i++)
		values[i] = set->points[i]->params[param];
	qsort(values, set->n, sizeof(*values), by_value);
	for (size_t i = 0; i < set->n; i++) {
		if (i > 0 && values[i] != values[i - 1])
			values[n++] = values[i];
	}
	for (size_t i = 0; i < n; i += n / MAX_SPLITS + 1)
		out[n_out++] = values[i];
	return n_out;
}

/* Tries all places for one cut. Each side keeps twice as many points as there are terms. */
static bool find_split(const struct subset *set, const struct pd_expression *stated, int n_params,
		       struct subset *low, struct subset *high, double values[], struct split *best)
{
	size_t fewest = 2 * (size_t)stated->n_terms;

	best->held_out = INFINITY;
	for (int param = 0; param < n_params; param++) {
		double at[MAX_SPLITS];
		int n = thresholds(set, param, values, at);

		for (int k = 0; k < n; k++) {
			struct split split = {.param = param, .threshold = at[k]};

			divide(set, param, at[k], low, high);
			if (low->n < fewest || high->n < fewest || !fit_piece(low, stated, &split.low) ||
			    !fit_piece(high, stated, &split.high))
				continue;
			split.held_out = sqrt((split.low.held_out * split.low.held_out * (double)low->n +
					       split.high.held_out * split.high.held_out * (double)high->n) /
					      (double)set->n);
			if (split.held_out < best->held_out)
				*best = split;
		}
	}
	return isfinite(best->held_out);
}

static void add_range(struct kern_piece *piece, const struct kern_piece *parent, const struct split *split,
		      enum pd_comparison comparison)
{
	memcpy(piece->ranges, parent->ranges, sizeof(piece->ranges));
	piece->n_ranges = parent->n_ranges;
	piece->ranges[piece->n_ranges++] =
	    (struct pd_range){.of = split->param, .comparison = comparison, .bound = split->threshold};
}

/* Cuts model->pieces[index], and its parts in turn, where it pays. Errors: UTIL_ENOMEM. */
static int refine(const struct subset *set, const struct pd_expression *stated, struct kern_model *model, int index,
		  struct util_error *err)
{
	struct kern_piece parent = model->pieces[index];
	struct subset low, high;
	struct split split = {.param = 0};
	double *values;
	int other, rc = 0;

	if (parent.held_out < GOOD_ENOUGH || model->n_pieces == KERN_MAX_PIECES ||
	    parent.n_ranges == PD_MAX_RANGES)
		return 0;
	values = malloc(set->n * sizeof(*values));
	low.points = malloc(set->n * sizeof(*low.points));
	high.points = malloc(set->n * sizeof(*high.points));
	if (!values || !low.points || !high.points) {
		rc = util_error_set(err, UTIL_ENOMEM, "no memory for the fit");
	} else if (find_split(set, stated, model->series->n_params, &low, &high, values, &split) &&
		   split.held_out < WORTH_A_PIECE * parent.held_out) {
		add_range(&split.low, &parent, &split, PD_LESS);
		add_range(&split.high, &parent, &split, PD_GREATER_EQUAL);
		divide(set, split.param, split.threshold, &low, &high);
		other = model->n_pieces++;
		model->pieces[index] = split.low;
		model->pieces[other] = split.high;
		rc = refine(&low, stated, model, index, err);
		if (!rc)
			rc = refine(&high, stated, model, other, err);
	}
	free(values);
	free(low.points);
	free(high.points);
	return rc;
}

/* --- a kernel --- */

/* Without a stated complexity that of the BLAS routine, or products of the parameters, with one of
 * them squared or cubed where there are few. */
static struct pd_expression stated_terms(const struct kern_series *series)
{
	static const char *const usual[] = {"1", "p1^3 + p1^2 + p1 + 1", "p1*p2^2 + p1^2*p2 + p1*p2 + p1 + p2 + 1",
					    "p1*p2*p3 + p1*p2 + p1*p3 + p2*p3 + 1", "p1*p2*p3*p4 + p1*p2*p3 + p1*p2 + 1"};
	struct pd_expression terms = series->complexity;
	bool has_constant = false;

	if (!series->has_complexity &&
	    !kern_known_complexity(series->name, series->n_params, &terms))
		pd_expression_parse(usual[series->n_params], &terms, NULL);
	for (int k = 0; k < terms.n_terms; k++)
		has_constant |= pd_term_value(&terms.terms[k], (double[PD_STORE_MAX_PARAMS]){0}) != 0;
	if (terms.n_terms > MAX_TERMS)
		terms.n_terms = MAX_TERMS;
	if (!has_constant && terms.n_terms < MAX_TERMS)
		terms.terms[terms.n_terms++] = (struct pd_term){.coefficient = 1};
	return terms;
}

static void summarise(struct kern_model *model)
{
	double held_out = 0, residual = 0, n = 0;

	for (int i = 0; i < model->n_pieces; i++) {
		const struct kern_piece *piece = &model->pieces[i];
		double weight = (double)piece->n_points;

		held_out += weight * piece->held_out * piece->held_out;
		residual += weight * piece->residual * piece->residual;
		n += weight;
		model->worst = piece->worst > model->worst ? piece->worst : model->worst;
	}
	model->held_out = sqrt(held_out / n);
	model->residual = sqrt(residual / n);
}

int kern_fit(const struct kern_series *series, struct kern_model *out, struct util_error *err)
{
	struct kern_model model = {.series = series, .n_pieces = 1};
	struct pd_expression stated;
	struct subset set = {.n = series->n_points};
	int rc;

	if (series->n_points == 0)
		return util_error_set(err, UTIL_EINPUT, "kernel \"%s\" has no measurement", series->name);
	stated = stated_terms(series);
	if (stated.n_params > series->n_params)
		return util_error_set(err, UTIL_EINPUT, "the complexity of \"%s\" uses p%d, its measurements have %d parameters",
				      series->name, stated.n_params, series->n_params);
	set.points = malloc(set.n * sizeof(*set.points));
	if (!set.points)
		return util_error_set(err, UTIL_ENOMEM, "no memory for the fit");
	for (size_t i = 0; i < set.n; i++)
		set.points[i] = &series->points[i];
	gsl_set_error_handler_off();
	if (fit_piece(&set, &stated, &model.pieces[0]))
		rc = refine(&set, &stated, &model, 0, err);
	else
		rc = util_error_set(err, UTIL_EINPUT,
				    "no combination of the terms of \"%s\" fits its measurements with positive times",
				    series->name);
	free(set.points);
	if (rc)
		return rc;
	summarise(&model);
	*out = model;
	return 0;
}

double kern_model_value(const struct kern_model *model, const double params[])
{
	double values[PD_N_VALUES];

	pd_values_set(values, PD_STORE_MAX_PARAMS, params, PD_NOWHERE);
	for (int i = 0; i < model->n_pieces; i++) {
		if (pd_ranges_hold(model->pieces[i].ranges, model->pieces[i].n_ranges, values))
			return pd_expression_value(&model->pieces[i].expression, params);
	}
	return 0;
}
