/* SPDX-License-Identifier: BSD-3-Clause */
/* Least squares of the values that predictions follow smoothly; search.h says of what. */
#include "search.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "least_squares.h"

/* Whole packets hide less. */
static const double DIFFERENCE = 0.01, OF_PACKETS = 0.05;
/* Of a probe that would not have been made so: on the right machine it is. */
static const double UNTOLD = 2;

struct problem {
	struct search *search;
	const struct machine *from;
	int n, id[PARAMETERS]; /* of the values that are fitted */
};

static double residual_of(const struct search *search, int k, double off)
{
	return off / hypot(search->noise, search->view->scatter[k]);
}

double loss_of(const struct search *search, int observation, double off)
{
	double residual = isnan(off) ? UNTOLD : residual_of(search, observation, off);

	/* twice the negative logarithm of what Student's distribution of one degree gives it */
	return 2 * search->view->weight[observation] * least_squares_loss(residual);
}

static void set_all(const struct problem *problem, const double *values, struct machine *machine)
{
	for (int k = 0; k < problem->n; k++)
		machine_set(machine, (enum parameter_id)problem->id[k], values[k]);
}

/* A candidate that is refused is not the end. */
static int predict(void *context, const double *values, int n, double *residuals,
		   struct util_error *err)
{
	struct problem *problem = context;
	struct search *search = problem->search;
	const struct view *view = search->view;
	struct machine *machines = calloc((size_t)n, sizeof(*machines));
	int failed;

	if (!machines)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	for (int k = 0; k < n; k++) {
		machines[k] = *problem->from;
		set_all(problem, values + (ptrdiff_t)k * problem->n, &machines[k]);
	}
	failed = view->predict(view->context, machines, n, residuals, err);
	search->n_runs += n;
	for (int k = 0; k < n * view->n; k++)
		residuals[k] = residual_of(search, k % view->n, residuals[k]);
	free(machines);
	return failed == UTIL_ESYSTEM ? failed : 0;
}

static bool is_fitted(const struct search *search, const struct machine *machine, int k)
{
	return machine->has[k] && !PARAMETER[k].is_stepped && !search->view->facts.has[k];
}

int refine(struct search *search, struct machine *machine, int n_steps, bool wants_intervals,
	   struct util_error *err)
{
	struct machine from = *machine;
	struct problem problem = {.search = search, .from = &from};
	double values[PARAMETERS], least[PARAMETERS], most[PARAMETERS], low[PARAMETERS],
	    high[PARAMETERS];
	struct least_squares squares = {.n_residuals = search->view->n,
					.least = least,
					.most = most,
					.weight = search->view->weight,
					.predict = predict,
					.context = &problem,
					.n_steps = n_steps,
					.difference =
					    machine->has[PAYLOAD] ? OF_PACKETS : DIFFERENCE};
	int failed;

	for (int k = 0; k < PARAMETERS; k++) {
		if (!is_fitted(search, machine, k))
			continue;
		values[problem.n] = machine->value[k];
		least[problem.n] = PARAMETER[k].low;
		most[problem.n] = PARAMETER[k].high;
		problem.id[problem.n++] = k;
	}
	squares.n_values = problem.n;
	squares.low = wants_intervals ? low : NULL;
	squares.high = wants_intervals ? high : NULL;
	failed = least_squares_run(&squares, values, err);
	if (failed)
		return failed;
	set_all(&problem, values, machine);
	for (int k = 0; k < problem.n && wants_intervals; k++) {
		machine->low[problem.id[k]] = low[k];
		machine->high[problem.id[k]] = high[k];
	}
	return 0;
}
