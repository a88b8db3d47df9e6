// SPDX-License-Identifier: BSD-3-Clause
/* Where a prediction is off, as tables and as JSON. */
#include <math.h>

#include "tools/validate/grid.h"
#include "tools/validate/phases.h"
#include "tools/validate/trace.h"

#define ROUNDING 1e-9 /* relative: less is what sums in another order leave */

static double without_rounding(double difference_s, double of_s)
{
	return fabs(difference_s) > ROUNDING * fabs(of_s) ? difference_s : 0;
}

static void add_phase(struct val_grid *grid, const char *name, const struct val_phase *p,
		      double total_s)
{
	double predicted_s = without_rounding(p->predicted_s, total_s);
	double difference_s = without_rounding(predicted_s - p->measured_s, p->measured_s);

	val_grid_add(grid, "%s", name);
	if (val_is_computation(name)) { /* nothing is counted */
		val_grid_add(grid, "-");
		val_grid_add(grid, "-");
	} else {
		val_grid_add(grid, "%ld", p->n_measured);
		val_grid_add(grid, "%ld", p->n_predicted);
	}
	val_grid_add(grid, "%.5g", p->measured_s);
	val_grid_add(grid, "%.5g", predicted_s);
	val_grid_add(grid, "%+.5g", difference_s);
	if (p->measured_s > 0)
		val_grid_add(grid, "%+.1f %%", 100 * difference_s / p->measured_s);
	else
		val_grid_add(grid, "-");
}

static int print_list(const struct val_phases *phases, const char *title, const char *what,
		      const char *total, FILE *file)
{
	const char *const head[] = {what,	    "measured",	     "predicted",
				    "measured (s)", "predicted (s)", "difference (s)",
				    "error"};
	struct val_grid grid;
	int failed;

	val_grid_init(&grid, "lrrrrrr");
	for (size_t k = 0; k < sizeof head / sizeof head[0]; k++)
		val_grid_add(&grid, "%s", head[k]);
	for (int i = 0; i < phases->n; i++)
		add_phase(&grid, phases->list[i].name, &phases->list[i], phases->total.predicted_s);
	add_phase(&grid, total, &phases->total, 0);
	fprintf(file, "%s, summed over the ranks\n\n", title);
	failed = val_grid_print(&grid, file);
	val_grid_finish(&grid);
	return failed ? UTIL_ENOMEM : 0;
}

int val_phases_print(const struct val_places *places, FILE *file)
{
	int failed = 0;

	if (places->phases.n > 0)
		failed = print_list(&places->phases, "Time inside each phase", "phase",
				    "total of those in no other", file);
	if (!failed && places->phases.n > 0 && places->parts.n > 0)
		fputc('\n', file);
	if (!failed && places->parts.n > 0)
		failed = print_list(&places->parts, "Computation, and time in each function of MPI",
				    "function", "total but for MPI_Init, MPI_Finalize", file);
	if (!failed && places->sizes.n > 0) {
		fputc('\n', file);
		failed = print_list(&places->sizes, "Time in MPI by the size of messages",
				    "message", "total", file);
	}
	return failed;
}

static json_t *phase_json(const struct val_phase *p)
{
	return json_pack("{s:s*, s:I, s:I, s:f, s:f}", "name", p->name, "measured_count",
			 (json_int_t)p->n_measured, "predicted_count", (json_int_t)p->n_predicted,
			 "measured_s", p->measured_s, "predicted_s", p->predicted_s);
}

static json_t *list_json(const struct val_phases *phases)
{
	json_t *array = json_array();

	for (int i = 0; i < phases->n; i++)
		json_array_append_new(array, phase_json(&phases->list[i]));
	return array;
}

json_t *val_phases_json(const struct val_places *places)
{
	return json_pack("{s:o, s:o, s:o, s:{s:o, s:o, s:o}}", "phases", list_json(&places->phases),
			 "functions", list_json(&places->parts), "sizes", list_json(&places->sizes),
			 "totals", "phases", phase_json(&places->phases.total), "functions",
			 phase_json(&places->parts.total), "sizes",
			 phase_json(&places->sizes.total));
}
