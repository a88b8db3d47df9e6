/* SPDX-License-Identifier: BSD-3-Clause */
/* Robust least squares, by Levenberg and Marquardt's method, of the logarithms of those values that
 * predictions follow smoothly; search.h says of what. */
#include "search.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include <gsl/gsl_multifit_nlinear.h>

static const double PRIOR = 2.3; /* of a logarithm: a factor of ten either way */
static const double INTERVAL = 1.96;
static const double CLOSE = 1e-3; /* steps that are smaller end it */
/* Of a value, for a derivative: whole packets hide less. */
static const double DIFFERENCE = 0.01, OF_PACKETS = 0.05;
/* Residuals: of a probe that would not have been made so, since on the right machine it is; of what
 * is refused. */
static const double UNTOLD = 2, FAR = 20;

struct problem {
	struct search *search;
	const struct machine *from;
	int n; /* values that are fitted */
	enum parameter_id id[PARAMETERS];
	struct util_error *err;
	bool has_failed;
};

/* Beyond one the scatter that no value explains pulls little. */
static double bend(double residual)
{
	double far = isfinite(residual) ? residual : FAR;

	return copysign(sqrt(log1p(far * far)), residual);
}

static double residual_of(const struct search *search, int k, double off)
{
	return off / hypot(search->noise, search->view->scatter[k]);
}

double loss_of(const struct search *search, int observation, double off)
{
	double bent = bend(isnan(off) ? UNTOLD : residual_of(search, observation, off));

	/* twice the negative logarithm of what Student's distribution of one degree gives it */
	return 2 * search->view->weight[observation] * (bent * bent);
}

static double bent_of(const struct search *search, int k, double off)
{
	return isnan(off) ? 0 : bend(residual_of(search, k, off));
}

static void set_values(const struct problem *problem, const gsl_vector *x, struct machine *machine)
{
	for (int k = 0; k < problem->n; k++)
		machine_set(machine, problem->id[k], exp(gsl_vector_get(x, (size_t)k)));
}

/* A candidate that is refused is not the end. */
static void predict(struct problem *problem, const struct machine *machines, int n, double *off)
{
	const struct view *view = problem->search->view;

	problem->search->n_runs += n;
	problem->has_failed |=
	    view->predict(view->context, machines, n, off, problem->err) == UTIL_ESYSTEM;
}

static int out_of_memory(struct problem *problem)
{
	problem->has_failed = true;
	util_error_set(problem->err, UTIL_ENOMEM, "out of memory");
	return GSL_ENOMEM;
}

/* The residuals, then how far values have come. */
static int residuals(const gsl_vector *x, void *context, gsl_vector *f)
{
	struct problem *problem = context;
	const struct machine *from = problem->from;
	int n = problem->search->view->n;
	struct machine machine = *from;
	double *off = calloc((size_t)n + 1, sizeof(*off));

	if (!off)
		return out_of_memory(problem);
	set_values(problem, x, &machine);
	predict(problem, &machine, 1, off);
	for (int k = 0; k < n; k++)
		gsl_vector_set(f, (size_t)k,
			       sqrt(problem->search->view->weight[k]) *
				   bent_of(problem->search, k, off[k]));
	for (int k = 0; k < problem->n; k++)
		gsl_vector_set(f, (size_t)(n + k),
			       (gsl_vector_get(x, (size_t)k) - log(from->value[problem->id[k]])) /
				   PRIOR);
	free(off);
	return problem->has_failed ? GSL_EFAILED : GSL_SUCCESS;
}

/* A value at its upper end steps down. */
static void step(struct machine *machine, enum parameter_id id)
{
	double part = machine->has[PAYLOAD] ? OF_PACKETS : DIFFERENCE, value = machine->value[id],
	       more = value * (1 + part);

	machine_set(machine, id, more <= PARAMETER[id].high ? more : value * (1 - part));
}

/* Row by row what one value's step changes, from the first machine to that value's. */
static void fill(const struct problem *problem, const struct machine *machines, const double *off,
		 gsl_matrix *jacobian)
{
	const struct search *search = problem->search;
	int n = search->view->n;

	gsl_matrix_set_zero(jacobian);
	for (int j = 0; j < problem->n; j++) {
		const double *there = off + (size_t)(j + 1) * (size_t)n;
		enum parameter_id id = problem->id[j];
		double by = log(machines[j + 1].value[id]) - log(machines[0].value[id]);

		for (int k = 0; k < n && by != 0; k++)
			if (!isnan(off[k]) && !isnan(there[k]))
				gsl_matrix_set(jacobian, (size_t)k, (size_t)j,
					       sqrt(search->view->weight[k]) *
						   (bent_of(search, k, there[k]) -
						    bent_of(search, k, off[k])) /
						   by);
		gsl_matrix_set(jacobian, (size_t)(n + j), (size_t)j, 1 / PRIOR);
	}
}

/* All at once: the columns do not depend on each other. */
static int differences(const gsl_vector *x, void *context, gsl_matrix *jacobian)
{
	struct problem *problem = context;
	int n = problem->n + 1;
	struct machine *machines = calloc((size_t)n, sizeof(*machines));
	double *off = calloc((size_t)problem->search->view->n * (size_t)n + 1, sizeof(*off));

	for (int j = 0; machines && j < n; j++) {
		machines[j] = *problem->from;
		set_values(problem, x, &machines[j]);
		if (j > 0)
			step(&machines[j], problem->id[j - 1]);
	}
	if (machines && off) {
		predict(problem, machines, n, off);
		fill(problem, machines, off, jacobian);
	} else {
		out_of_memory(problem);
	}
	free(machines);
	free(off);
	return problem->has_failed ? GSL_EFAILED : GSL_SUCCESS;
}

/* By the residuals' curvature and their own size. */
static void set_intervals(const struct problem *problem, gsl_multifit_nlinear_workspace *w,
			  struct machine *machine)
{
	const gsl_vector *f = gsl_multifit_nlinear_residual(w);
	int freedom = problem->search->view->n - problem->n;
	gsl_matrix *covariance = gsl_matrix_alloc((size_t)problem->n, (size_t)problem->n);
	double sum = 0;

	if (!covariance)
		return;
	for (size_t k = 0; k < (size_t)problem->search->view->n; k++)
		sum += gsl_vector_get(f, k) * gsl_vector_get(f, k);
	gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(w), 0, covariance);
	for (int j = 0; j < problem->n; j++) {
		enum parameter_id id = problem->id[j];
		double variance = gsl_matrix_get(covariance, (size_t)j, (size_t)j) *
				  fmax(freedom > 0 ? sum / freedom : 1, 0.05),
		       factor = exp(INTERVAL * fmin(sqrt(fmax(variance, 0)), PRIOR));

		machine->low[id] = fmax(machine->value[id] / factor, PARAMETER[id].low);
		machine->high[id] = fmin(machine->value[id] * factor, PARAMETER[id].high);
	}
	gsl_matrix_free(covariance);
}

static void iterate(const struct problem *problem, gsl_multifit_nlinear_workspace *w, int n_steps)
{
	int info;

	for (int k = 0; k < n_steps && !problem->has_failed; k++)
		if (gsl_multifit_nlinear_iterate(w) ||
		    gsl_multifit_nlinear_test(CLOSE, 1e-8, 1e-8, &info, w) == GSL_SUCCESS)
			return;
}

static int solve(struct problem *problem, int n_steps, bool wants_intervals,
		 struct machine *machine)
{
	gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
	size_t p = (size_t)problem->n, n = (size_t)problem->search->view->n + p;
	gsl_multifit_nlinear_fdf fdf = {
	    .f = residuals, .df = differences, .n = n, .p = p, .params = problem};
	gsl_multifit_nlinear_workspace *w;
	gsl_vector *x = gsl_vector_alloc(p);
	int status;

	how.scale = gsl_multifit_nlinear_scale_levenberg;
	w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, n, p);
	for (size_t k = 0; x && k < p; k++)
		gsl_vector_set(x, k, log(machine->value[problem->id[k]]));
	status = w && x ? gsl_multifit_nlinear_init(x, &fdf, w) : out_of_memory(problem);
	if (status == GSL_SUCCESS) {
		iterate(problem, w, n_steps);
		set_values(problem, gsl_multifit_nlinear_position(w), machine);
		if (wants_intervals)
			set_intervals(problem, w, machine);
	}
	gsl_multifit_nlinear_free(w);
	gsl_vector_free(x);
	if (status != GSL_SUCCESS && !problem->has_failed)
		out_of_memory(problem);
	return status == GSL_SUCCESS ? 0 : problem->err->code;
}

int refine(struct search *search, struct machine *machine, int n_steps, bool wants_intervals,
	   struct util_error *err)
{
	const struct machine from = *machine;
	struct problem problem = {.search = search, .from = &from, .err = err};

	for (int k = 0; k < PARAMETERS; k++)
		if (machine->has[k] && !PARAMETER[k].is_stepped && !search->view->facts.has[k])
			problem.id[problem.n++] = k;
	return problem.n > 0 ? solve(&problem, n_steps, wants_intervals, machine) : 0;
}
