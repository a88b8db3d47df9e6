/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/validate/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

/* 4 % are within 4 % whatever the last bit of the division is. */
#define ROUNDING 1e-12

double val_error(const struct val_row *row, int model)
{
	return row->predicted_s[model] / row->measured_s - 1;
}

static bool counts(const struct val_table *table, const struct val_row *row, int model,
		   const char *group, bool common_only)
{
	if (row->predicted_s[model] < 0 || (group && strcmp(row->group, group) != 0))
		return false;
	for (int k = 0; k < table->n_models && common_only; k++)
		if (row->predicted_s[k] < 0)
			return false;
	return true;
}

static void add_row(const struct val_row *row, int model, const double limits[], int n_limits,
		    struct val_stats *out)
{
	double error = val_error(row, model), size = fabs(error);

	out->n++;
	out->bias += error;
	out->mean += size;
	out->most = fmax(out->most, size);
	for (int k = 0; k < n_limits; k++)
		out->n_within[k] += size <= limits[k] + ROUNDING;
	if (row->high_s > 0) {
		out->n_with_interval++;
		out->n_in_interval +=
		    row->predicted_s[model] >= row->low_s && row->predicted_s[model] <= row->high_s;
	}
}

int val_stats_compute(const struct val_table *table, int model, const char *group, bool common_only,
		      const double limits[], int n_limits, struct val_stats *out)
{
	struct val_stats stats = {0};
	double *sizes = malloc((size_t)table->n_rows * sizeof *sizes);

	if (!sizes)
		return UTIL_ENOMEM;
	for (int i = 0; i < table->n_rows; i++) {
		const struct val_row *row = &table->rows[i];

		if (!counts(table, row, model, group, common_only))
			continue;
		sizes[stats.n] = fabs(val_error(row, model));
		add_row(row, model, limits, n_limits, &stats);
	}
	if (stats.n > 0) {
		stats.bias /= stats.n;
		stats.mean /= stats.n;
		qsort(sizes, (size_t)stats.n, sizeof *sizes, util_compare_doubles);
		stats.median = (sizes[stats.n / 2] + sizes[(stats.n - 1) / 2]) / 2;
	}
	free(sizes);
	*out = stats;
	return 0;
}

/* The next name in a list separated by ';', blanks around it removed; NULL at the end. */
static const char *next_name(const char **list, int *out_length)
{
	while (**list == ';' || **list == ' ')
		(*list)++;
	if (!**list)
		return NULL;

	const char *name = *list;
	int length = (int)strcspn(name, ";");

	*list += length;
	while (length > 0 && name[length - 1] == ' ')
		length--;
	*out_length = length;
	return name;
}

static bool has_choice(const struct val_row *row, const char *name, int length)
{
	const char *list = row->choice, *found;
	int found_length;

	while ((found = next_name(&list, &found_length)))
		if (found_length == length && strncmp(found, name, (size_t)length) == 0)
			return true;
	return false;
}

static bool is_known(const struct val_choice *choices, int n, const char *name, int length)
{
	for (int i = 0; i < n; i++)
		if (choices[i].name_length == length &&
		    strncmp(choices[i].name, name, (size_t)length) == 0)
			return true;
	return false;
}

/* Counts the pairs of an alternative and those before it. */
static void compare_pairs(const struct val_table *table, int model, double margin,
			  const int members[], int n, struct val_choice *choice)
{
	const struct val_row *a = &table->rows[members[n]];

	for (int k = 0; k < n; k++) {
		const struct val_row *b = &table->rows[members[k]];
		double measured = a->measured_s - b->measured_s;

		if (fabs(measured) <= margin * fmin(a->measured_s, b->measured_s))
			continue;
		choice->n_pairs++;
		choice->n_ordered += (a->predicted_s[model] - b->predicted_s[model]) * measured > 0;
	}
}

/* members: room for [n_rows]. */
static void judge(const struct val_table *table, int model, double margin, int members[],
		  struct val_choice *choice)
{
	const struct val_row *rows = table->rows;

	choice->best = choice->chosen = -1;
	for (int i = 0; i < table->n_rows; i++) {
		if (rows[i].predicted_s[model] < 0 ||
		    !has_choice(&rows[i], choice->name, choice->name_length))
			continue;
		if (choice->best < 0 || rows[i].measured_s < rows[choice->best].measured_s)
			choice->best = i;
		if (choice->chosen < 0 ||
		    rows[i].predicted_s[model] < rows[choice->chosen].predicted_s[model])
			choice->chosen = i;
		members[choice->n_rows] = i;
		compare_pairs(table, model, margin, members, choice->n_rows++, choice);
	}
	if (choice->n_rows > 0)
		choice->is_right = rows[choice->chosen].measured_s <=
				   rows[choice->best].measured_s * (1 + margin + ROUNDING);
}

/* Adds the questions of one row that are new; the number of all, -1: out of memory. */
static int add_questions(const struct val_row *row, struct val_choice **choices, int n)
{
	const char *list = row->choice, *name;
	int length;

	while ((name = next_name(&list, &length))) {
		if (is_known(*choices, n, name, length))
			continue;
		if (!util_array_room(choices, (size_t)n, sizeof **choices))
			return -1;
		(*choices)[n++] = (struct val_choice){.name = name, .name_length = length};
	}
	return n;
}

int val_choices_find(const struct val_table *table, int model, double margin,
		     struct val_choice **out)
{
	int *members = calloc((size_t)table->n_rows, sizeof *members);
	struct val_choice *choices = NULL;
	int n = members ? 0 : -1, n_kept = 0;

	for (int i = 0; i < table->n_rows && n >= 0; i++)
		n = add_questions(&table->rows[i], &choices, n);
	for (int k = 0; k < n; k++) {
		judge(table, model, margin, members, &choices[k]);
		if (choices[k].n_rows > 1)
			choices[n_kept++] = choices[k];
	}
	free(members);
	if (n < 0) {
		free(choices);
		return -1;
	}
	*out = choices;
	return n_kept;
}
