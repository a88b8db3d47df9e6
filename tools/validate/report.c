/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/validate/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/validate/grid.h"

#define PERCENT(x) (100 * (x))

static int print_grid(struct val_grid *grid, const char *title, FILE *file)
{
	int failed;

	fprintf(file, "\n## %s\n\n", title);
	failed = val_grid_print(grid, file);
	val_grid_finish(grid);
	return failed ? UTIL_ENOMEM : 0;
}

static void add_head(struct val_grid *grid, const char *const names[])
{
	for (; *names; names++)
		val_grid_add(grid, "%s", *names);
}

static void add_stats_head(struct val_grid *grid, const struct val_options *o)
{
	val_grid_add(grid, "model");
	val_grid_add(grid, "predicted");
	for (int k = 0; k < o->n_limits; k++)
		val_grid_add(grid, "within %g %%", PERCENT(o->limits[k]));
	val_grid_add(grid, "mean error");
	val_grid_add(grid, "median");
	val_grid_add(grid, "largest");
	val_grid_add(grid, "bias");
	val_grid_add(grid, "in the measured interval");
}

static void add_stats(struct val_grid *grid, const char *model, const struct val_stats *s,
		      const struct val_options *o)
{
	val_grid_add(grid, "%s", model);
	val_grid_add(grid, "%d", s->n);
	for (int k = 0; k < o->n_limits; k++)
		val_grid_add(grid, "%.1f %%", s->n ? 100.0 * s->n_within[k] / s->n : 0.0);
	val_grid_add(grid, "%.2f %%", PERCENT(s->mean));
	val_grid_add(grid, "%.2f %%", PERCENT(s->median));
	val_grid_add(grid, "%.2f %%", PERCENT(s->most));
	val_grid_add(grid, "%+.2f %%", PERCENT(s->bias));
	if (s->n_with_interval)
		val_grid_add(grid, "%d of %d", s->n_in_interval, s->n_with_interval);
	else
		val_grid_add(grid, "-");
}

static int print_stats(const struct val_table *table, const struct val_options *o, bool common_only,
		       const char *title, FILE *file)
{
	char alignment[8 + VAL_MAX_LIMITS] = "lr";
	struct val_grid grid;

	/* model, predicted, a column for each limit, five more */
	memset(alignment + 1, 'r', (size_t)(6 + o->n_limits));
	val_grid_init(&grid, alignment);
	add_stats_head(&grid, o);
	for (int m = 0; m < table->n_models; m++) {
		struct val_stats stats;

		if (val_stats_compute(table, m, NULL, common_only, o->limits, o->n_limits,
				      &stats)) {
			val_grid_finish(&grid);
			return UTIL_ENOMEM;
		}
		add_stats(&grid, table->models[m], &stats, o);
	}
	return print_grid(&grid, title, file);
}

/* Whether some model predicts less than another: then shares are of different rows. */
static bool models_differ(const struct val_table *table)
{
	for (int i = 0; i < table->n_rows; i++)
		for (int m = 1; m < table->n_models; m++)
			if ((table->rows[i].predicted_s[m] < 0) !=
			    (table->rows[i].predicted_s[0] < 0))
				return true;
	return false;
}

static bool is_first_of_group(const struct val_table *table, int i)
{
	for (int k = 0; k < i; k++)
		if (strcmp(table->rows[k].group, table->rows[i].group) == 0)
			return false;
	return true;
}

static int print_groups(const struct val_table *table, const struct val_options *o, FILE *file)
{
	static const char *const head[] = {"group",	 "model",   "predicted",
					   "mean error", "largest", NULL};
	struct val_grid grid;
	int n_groups = 0, failed = 0;

	for (int i = 0; i < table->n_rows; i++)
		n_groups += is_first_of_group(table, i);
	if (n_groups < 2)
		return 0;
	val_grid_init(&grid, "llrrr");
	add_head(&grid, head);
	for (int i = 0; i < table->n_rows && !failed; i++) {
		for (int m = 0; m < table->n_models && is_first_of_group(table, i) && !failed;
		     m++) {
			struct val_stats s;

			failed = val_stats_compute(table, m, table->rows[i].group, false, o->limits,
						   o->n_limits, &s);
			if (failed || s.n == 0)
				continue;
			val_grid_add(&grid, "%s",
				     *table->rows[i].group ? table->rows[i].group : "(none)");
			val_grid_add(&grid, "%s", table->models[m]);
			val_grid_add(&grid, "%d", s.n);
			val_grid_add(&grid, "%.2f %%", PERCENT(s.mean));
			val_grid_add(&grid, "%.2f %%", PERCENT(s.most));
		}
	}
	if (failed) {
		val_grid_finish(&grid);
		return failed;
	}
	return print_grid(&grid, "By group", file);
}

static void add_wrong_choice(const struct val_table *table, const char *model,
			     const struct val_choice *choice, struct val_grid *grid)
{
	const struct val_row *best = &table->rows[choice->best],
			     *chosen = &table->rows[choice->chosen];

	val_grid_add(grid, "%s", model);
	val_grid_add(grid, "%.*s", choice->name_length, choice->name);
	val_grid_add(grid, "%s", best->configuration);
	val_grid_add(grid, "%s", chosen->configuration);
	val_grid_add(grid, "%+.1f %%", PERCENT(chosen->measured_s / best->measured_s - 1));
}

static void add_choices(const struct val_table *table, int model, const struct val_choice *choices,
			int n, struct val_grid *grid, struct val_grid *wrong)
{
	int n_right = 0, n_pairs = 0, n_ordered = 0;

	for (int i = 0; i < n; i++) {
		n_right += choices[i].is_right;
		n_pairs += choices[i].n_pairs;
		n_ordered += choices[i].n_ordered;
		if (!choices[i].is_right)
			add_wrong_choice(table, table->models[model], &choices[i], wrong);
	}
	val_grid_add(grid, "%s", table->models[model]);
	val_grid_add(grid, "%d of %d", n_right, n);
	val_grid_add(grid, "%d of %d", n_ordered, n_pairs);
}

static int print_choices(const struct val_table *table, const struct val_options *o, FILE *file)
{
	static const char *const wrong_head[] = {
	    "model", "question", "fastest measured", "fastest predicted", "costs", NULL};
	struct val_grid grid, wrong;
	int n_most = 0, failed = 0;

	val_grid_init(&grid, "lrr");
	val_grid_add(&grid, "model");
	val_grid_add(&grid, "right alternative");
	val_grid_add(&grid, "pairs in the right order (measured more than %g %% apart)",
		     PERCENT(o->margin));
	val_grid_init(&wrong, "llllr");
	add_head(&wrong, wrong_head);
	for (int m = 0; m < table->n_models && !failed; m++) {
		struct val_choice *choices = NULL;
		int n = val_choices_find(table, m, o->margin, &choices);

		failed = n < 0 ? UTIL_ENOMEM : 0;
		n_most = n > n_most ? n : n_most;
		if (n > 0)
			add_choices(table, m, choices, n, &grid, &wrong);
		free(choices);
	}
	if (!failed && n_most > 0)
		failed = print_grid(&grid, "Choices", file);
	if (!failed && wrong.n_cells > wrong.n_columns)
		failed = print_grid(&wrong, "Wrong choices", file);
	val_grid_finish(&grid);
	val_grid_finish(&wrong);
	return failed;
}

static int print_outliers(const struct val_table *table, const struct val_options *o, FILE *file)
{
	static const char *const head[] = {
	    "model", "configuration", "measured (s)", "predicted (s)", "error", "why", NULL};
	double limit = o->limits[o->n_limits - 1];
	struct val_grid grid;
	char title[80];

	val_grid_init(&grid, "llrrrl");
	add_head(&grid, head);
	for (int m = 0; m < table->n_models; m++) {
		for (int i = 0; i < table->n_rows; i++) {
			const struct val_row *row = &table->rows[i];

			if (row->predicted_s[m] < 0 || fabs(val_error(row, m)) <= limit + 1e-12)
				continue;
			val_grid_add(&grid, "%s", table->models[m]);
			val_grid_add(&grid, "%s", row->configuration);
			val_grid_add(&grid, "%.5g", row->measured_s);
			val_grid_add(&grid, "%.5g", row->predicted_s[m]);
			val_grid_add(&grid, "%+.1f %%", PERCENT(val_error(row, m)));
			val_grid_add(&grid, "%s",
				     *row->notes[m] ? row->notes[m] : "no note in the table");
		}
	}
	snprintf(title, sizeof title, "Further off than %g %%", PERCENT(limit));
	if (!grid.is_broken && grid.n_cells == grid.n_columns) {
		val_grid_finish(&grid);
		return 0;
	}
	return print_grid(&grid, title, file);
}

static void add_measured(struct val_grid *grid, const struct val_row *row)
{
	val_grid_add(grid, "%s", row->configuration);
	if (row->high_s > 0)
		val_grid_add(grid, "%.5g (%.5g … %.5g)", row->measured_s, row->low_s, row->high_s);
	else
		val_grid_add(grid, "%.5g", row->measured_s);
}

static int print_rows(const struct val_table *table, FILE *file)
{
	char *alignment = calloc((size_t)(2 * table->n_models) + 3, 1);
	struct val_grid grid;
	int failed;

	if (!alignment)
		return UTIL_ENOMEM;
	memset(alignment, 'r', (size_t)(2 * table->n_models) + 2);
	alignment[0] = 'l';
	val_grid_init(&grid, alignment);
	val_grid_add(&grid, "configuration");
	val_grid_add(&grid, "measured (s)");
	for (int m = 0; m < table->n_models; m++) {
		val_grid_add(&grid, "%s (s)", table->models[m]);
		val_grid_add(&grid, "error");
	}
	for (int i = 0; i < table->n_rows; i++) {
		const struct val_row *row = &table->rows[i];

		add_measured(&grid, row);
		for (int m = 0; m < table->n_models; m++) {
			bool has = row->predicted_s[m] >= 0;

			if (has) {
				val_grid_add(&grid, "%.5g", row->predicted_s[m]);
				val_grid_add(&grid, "%+.1f %%", PERCENT(val_error(row, m)));
			} else {
				val_grid_add(&grid, "-");
				val_grid_add(&grid, "-");
			}
		}
	}
	failed = print_grid(&grid, "All configurations", file);
	free(alignment);
	return failed;
}

int val_report_print(const struct val_table *table, const struct val_options *options, FILE *file)
{
	int failed = 0;

	fprintf(file, "%d configuration%s measured, %d model%s (%s)\n", table->n_rows,
		table->n_rows == 1 ? "" : "s", table->n_models, table->n_models == 1 ? "" : "s",
		table->path);
	if (table->n_models > 0)
		failed = print_stats(table, options, false, "How close", file);
	if (!failed && models_differ(table))
		failed =
		    print_stats(table, options, true, "How close, where all models predict", file);
	if (!failed)
		failed = print_groups(table, options, file);
	if (!failed)
		failed = print_choices(table, options, file);
	if (!failed)
		failed = print_outliers(table, options, file);
	if (!failed && options->lists_rows)
		failed = print_rows(table, file);
	return failed;
}
