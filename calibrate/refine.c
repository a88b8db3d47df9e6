/* SPDX-License-Identifier: BSD-3-Clause */
/* Least squares of the values that times follow smoothly; search.h says of what. */
#include "search.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "least_squares.h"

struct problem {
	struct search *search;
	const struct machine *from;
	const bool *is_left_out;
	int n, id[PARAMETERS]; /* of the values that are fitted */
};

static double residual_of(const struct search *search, const struct observation *observation,
			  double predicted_s)
{
	double r =
	    log(predicted_s / observation->time_s) / hypot(search->noise, observation->scatter);

	return isfinite(r) ? r : INFINITY;
}

double loss_of(const struct search *search, const struct observation *observation,
	       double predicted_s)
{
	return least_squares_loss(residual_of(search, observation, predicted_s));
}

double loss_of_all(const struct search *search, const double *predicted_s)
{
	const struct observations *all = search->observations;
	double sum = 0;

	for (int k = 0; k < all->n; k++)
		sum += loss_of(search, &all->list[k], predicted_s[k]);
	return sum / all->n;
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
	const struct observations *all = problem->search->observations;
	struct machine machines[PARAMETERS + 1];
	double *times = residuals;
	int failed;

	for (int k = 0; k < n; k++) {
		machines[k] = *problem->from;
		set_all(problem, values + (ptrdiff_t)k * problem->n, &machines[k]);
	}
	failed = predictor_run(&problem->search->predictor, machines, n, times, err);
	for (int k = 0; k < n * all->n; k++)
		residuals[k] = problem->is_left_out && problem->is_left_out[k % all->n]
				   ? 0
				   : residual_of(problem->search, &all->list[k % all->n], times[k]);
	return failed == UTIL_ESYSTEM ? failed : 0;
}

int refine(struct search *search, struct machine *machine, const bool *is_left_out, int n_steps,
	   bool wants_intervals, struct util_error *err)
{
	struct machine from = *machine;
	struct problem problem = {.search = search, .from = &from, .is_left_out = is_left_out};
	double values[PARAMETERS], least[PARAMETERS], most[PARAMETERS], low[PARAMETERS],
	    high[PARAMETERS];
	struct least_squares squares = {.n_residuals = search->observations->n,
					.least = least,
					.most = most,
					.predict = predict,
					.context = &problem,
					.n_steps = n_steps};
	int failed;

	for (int k = 0; k < PARAMETERS; k++) {
		if (!machine->has[k] || PARAMETER[k].is_stepped)
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
