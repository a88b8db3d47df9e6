// SPDX-License-Identifier: BSD-3-Clause
/* Pictures with a line for each series: speedup, efficiency, time. */
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/plot.h"
#include "util/gnuplot.h"

static void bounds(const struct sweep_series *series, double *x_least, double *x_most,
		   double *y_least, double *y_most)
{
	*x_least = *x_most = series->cells[0].x;
	*y_least = *y_most = series->cells[0].y;
	for (int i = 1; i < series->n_cells; i++) {
		const struct sweep_cell *cell = &series->cells[i];

		*x_least = cell->x < *x_least ? cell->x : *x_least;
		*x_most = cell->x > *x_most ? cell->x : *x_most;
		*y_least = cell->low < *y_least ? cell->low : *y_least;
		*y_most = cell->high > *y_most ? cell->high : *y_most;
	}
}

/* What the picture does not show is said below its title. */
static void describe(const struct sweep_series *series, char *out, size_t size)
{
	size_t used;

	out[0] = '\0';
	if (series->rest[0])
		snprintf(out, size, "the fastest over %s", series->rest);
	used = strlen(out);
	if (series->n_repeats > 1)
		snprintf(out + used, size - used, "%smedian of %d runs; bars: least to most",
			 used ? "; " : "", series->n_repeats);
	used = strlen(out);
	if (series->has_intervals)
		snprintf(out + used, size - used, "%sbars: intervals of the predictions",
			 used ? "; " : "");
}

static void write_key_title(const struct sweep_series *series, FILE *gp)
{
	if (!series->title[0])
		return;
	fputs("set key title ", gp);
	util_gnuplot_quote(series->title, sizeof series->title, gp);
	fputs(" noenhanced textcolor rgb ink left\n", gp);
}

static int choose_x(const struct sweep_plot *plot, struct sweep_choice *choice,
		    struct util_error *err)
{
	if (!plot->options.x)
		return 0;
	if (sweep_plot_find(plot->table, "--x", plot->options.x, &choice->x_parameter, err))
		return err->code;
	if (!sweep_plot_is_numeric(plot->table, choice->x_parameter))
		return util_refuse(err, "--x: found %s, whose values are texts, wanted numbers",
				   plot->options.x);
	return 0;
}

/* A lone x makes a picture without a line, but no mistake: room on both sides. */
static void write_range(char axis, double least, double most, double scale, bool is_log, FILE *gp)
{
	double pad = most > least ? 0.04 * (most - least) : 0.5 * (most ? most : 1);

	if (is_log)
		fprintf(gp, "set %crange [%.12g:%.12g]\n", axis, least * scale / 1.15,
			most * scale * 1.15);
	else
		fprintf(gp, "set %crange [%.12g:%.12g]\n", axis, (least - pad) * scale,
			(most + pad) * scale);
}

/* The values themselves where they are few: nobody has 3.5 nodes. */
static void write_x_tics(const struct sweep_series *series, const struct sweep_axis *axis,
			 double most, FILE *gp)
{
	double last = -1;
	int n = 0;

	fputs("set xtics (", gp);
	for (int s = 0; s < series->n_cells; s++) {
		double next = -1;

		for (int i = 0; i < series->n_cells; i++)
			if (series->cells[i].x > last && (next < 0 || series->cells[i].x < next))
				next = series->cells[i].x;
		if (next < 0)
			break;
		/* Where two would touch on a linear axis the second has no number. */
		if (axis->is_log || n == 0 || next - last > 0.03 * most)
			fprintf(gp, "%s%.12g", n ? ", " : "", next * axis->scale);
		last = next;
		n++;
	}
	fputs(")\n", gp);
}

static int draw_scaling(struct sweep_plot *plot, const struct sweep_choice *choice,
			struct sweep_series *series, const char *what, const struct sweep_axis *y,
			bool has_ideal, const char *note)
{
	double x_least, x_most, y_least, y_most;
	struct sweep_axis x = {0};
	char extra[512], *commands = NULL;
	size_t size;
	FILE *lines = open_memstream(&commands, &size);

	bounds(series, &x_least, &x_most, &y_least, &y_most);
	if (choice->x_parameter >= 0)
		sweep_axis_of_parameter(plot->table, choice->x_parameter, x_least, x_most, &x);
	else
		sweep_axis_of_figure(choice->x_figure, x_least, x_most, &x);
	if (has_ideal && y->is_log)
		x.is_log = x_least > 0;
	sweep_csv_series(series,
			 choice->x_parameter >= 0 ? plot->table->names[choice->x_parameter]
						  : sweep_figure_names[choice->x_figure],
			 plot->csv);
	describe(series, extra, sizeof extra);
	snprintf(extra + strlen(extra), sizeof extra - strlen(extra), "%s%s",
		 extra[0] && note[0] ? "; " : "", note);
	sweep_script_title(plot, what, extra, plot->gp);
	sweep_script_axis(plot, 'x', &x, plot->gp);
	sweep_script_axis(plot, 'y', y, plot->gp);
	write_key_title(series, plot->gp);
	write_range('x', x_least, x_most, x.scale, x.is_log, plot->gp);
	if (choice->x_parameter < 0)
		write_x_tics(series, &x, x_most, plot->gp);
	if (has_ideal && y->is_log) /* speedups are told in factors of two */
		fputs("set logscale y 2\n", plot->gp);
	if (!y->is_log)
		fputs("set yrange [0:*]\n", plot->gp);
	if (strcmp(y->label, "parallel efficiency (%)") == 0)
		fprintf(plot->gp, "set yrange [0:%.12g]\n", y_most > 1 ? 105 * y_most : 105.0);
	if (lines) {
		sweep_script_lines(series, &x, y, has_ideal ? (y->scale == 1 ? "x" : "100") : NULL,
				   lines);
		fclose(lines);
		sweep_script_draw(plot, commands, plot->gp);
	}
	free(commands);
	return 0;
}

/* The fastest of the cells on the fewest nodes; `line` -1: of all lines. NULL: there is none. */
static const struct sweep_cell *find_reference(const struct sweep_series *series, int line)
{
	const struct sweep_cell *found = NULL;

	for (int i = 0; i < series->n_cells; i++) {
		const struct sweep_cell *cell = &series->cells[i];

		if (line >= 0 && cell->series != line)
			continue;
		if (!found || cell->x < found->x || (cell->x == found->x && cell->y < found->y))
			found = cell;
	}
	return found;
}

/* Times become speedups: nodes × time of `reference` / time. With `is_efficiency` divided by the
 * nodes, too. `line` -1: those of all lines. */
static void convert_line(struct sweep_series *series, int line, struct sweep_cell reference,
			 bool is_efficiency)
{
	double work = reference.x * reference.y;

	for (int i = 0; i < series->n_cells; i++) {
		struct sweep_cell *cell = &series->cells[i];
		double low = cell->low, per = is_efficiency ? cell->x : 1;

		if (line >= 0 && cell->series != line)
			continue;
		cell->low = work / cell->high / per;
		cell->high = work / low / per;
		cell->y = work / cell->y / per;
	}
}

/* `note`: what the reference is. */
static void convert(struct sweep_series *series, bool is_efficiency, bool is_per_line, char *note,
		    size_t size)
{
	const struct sweep_cell *reference;

	if (is_per_line) {
		for (int line = 0; line < series->n; line++)
			if ((reference = find_reference(series, line)))
				convert_line(series, line, *reference, is_efficiency);
		snprintf(note, size, "reference: of each line its fewest nodes");
		return;
	}
	reference = find_reference(series, -1);
	snprintf(note, size, "reference: %.4g s on %.4g node%s", reference->y, reference->x,
		 reference->x == 1 ? "" : "s");
	convert_line(series, -1, *reference, is_efficiency);
}

static int draw_against_nodes(struct sweep_plot *plot, bool is_efficiency, struct util_error *err)
{
	struct sweep_choice choice = {.x_parameter = -1, .x_figure = SWEEP_NODES};
	struct sweep_axis y = {"speedup", 1, false};
	struct sweep_series series = {0};
	char title[256], note[128];
	int failed = choose_x(plot, &choice, err);

	if (!failed)
		failed = sweep_plot_choose_by(plot, &choice, err);
	if (!failed)
		failed = sweep_series_make(plot, &choice, &series, err);
	if (failed)
		return failed;
	y.is_log = choice.x_parameter < 0;
	convert(&series, is_efficiency, plot->options.is_reference_per_line, note, sizeof note);
	if (is_efficiency)
		y = (struct sweep_axis){"parallel efficiency (%)", 100, false};
	snprintf(title, sizeof title, "%s of %s", is_efficiency ? "Parallel efficiency" : "Speedup",
		 plot->table->name);
	failed = draw_scaling(plot, &choice, &series, title, &y, true, note);
	sweep_series_finish(&series);
	return failed;
}

int sweep_draw_speedup(struct sweep_plot *plot, struct util_error *err)
{
	return draw_against_nodes(plot, false, err);
}

static int draw_figure(struct sweep_plot *plot, struct sweep_choice *choice, struct util_error *err)
{
	struct sweep_series series = {0};
	double x_least, x_most, y_least, y_most;
	struct sweep_axis y = {0};
	char title[256];
	int failed = sweep_plot_choose_by(plot, choice, err);

	if (!failed)
		failed = sweep_series_make(plot, choice, &series, err);
	if (failed)
		return failed;
	bounds(&series, &x_least, &x_most, &y_least, &y_most);
	sweep_axis_of_figure(choice->y_figure, y_least, y_most, &y);
	snprintf(title, sizeof title, "%s: %.*s", plot->table->name, (int)strcspn(y.label, "("),
		 y.label);
	failed = draw_scaling(plot, choice, &series, title, &y, false, "");
	sweep_series_finish(&series);
	return failed;
}

int sweep_draw_efficiency(struct sweep_plot *plot, struct util_error *err)
{
	struct sweep_choice choice = {.x_parameter = -1, .x_figure = SWEEP_NODES};
	int failed;

	if (!plot->options.value)
		return draw_against_nodes(plot, true, err);
	failed = choose_x(plot, &choice, err);
	if (!failed)
		failed = sweep_plot_figure(plot, SWEEP_EFFICIENCY, &choice.y_figure, err);
	return failed ? failed : draw_figure(plot, &choice, err);
}

int sweep_draw_time(struct sweep_plot *plot, struct util_error *err)
{
	struct sweep_choice choice = {.x_parameter = sweep_plot_widest(plot->table, -1)};
	int failed = choose_x(plot, &choice, err);

	if (!failed)
		failed = sweep_plot_figure(plot, SWEEP_TIME_S, &choice.y_figure, err);
	if (!failed && choice.x_parameter < 0)
		failed = util_refuse(err, "found no numeric parameter with several values, wanted "
					  "one for the horizontal axis");
	return failed ? failed : draw_figure(plot, &choice, err);
}
