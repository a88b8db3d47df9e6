/* SPDX-License-Identifier: BSD-3-Clause */
#include "least_squares.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include <gsl/gsl_multifit_nlinear.h>

static const double SOFT = 1;	 /* residuals are bent from there on */
static const double PRIOR = 2.3; /* of a logarithm: a factor of ten either way */
static const double FAR = 20;	 /* a residual of what is refused */
static const double INTERVAL = 1.96;
static const double CLOSE = 1e-3; /* steps that are smaller end it */

struct work {
	const struct least_squares *problem;
	const double *from; /* [n_values] */
	struct util_error *err;
	bool has_failed;
};

/* Beyond SOFT one that no value explains pulls little. */
static double bend(double residual)
{
	double bent;

	if (isnan(residual))
		return 0;
	if (!isfinite(residual))
		residual = FAR;
	bent = SOFT * sqrt(log1p(residual * residual / (SOFT * SOFT)));
	return residual < 0 ? -bent : bent;
}

double least_squares_loss(double residual)
{
	return bend(residual) * bend(residual);
}

static double within(const struct least_squares *problem, int k, double value)
{
	return fmin(fmax(value, problem->least[k]), problem->most[k]);
}

static void values_at(const struct least_squares *problem, const gsl_vector *x, double *values)
{
	for (int k = 0; k < problem->n_values; k++)
		values[k] = within(problem, k, exp(gsl_vector_get(x, (size_t)k)));
}

/* The residuals, then how far values have come. */
static int residuals(const gsl_vector *x, void *context, gsl_vector *f)
{
	struct work *work = context;
	const struct least_squares *problem = work->problem;
	int n = problem->n_residuals;
	double values[LEAST_SQUARES_VALUES], *found = calloc((size_t)n, sizeof(*found));

	if (!found)
		return GSL_ENOMEM;
	values_at(problem, x, values);
	work->has_failed |= problem->predict(problem->context, values, 1, found, work->err) != 0;
	for (int k = 0; k < n; k++)
		gsl_vector_set(f, (size_t)k, sqrt(problem->weight[k]) * bend(found[k]));
	for (int k = 0; k < problem->n_values; k++)
		gsl_vector_set(f, (size_t)(n + k),
			       (gsl_vector_get(x, (size_t)k) - log(work->from[k])) / PRIOR);
	free(found);
	return work->has_failed ? GSL_EFAILED : GSL_SUCCESS;
}

/* Row by row what one value's step changes. */
static void fill(const struct least_squares *problem, const double *sets, const double *found,
		 gsl_matrix *jacobian)
{
	int n = problem->n_residuals, p = problem->n_values;

	gsl_matrix_set_zero(jacobian);
	for (int j = 0; j < p; j++) {
		const double *there = found + (size_t)(j + 1) * (size_t)n;
		double step = log(sets[(j + 1) * p + j]) - log(sets[j]);

		for (int k = 0; k < n && step != 0; k++)
			if (!isnan(found[k]) && !isnan(there[k]))
				gsl_matrix_set(jacobian, (size_t)k, (size_t)j,
					       sqrt(problem->weight[k]) *
						   (bend(there[k]) - bend(found[k])) / step);
		gsl_matrix_set(jacobian, (size_t)(n + j), (size_t)j, 1 / PRIOR);
	}
}

/* All at once: the columns do not depend on each other. A value at its upper end steps down. */
static int differences(const gsl_vector *x, void *context, gsl_matrix *jacobian)
{
	struct work *work = context;
	const struct least_squares *problem = work->problem;
	int p = problem->n_values;
	double *sets = calloc((size_t)p * (size_t)(p + 1), sizeof(*sets)),
	       *found = calloc((size_t)problem->n_residuals * (size_t)(p + 1), sizeof(*found));

	if (sets && found) {
		for (int j = 0; j <= p; j++)
			values_at(problem, x, sets + (ptrdiff_t)j * p);
		for (int j = 0; j < p; j++) {
			double *value = &sets[(j + 1) * p + j],
			       more = *value * (1 + problem->difference);

			*value =
			    more <= problem->most[j] ? more : *value * (1 - problem->difference);
		}
		work->has_failed |=
		    problem->predict(problem->context, sets, p + 1, found, work->err) != 0;
		fill(problem, sets, found, jacobian);
	} else {
		work->has_failed = true;
		util_error_set(work->err, UTIL_ENOMEM, "out of memory");
	}
	free(sets);
	free(found);
	return work->has_failed ? GSL_EFAILED : GSL_SUCCESS;
}

/* By the residuals' curvature and their own size. */
static void set_intervals(const struct work *work, gsl_multifit_nlinear_workspace *w,
			  const double *values)
{
	const struct least_squares *problem = work->problem;
	const gsl_vector *f = gsl_multifit_nlinear_residual(w);
	int n = problem->n_residuals, p = problem->n_values, freedom = n - p;
	gsl_matrix *covariance = gsl_matrix_alloc((size_t)p, (size_t)p);
	double sum = 0;

	if (!covariance)
		return;
	for (int k = 0; k < n; k++)
		sum += gsl_vector_get(f, (size_t)k) * gsl_vector_get(f, (size_t)k);
	gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(w), 0, covariance);
	for (int j = 0; j < p; j++) {
		double variance = gsl_matrix_get(covariance, (size_t)j, (size_t)j) *
				  fmax(freedom > 0 ? sum / freedom : 1, 0.05),
		       factor = exp(INTERVAL * sqrt(fmax(variance, 0)));

		problem->low[j] = within(problem, j, values[j] / factor);
		problem->high[j] = within(problem, j, values[j] * factor);
	}
	gsl_matrix_free(covariance);
}

static void iterate(const struct work *work, gsl_multifit_nlinear_workspace *w)
{
	int info;

	for (int k = 0; k < work->problem->n_steps && !work->has_failed; k++)
		if (gsl_multifit_nlinear_iterate(w) ||
		    gsl_multifit_nlinear_test(CLOSE, 1e-8, 1e-8, &info, w) == GSL_SUCCESS)
			return;
}

static int solve(struct work *work, double *values)
{
	const struct least_squares *problem = work->problem;
	gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
	size_t p = (size_t)problem->n_values, n = (size_t)problem->n_residuals + p;
	gsl_multifit_nlinear_fdf fdf = {
	    .f = residuals, .df = differences, .n = n, .p = p, .params = work};
	gsl_multifit_nlinear_workspace *w;
	gsl_vector *x = gsl_vector_alloc(p);
	int status;

	how.scale = gsl_multifit_nlinear_scale_levenberg;
	w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, n, p);
	for (size_t k = 0; x && k < p; k++)
		gsl_vector_set(x, k, log(values[k]));
	status = w && x ? gsl_multifit_nlinear_init(x, &fdf, w) : GSL_ENOMEM;
	if (status == GSL_SUCCESS) {
		iterate(work, w);
		values_at(problem, gsl_multifit_nlinear_position(w), values);
		if (problem->low)
			set_intervals(work, w, values);
	}
	gsl_multifit_nlinear_free(w);
	gsl_vector_free(x);
	return status == GSL_SUCCESS ? 0 : -1;
}

int least_squares_run(const struct least_squares *problem, double *values, struct util_error *err)
{
	double from[LEAST_SQUARES_VALUES];
	struct work work = {.problem = problem, .from = from, .err = err};

	if (problem->n_values == 0)
		return 0;
	for (int k = 0; k < problem->n_values; k++)
		from[k] = values[k] = within(problem, k, values[k]);
	if (solve(&work, values) == 0)
		return 0;
	return work.has_failed ? err->code : util_error_set(err, UTIL_ENOMEM, "out of memory");
}
