// SPDX-License-Identifier: BSD-3-Clause
/* Rows become series: the fastest of the other parameters, the median of repetitions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/plot.h"

#include "util/array.h"

struct sample {
	int series, combination;
	double x, time_s, y;
	double low, high; /* of y */
};

struct texts { /* each once */
	char **of;
	int n;
};

static int texts_find(struct texts *texts, const char *text)
{
	for (int i = 0; i < texts->n; i++)
		if (strcmp(texts->of[i], text) == 0)
			return i;
	return util_texts_add(&texts->of, &texts->n, strdup(text)) ? -1 : texts->n - 1;
}

double sweep_median(double values[], int n)
{
	for (int i = 1; i < n; i++) { /* a few repetitions */
		double value = values[i];
		int k = i;

		for (; k > 0 && values[k - 1] > value; k--)
			values[k] = values[k - 1];
		values[k] = value;
	}
	return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

int sweep_plot_n_values(const struct sweep_table *table, int parameter)
{
	struct texts texts = {0};
	int n;

	for (int i = 0; i < table->n_rows; i++)
		if (table->rows[i].is_done)
			texts_find(&texts, table->rows[i].values[parameter]);
	n = texts.n;
	for (int i = 0; i < texts.n; i++)
		free(texts.of[i]);
	free(texts.of);
	return n;
}

bool sweep_plot_is_numeric(const struct sweep_table *table, int parameter)
{
	double number;

	for (int i = 0; i < table->n_rows; i++)
		if (sweep_quantity_of(table->rows[i].values[parameter], &number) == SWEEP_TEXT)
			return false;
	return true;
}

int sweep_plot_find(const struct sweep_table *table, const char *option, const char *name, int *out,
		    struct util_error *err)
{
	char known[512] = "";
	int place = sweep_table_parameter(table, name);

	if (place >= 0) {
		*out = place;
		return 0;
	}
	for (int i = 0; i < table->n_parameters; i++)
		snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
			 table->names[i]);
	return util_refuse(err, "%s: found \"%.40s\", wanted a parameter: %s", option, name, known);
}

int sweep_plot_widest(const struct sweep_table *table, int except)
{
	int widest = -1, most = 1;

	for (int i = 0; i < table->n_parameters; i++) {
		int n;

		if (i == except || table->is_seed[i] || !sweep_plot_is_numeric(table, i))
			continue;
		n = sweep_plot_n_values(table, i);
		if (n > most) {
			most = n;
			widest = i;
		}
	}
	return widest;
}

int sweep_plot_choose_by(const struct sweep_plot *plot, struct sweep_choice *choice,
			 struct util_error *err)
{
	const struct sweep_table *table = plot->table;
	int failed = 0;

	for (int i = 0; i < plot->options.n_by && !failed; i++)
		failed = sweep_plot_find(table, "--by", plot->options.by[i], &choice->by[i], err);
	choice->n_by = plot->options.n_by;
	if (failed || plot->options.has_by)
		return failed;
	for (int i = 0; i < table->n_parameters && choice->n_by == 0; i++)
		if (i != choice->x_parameter && !sweep_plot_is_numeric(table, i) &&
		    sweep_plot_n_values(table, i) > 1)
			choice->by[choice->n_by++] = i;
	return 0;
}

int sweep_plot_figure(const struct sweep_plot *plot, enum sweep_figure otherwise,
		      enum sweep_figure *out, struct util_error *err)
{
	char known[512] = "";

	*out = otherwise;
	if (!plot->options.value)
		return 0;
	for (int i = 0; i < SWEEP_N_FIGURES; i++) {
		if (strcmp(sweep_figure_names[i], plot->options.value) == 0) {
			*out = (enum sweep_figure)i;
			return 0;
		}
		snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
			 sweep_figure_names[i]);
	}
	return util_refuse(err, "--value: found \"%.40s\", wanted one of %s", plot->options.value,
			   known);
}

static bool is_in(const struct sweep_choice *choice, int parameter)
{
	for (int i = 0; i < choice->n_by; i++)
		if (choice->by[i] == parameter)
			return true;
	return false;
}

/* "P+FC" for one parameter, "variant=P, r=108" for several. */
static void name_series(const struct sweep_table *table, const struct sweep_choice *choice,
			const struct sweep_row *row, char *out, size_t size)
{
	out[0] = '\0';
	for (int i = 0; i < choice->n_by; i++) {
		size_t used = strlen(out);

		if (choice->n_by == 1)
			snprintf(out, size, "%s", row->values[choice->by[0]]);
		else
			snprintf(out + used, size - used, "%s%s=%s", i ? ", " : "",
				 table->names[choice->by[i]], row->values[choice->by[i]]);
	}
}

/* The other parameters, but the seed. */
static void name_combination(const struct sweep_table *table, const struct sweep_choice *choice,
			     const struct sweep_row *row, char *out, size_t size)
{
	out[0] = '\0';
	for (int i = 0; i < table->n_parameters; i++) {
		size_t used = strlen(out);

		if (i != choice->x_parameter && !is_in(choice, i) && !table->is_seed[i] &&
		    sweep_plot_n_values(table, i) > 1)
			snprintf(out + used, size - used, "%s%s=%s", used ? " " : "",
				 table->names[i], row->values[i]);
	}
}

static double x_of(const struct sweep_choice *choice, const struct sweep_row *row)
{
	return choice->x_parameter >= 0 ? sweep_value_of(row->values[choice->x_parameter]).number
					: row->figures[choice->x_figure];
}

static int compare(const void *a, const void *b)
{
	const struct sample *s = a, *t = b;

	if (s->series != t->series)
		return s->series < t->series ? -1 : 1;
	if (s->x != t->x)
		return s->x < t->x ? -1 : 1;
	if (s->combination != t->combination)
		return s->combination < t->combination ? -1 : 1;
	return 0;
}

static int take_samples(const struct sweep_plot *plot, const struct sweep_choice *choice,
			struct texts *names, struct texts *combinations, struct sample **out,
			int *out_n, struct util_error *err)
{
	const struct sweep_table *table = plot->table;
	struct sample *samples = calloc((size_t)table->n_rows + 1, sizeof *samples);
	char text[512];
	int n = 0;

	for (int i = 0; i < table->n_rows && samples; i++) {
		const struct sweep_row *row = &table->rows[i];
		struct sample *s = &samples[n];

		if (!row->is_done)
			continue;
		name_series(table, choice, row, text, sizeof text);
		s->series = texts_find(names, text);
		name_combination(table, choice, row, text, sizeof text);
		s->combination = texts_find(combinations, text);
		s->x = x_of(choice, row);
		s->time_s = row->figures[SWEEP_TIME_S];
		s->y = row->figures[choice->y_figure];
		s->low = s->high = s->y;
		if (row->has_interval && choice->y_figure == SWEEP_TIME_S) {
			s->low = row->low_s;
			s->high = row->high_s;
		}
		n++;
		if (s->series < 0 || s->combination < 0)
			break;
	}
	if (!samples || (n && (samples[n - 1].series < 0 || samples[n - 1].combination < 0))) {
		free(samples);
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	*out = samples;
	*out_n = n;
	return 0;
}

/* Samples [0, n) are the repetitions of one combination. */
static void take_group(struct sweep_series *series, const struct sample samples[], int n,
		       double *best_time, double scratch[])
{
	struct sweep_cell *last = series->n_cells ? &series->cells[series->n_cells - 1] : NULL;
	struct sweep_cell cell = {.series = samples[0].series,
				  .x = samples[0].x,
				  .combination = series->combinations[samples[0].combination]};
	double time;

	for (int i = 0; i < n; i++)
		scratch[i] = samples[i].time_s;
	time = sweep_median(scratch, n);
	for (int i = 0; i < n; i++)
		scratch[i] = samples[i].y;
	cell.y = sweep_median(scratch, n);
	cell.low = n == 1 ? samples[0].low : scratch[0];
	cell.high = n == 1 ? samples[0].high : scratch[n - 1];
	series->has_intervals |= n == 1 && cell.low < cell.high;
	if (n > series->n_repeats)
		series->n_repeats = n;
	if (last && last->series == cell.series && last->x == cell.x) {
		if (time < *best_time) {
			*last = cell;
			*best_time = time;
		}
		return;
	}
	series->cells[series->n_cells++] = cell;
	*best_time = time;
}

static int fill(struct sweep_series *series, struct sample samples[], int n, struct util_error *err)
{
	double *scratch = calloc((size_t)n + 1, sizeof *scratch), best_time = 0;

	series->cells = calloc((size_t)n + 1, sizeof *series->cells);
	if (!series->cells || !scratch) {
		free(scratch);
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	qsort(samples, (size_t)n, sizeof *samples, compare);
	for (int begin = 0, end; begin < n; begin = end) {
		for (end = begin + 1; end < n && compare(&samples[begin], &samples[end]) == 0;
		     end++)
			;
		take_group(series, samples + begin, end - begin, &best_time, scratch);
	}
	free(scratch);
	return 0;
}

/* Whether points of one series and one x differ in `parameter`: others go with x, as the number of
 * ranks does with that of nodes. */
static bool is_free(const struct sweep_table *table, const struct sweep_choice *choice,
		    int parameter)
{
	struct texts places = {0};
	const char **values = calloc((size_t)table->n_rows + 1, sizeof *values);
	bool is_found = false;
	char text[600];

	for (int i = 0; i < table->n_rows && values && !is_found; i++) {
		const struct sweep_row *row = &table->rows[i];
		int place;

		if (!row->is_done)
			continue;
		name_series(table, choice, row, text, 512);
		snprintf(text + strlen(text), 64, " %.17g", x_of(choice, row));
		place = texts_find(&places, text);
		if (place < 0)
			break;
		is_found = values[place] && strcmp(values[place], row->values[parameter]) != 0;
		values[place] = row->values[parameter];
	}
	for (int i = 0; i < places.n; i++)
		free(places.of[i]);
	free(places.of);
	free(values);
	return is_found;
}

static void name_rest(const struct sweep_table *table, const struct sweep_choice *choice, char *out,
		      size_t size)
{
	out[0] = '\0';
	for (int i = 0; i < table->n_parameters; i++) {
		size_t used = strlen(out);

		if (i != choice->x_parameter && !is_in(choice, i) && !table->is_seed[i] &&
		    is_free(table, choice, i))
			snprintf(out + used, size - used, "%s%s", used ? ", " : "",
				 table->names[i]);
	}
}

int sweep_series_make(const struct sweep_plot *plot, const struct sweep_choice *choice,
		      struct sweep_series *out, struct util_error *err)
{
	struct sweep_series series = {0};
	struct texts names = {0}, combinations = {0};
	struct sample *samples = NULL;
	int n = 0, failed;

	failed = take_samples(plot, choice, &names, &combinations, &samples, &n, err);
	series.names = names.of;
	series.n = names.n;
	series.combinations = combinations.of;
	series.n_combinations = combinations.n;
	if (!failed && n == 0)
		failed = util_refuse(err, "found no point with a result, wanted some to draw");
	if (!failed && names.n > SWEEP_MAX_SERIES)
		failed = util_refuse(
		    err, "found %d lines, wanted at most %d: choose with --where or another --by",
		    names.n, SWEEP_MAX_SERIES);
	if (!failed)
		failed = fill(&series, samples, n, err);
	free(samples);
	if (failed) {
		sweep_series_finish(&series);
		return failed;
	}
	if (choice->n_by == 1)
		snprintf(series.title, sizeof series.title, "%s",
			 plot->table->names[choice->by[0]]);
	name_rest(plot->table, choice, series.rest, sizeof series.rest);
	*out = series;
	return 0;
}

void sweep_series_finish(struct sweep_series *series)
{
	for (int i = 0; i < series->n; i++)
		free(series->names[i]);
	for (int i = 0; i < series->n_combinations; i++)
		free(series->combinations[i]);
	free(series->names);
	free(series->combinations);
	free(series->cells);
	*series = (struct sweep_series){0};
}
