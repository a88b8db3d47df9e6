/* SPDX-License-Identifier: BSD-3-Clause */
/* Least squares of the values that times follow smoothly; search.h says of what. */
#include "search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_multifit_nlinear.h>

static const double DIFFERENCE = 0.05; /* of a value: less may be hidden by whole packets */
static const double SOFT = 2;	       /* residuals are bent from there on */
static const double PRIOR = 2.3;       /* of a logarithm: a factor of ten either way */
static const double FAR = 20;	       /* a residual of what the simulator refuses */
static const double INTERVAL = 1.96;

struct problem {
	struct search *search;
	const struct machine *from;
	const bool *is_left_out;
	int n, id[PARAMETERS]; /* of the values that are fitted */
	struct util_error *err;
	bool has_failed;
};

static double residual_of(const struct search *search, const struct observation *observation,
			  double predicted_s)
{
	double r =
	    log(predicted_s / observation->time_s) / hypot(search->noise, observation->scatter);

	return isfinite(r) ? r : FAR;
}

static double bend(double residual)
{
	double bent = SOFT * sqrt(log1p(residual * residual / (SOFT * SOFT)));

	return residual < 0 ? -bent : bent;
}

double loss_of(const struct search *search, const struct observation *observation,
	       double predicted_s)
{
	double bent = bend(residual_of(search, observation, predicted_s));

	return bent * bent;
}

double loss_of_all(const struct search *search, const double *predicted_s)
{
	const struct observations *all = search->observations;
	double sum = 0;

	for (int k = 0; k < all->n; k++)
		sum += loss_of(search, &all->list[k], predicted_s[k]);
	return sum / all->n;
}

/* --- as GSL asks for it --- */

static struct machine machine_at(const struct problem *problem, const gsl_vector *x)
{
	struct machine machine = *problem->from;

	for (int k = 0; k < problem->n; k++)
		machine_set(&machine, (enum parameter_id)problem->id[k],
			    exp(gsl_vector_get(x, (size_t)k)));
	return machine;
}

/* The observations' residuals, then how far values have come. */
static double entry(const struct problem *problem, const double *times, int k)
{
	const struct observations *all = problem->search->observations;

	if (problem->is_left_out && problem->is_left_out[k])
		return 0;
	return bend(residual_of(problem->search, &all->list[k], times[k]));
}

static int residuals(const gsl_vector *x, void *context, gsl_vector *f)
{
	struct problem *problem = context;
	int n = problem->search->observations->n;
	struct machine machine = machine_at(problem, x);
	double *times = calloc((size_t)n, sizeof(*times));

	if (!times)
		return GSL_ENOMEM;
	problem->has_failed |= predictor_run(&problem->search->predictor, &machine, 1, times,
					     problem->err) == UTIL_ESYSTEM;
	for (int k = 0; k < n; k++)
		gsl_vector_set(f, (size_t)k, entry(problem, times, k));
	for (int k = 0; k < problem->n; k++)
		gsl_vector_set(
		    f, (size_t)(n + k),
		    (gsl_vector_get(x, (size_t)k) - log(problem->from->value[problem->id[k]])) /
			PRIOR);
	free(times);
	return problem->has_failed ? GSL_EFAILED : GSL_SUCCESS;
}

static void fill(const struct problem *problem, const gsl_vector *x, const struct machine *machines,
		 const double *times, gsl_matrix *jacobian)
{
	int n = problem->search->observations->n;

	gsl_matrix_set_zero(jacobian);
	for (int j = 0; j < problem->n; j++) {
		double step = log(machines[j + 1].value[problem->id[j]]) -
			      log(machines[0].value[problem->id[j]]);

		for (int k = 0; k < n && step != 0; k++)
			gsl_matrix_set(jacobian, (size_t)k, (size_t)j,
				       (entry(problem, times + (size_t)(j + 1) * (size_t)n, k) -
					entry(problem, times, k)) /
					   step);
		gsl_matrix_set(jacobian, (size_t)(n + j), (size_t)j, 1 / PRIOR);
	}
	(void)x;
}

/* All at once: the columns do not depend on each other. A value at its upper end steps down. */
static int differences(const gsl_vector *x, void *context, gsl_matrix *jacobian)
{
	struct problem *problem = context;
	size_t n = (size_t)problem->search->observations->n;
	struct machine machines[PARAMETERS + 1];
	double *times = calloc(n * (size_t)(problem->n + 1), sizeof(*times));

	if (!times)
		return GSL_ENOMEM;
	for (int j = 0; j <= problem->n; j++)
		machines[j] = machine_at(problem, x);
	for (int j = 0; j < problem->n; j++) {
		enum parameter_id id = (enum parameter_id)problem->id[j];
		double value = machines[0].value[id];
		bool fits = value * (1 + DIFFERENCE) <= PARAMETER[id].high;

		machine_set(&machines[j + 1], id,
			    fits ? value * (1 + DIFFERENCE) : value * (1 - DIFFERENCE));
	}
	problem->has_failed |= predictor_run(&problem->search->predictor, machines, problem->n + 1,
					     times, problem->err) == UTIL_ESYSTEM;
	fill(problem, x, machines, times, jacobian);
	free(times);
	return problem->has_failed ? GSL_EFAILED : GSL_SUCCESS;
}

/* --- the fit --- */

/* Intervals of the values by the residuals' curvature and their own size. */
static void set_intervals(const struct problem *problem, gsl_multifit_nlinear_workspace *w,
			  struct machine *machine)
{
	const gsl_vector *f = gsl_multifit_nlinear_residual(w);
	int n = problem->search->observations->n, freedom = n - problem->n;
	gsl_matrix *covariance = gsl_matrix_alloc((size_t)problem->n, (size_t)problem->n);
	double sum = 0;

	if (!covariance)
		return;
	for (int k = 0; k < n; k++)
		sum += gsl_vector_get(f, (size_t)k) * gsl_vector_get(f, (size_t)k);
	gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(w), 0, covariance);
	for (int j = 0; j < problem->n; j++) {
		double variance = gsl_matrix_get(covariance, (size_t)j, (size_t)j) *
				  fmax(freedom > 0 ? sum / freedom : 1, 0.05),
		       factor = exp(INTERVAL * sqrt(fmax(variance, 0)));
		int id = problem->id[j];

		machine->low[id] = fmax(machine->value[id] / factor, PARAMETER[id].low);
		machine->high[id] = fmin(machine->value[id] * factor, PARAMETER[id].high);
	}
	gsl_matrix_free(covariance);
}

static void iterate(struct problem *problem, gsl_multifit_nlinear_workspace *w, int n_steps)
{
	static const double close = 1e-3;
	int info;

	for (int k = 0; k < n_steps && !problem->has_failed; k++)
		if (gsl_multifit_nlinear_iterate(w) ||
		    gsl_multifit_nlinear_test(close, 1e-8, 1e-8, &info, w) == GSL_SUCCESS)
			return;
}

static int solve(struct problem *problem, struct machine *machine, int n_steps, bool wants)
{
	gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
	size_t n = (size_t)(problem->search->observations->n + problem->n), p = (size_t)problem->n;
	gsl_multifit_nlinear_fdf fdf = {
	    .f = residuals, .df = differences, .n = n, .p = p, .params = problem};
	gsl_multifit_nlinear_workspace *w;
	gsl_vector *x = gsl_vector_alloc(p);
	int status;

	how.scale = gsl_multifit_nlinear_scale_levenberg;
	w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, n, p);
	for (int k = 0; x && k < problem->n; k++)
		gsl_vector_set(x, (size_t)k, log(machine->value[problem->id[k]]));
	status = w && x ? gsl_multifit_nlinear_init(x, &fdf, w) : GSL_ENOMEM;
	if (status == GSL_SUCCESS) {
		iterate(problem, w, n_steps);
		*machine = machine_at(problem, gsl_multifit_nlinear_position(w));
		if (wants)
			set_intervals(problem, w, machine);
	}
	gsl_multifit_nlinear_free(w);
	gsl_vector_free(x);
	return status == GSL_SUCCESS ? 0 : -1;
}

int refine(struct search *search, struct machine *machine, const bool *is_left_out, int n_steps,
	   bool wants_intervals, struct util_error *err)
{
	struct machine from = *machine;
	struct problem problem = {
	    .search = search, .from = &from, .is_left_out = is_left_out, .err = err};

	for (int k = 0; k < PARAMETERS; k++)
		if (machine->has[k] && !PARAMETER[k].is_stepped)
			problem.id[problem.n++] = k;
	if (solve(&problem, machine, n_steps, wants_intervals))
		return problem.has_failed ? err->code
					  : util_error_set(err, UTIL_ENOMEM, "out of memory");
	return 0;
}
