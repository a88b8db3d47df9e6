// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sweep/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

struct making {
	const struct sweep_spec *spec;
	struct sweep_grid grid;
	struct util_error *err;
};

void sweep_grid_values(const struct sweep_spec *spec, const int choice[], struct sweep_value out[])
{
	for (int i = 0; i < spec->n_parameters; i++)
		out[i] = sweep_value_of(spec->parameters[i].values[choice[i]]);
}

/* "n: 4 × r: 18", and the product. */
static double describe(const struct sweep_spec *spec, char *out, size_t size)
{
	double n = 1;

	out[0] = '\0';
	for (int i = 0; i < spec->n_parameters; i++) {
		size_t used = strlen(out);

		n *= spec->parameters[i].n_values;
		snprintf(out + used, size - used, "%s%s: %d", i ? " × " : "",
			 spec->parameters[i].name, spec->parameters[i].n_values);
	}
	return n;
}

static int check_size(const struct sweep_spec *spec, struct util_error *err)
{
	char text[512];
	double n = describe(spec, text, sizeof text);

	if (spec->varies_one || n <= SWEEP_MAX_CANDIDATES)
		return 0;
	return util_refuse(err,
			   "%s: found a grid of %.0f points (%s), wanted at most %d; make lists "
			   "shorter, or use \"vary: one\"",
			   spec->path, n, text, SWEEP_MAX_CANDIDATES);
}

static int passes(struct making *m, const int choice[], bool *out)
{
	struct sweep_value values[SWEEP_MAX_PARAMETERS];
	struct util_error why = {0};

	*out = true;
	if (m->spec->n_conditions)
		sweep_grid_values(m->spec, choice, values);
	for (int i = 0; i < m->spec->n_conditions && *out; i++) {
		const struct sweep_condition *condition = &m->spec->conditions[i];
		bool holds = false;

		if (sweep_expression_holds(condition->expression, values, &holds, &why))
			return util_refuse(m->err, "%s: %s", condition->place, why.text);
		*out = holds == condition->keeps;
	}
	return 0;
}

static int take(struct making *m, const int choice[])
{
	struct sweep_grid *grid = &m->grid;
	size_t width = (size_t)grid->n_parameters;
	bool is_wanted;
	int failed = passes(m, choice, &is_wanted);

	if (failed || !is_wanted)
		return failed;
	if (grid->n_points == SWEEP_MAX_POINTS)
		return util_refuse(
		    m->err, "%s: found more than %d points that the conditions leave, wanted fewer",
		    m->spec->path, SWEEP_MAX_POINTS);
	if (!util_array_room(&grid->choices, (size_t)grid->n_points, width * sizeof *grid->choices))
		return util_error_set(m->err, UTIL_ENOMEM, "out of memory for the grid");
	memcpy(grid->choices + (size_t)grid->n_points * width, choice, width * sizeof *choice);
	grid->n_points++;
	return 0;
}

/* Every combination: counts up, the last digit fastest. */
static int take_all(struct making *m)
{
	int choice[SWEEP_MAX_PARAMETERS] = {0}, i = 0, failed = 0;

	while (!failed && i >= 0) {
		failed = take(m, choice);
		for (i = m->spec->n_parameters - 1; i >= 0; i--) {
			if (++choice[i] < m->spec->parameters[i].n_values)
				break;
			choice[i] = 0;
		}
	}
	return failed;
}

/* The point with every seed. */
static int take_seeds(struct making *m, const int choice[])
{
	const struct sweep_spec *spec = m->spec;
	int seeded[SWEEP_MAX_PARAMETERS], last = spec->n_parameters - 1, failed = 0;
	bool repeats = last >= 0 && spec->parameters[last].is_seed;

	memcpy(seeded, choice, sizeof seeded);
	for (int s = 0; s < (repeats ? spec->parameters[last].n_values : 1) && !failed; s++) {
		if (repeats)
			seeded[last] = s;
		failed = take(m, seeded);
	}
	return failed;
}

static int take_one_at_a_time(struct making *m)
{
	const struct sweep_spec *spec = m->spec;
	int choice[SWEEP_MAX_PARAMETERS] = {0}, failed;

	for (int i = 0; i < spec->n_parameters; i++)
		choice[i] = spec->parameters[i].base;
	failed = take_seeds(m, choice);
	for (int i = 0; i < spec->n_parameters && !failed; i++) {
		if (spec->parameters[i].is_seed)
			continue;
		for (int v = 0; v < spec->parameters[i].n_values && !failed; v++) {
			choice[i] = v;
			if (v != spec->parameters[i].base)
				failed = take_seeds(m, choice);
		}
		choice[i] = spec->parameters[i].base;
	}
	return failed;
}

int sweep_grid_make(const struct sweep_spec *spec, struct sweep_grid *out, struct util_error *err)
{
	struct making m = {.spec = spec, .grid.n_parameters = spec->n_parameters, .err = err};
	char text[512];
	int failed = check_size(spec, err);

	if (!failed)
		failed = spec->varies_one ? take_one_at_a_time(&m) : take_all(&m);
	if (!failed && m.grid.n_points == 0) {
		double n = describe(spec, text, sizeof text);

		failed =
		    util_refuse(err, "%s: found no point: the conditions leave none of %.0f (%s)",
				spec->path, n, text);
	}
	if (failed)
		sweep_grid_finish(&m.grid);
	else
		*out = m.grid;
	return failed;
}

void sweep_grid_finish(struct sweep_grid *grid)
{
	free(grid->choices);
	grid->choices = NULL;
}
