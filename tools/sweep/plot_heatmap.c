// SPDX-License-Identifier: BSD-3-Clause
/* A figure over two parameters, the values of which stand at equal distances. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/plot.h"
#include "tools/sweep/verdict.h"
#include "util/gnuplot.h"

#define MAX_NUMBERED 150 /* cells that have room for a number */
#define MAX_SIDE 200

struct side { /* the values of a parameter, numbers in their order */
	const char *texts[MAX_SIDE];
	int n;
};

struct map {
	int parameters[2];
	struct side sides[2];
	struct sweep_axis
	    axes[2]; /* their units; never logarithmic: values stand at equal distances */
	bool is_numeric[2];
	enum sweep_figure figure;
	double *value, *time_s; /* [n_y * n_x]; NaN: none */
	struct sweep_axis axis;
};

static int compare_texts(const void *a, const void *b)
{
	struct sweep_value x = sweep_value_of(*(const char *const *)a),
			   y = sweep_value_of(*(const char *const *)b);

	if (x.is_number && y.is_number)
		return (x.number > y.number) - (x.number < y.number);
	return 0;
}

static int make_side(const struct sweep_table *table, int parameter, struct side *out,
		     struct util_error *err)
{
	for (int i = 0; i < table->n_rows; i++) {
		const char *text = table->rows[i].values[parameter];
		int k = 0;

		while (k < out->n && strcmp(out->texts[k], text) != 0)
			k++;
		if (k < out->n || !table->rows[i].is_done)
			continue;
		if (out->n == MAX_SIDE)
			return util_refuse(
			    err,
			    "found more than %d values of %s, wanted fewer: choose with --where",
			    MAX_SIDE, table->names[parameter]);
		out->texts[out->n++] = text;
	}
	if (sweep_plot_is_numeric(table, parameter))
		qsort(out->texts, (size_t)out->n, sizeof out->texts[0], compare_texts);
	return 0;
}

static int place_of(const struct side *side, const char *text)
{
	int k = 0;

	while (strcmp(side->texts[k], text) != 0)
		k++;
	return k;
}

static int choose(const struct sweep_plot *plot, struct map *map, struct util_error *err)
{
	const char *names[] = {plot->options.x, plot->options.y};
	static const char *const options[] = {"--x", "--y"};
	int failed = sweep_plot_figure(plot, SWEEP_TIME_S, &map->figure, err);

	map->parameters[0] = map->parameters[1] = -1;
	for (int i = 0; i < 2 && !failed; i++)
		if (names[i])
			failed = sweep_plot_find(plot->table, options[i], names[i],
						 &map->parameters[i], err);
	for (int i = 0; i < 2 && !failed; i++) {
		int other = map->parameters[1 - i];

		if (map->parameters[i] < 0)
			map->parameters[i] = sweep_plot_widest(plot->table, other);
		for (int p = 0; p < plot->table->n_parameters && map->parameters[i] < 0; p++)
			if (p != other && !plot->table->is_seed[p] &&
			    sweep_plot_n_values(plot->table, p) > 1)
				map->parameters[i] = p;
		if (map->parameters[i] < 0 || map->parameters[i] == other)
			failed = util_refuse(err, "found no two parameters with several values, "
						  "wanted them for the axes (--x, --y)");
	}
	return failed;
}

static void choose_units(const struct sweep_table *table, struct map *map, int side)
{
	const struct side *values = &map->sides[side];
	int parameter = map->parameters[side];

	map->is_numeric[side] = sweep_plot_is_numeric(table, parameter);
	if (map->is_numeric[side]) { /* sorted; the unit suits the middle of what may be far apart
				      */
		double least = sweep_value_of(values->texts[0]).number,
		       most = sweep_value_of(values->texts[values->n - 1]).number;

		sweep_axis_of_parameter(table, parameter, least,
					least > 0 ? sqrt(least * most) : most, &map->axes[side]);
	} else
		snprintf(map->axes[side].label, sizeof map->axes[side].label, "%s",
			 table->names[parameter]);
	map->axes[side].is_log = false;
}

static int cell_of(const struct map *map, const struct sweep_row *row)
{
	return place_of(&map->sides[1], row->values[map->parameters[1]]) * map->sides[0].n +
	       place_of(&map->sides[0], row->values[map->parameters[0]]);
}

/* The fastest point of each cell; repetitions count by their own times. */
static int fill(const struct sweep_table *table, struct map *map, struct util_error *err)
{
	size_t n = (size_t)map->sides[0].n * (size_t)map->sides[1].n;
	double least = INFINITY, most = -INFINITY;

	map->value = malloc(n * sizeof(double));
	map->time_s = malloc(n * sizeof(double));
	if (!map->value || !map->time_s)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++)
		map->value[i] = map->time_s[i] = NAN;
	for (int i = 0; i < table->n_rows; i++) {
		const struct sweep_row *row = &table->rows[i];
		double time_s = row->figures[SWEEP_TIME_S];
		int at;

		if (!row->is_done)
			continue;
		at = cell_of(map, row);
		if (time_s >= map->time_s[at])
			continue;
		map->time_s[at] = time_s;
		map->value[at] = row->figures[map->figure];
	}
	for (size_t i = 0; i < n; i++) {
		least = fmin(least, map->value[i]);
		most = fmax(most, map->value[i]);
	}
	sweep_axis_of_figure(map->figure, least, most, &map->axis);
	return 0;
}

static void write_csv(const struct sweep_plot *plot, const struct map *map)
{
	FILE *csv = plot->csv;

	sweep_csv_text(plot->table->names[map->parameters[0]], csv);
	fputc(',', csv);
	sweep_csv_text(plot->table->names[map->parameters[1]], csv);
	fprintf(csv, ",%s,column,row\n", sweep_figure_names[map->figure]);
	for (int y = 0; y < map->sides[1].n; y++) {
		for (int x = 0; x < map->sides[0].n; x++) {
			double value = map->value[y * map->sides[0].n + x];

			sweep_csv_text(map->sides[0].texts[x], csv);
			fputc(',', csv);
			sweep_csv_text(map->sides[1].texts[y], csv);
			if (isnan(value))
				fprintf(csv, ",,%d,%d\n", x, y);
			else
				fprintf(csv, ",%.12g,%d,%d\n", value, x, y);
		}
	}
}

/* What stands at a value: of quantities the number only, in three digits; the axis has the unit. */
static void write_tic(const struct map *map, int side, int i, char *out, size_t size)
{
	const char *text = map->sides[side].texts[i];
	double value;

	if (!map->is_numeric[side] || sweep_quantity_of(text, &value) == SWEEP_NUMBER) {
		snprintf(out, size, "%.40s", text);
		return;
	}
	value *= map->axes[side].scale;
	snprintf(out, size, value >= 100 ? "%.0f" : "%.3g", value);
}

/* At most some 25 values of an axis have room; they are turned where they would touch. */
static void write_tics(const struct sweep_plot *plot, const struct map *map, int side)
{
	int n = map->sides[side].n, step = (n + 24) / 25;
	size_t most = plot->options.style == SWEEP_STYLE_PAPER ? 42 : 85, length = 0;
	char axis = side ? 'y' : 'x', text[64];
	FILE *gp = plot->gp;

	fprintf(gp, "set %ctics scale 0 (", axis);
	for (int i = 0; i < n; i += step) {
		write_tic(map, side, i, text, sizeof text);
		fputs(i ? ", " : "", gp);
		util_gnuplot_quote(text, sizeof text, gp);
		fprintf(gp, " %d", i);
		length = strlen(text) > length ? strlen(text) : length;
	}
	fprintf(gp, ")%s\nset %crange [-0.5:%g]\n",
		side == 0 && (length + 1) * (size_t)((n + step - 1) / step) > most
		    ? " rotate by -45"
		    : "",
		axis, n - 0.5);
	sweep_script_axis(plot, axis, &map->axes[side], gp);
}

static void frame_cell(const struct map *map, int cell, FILE *gp)
{
	fprintf(gp,
		"# the best cell\nset object rectangle from %g,%g to %g,%g front fs empty border "
		"lc rgb "
		"'#d55e00' lw 2.5\n",
		cell % map->sides[0].n - 0.5, cell / map->sides[0].n - 0.5,
		cell % map->sides[0].n + 0.5, cell / map->sides[0].n + 0.5);
}

/* Those of all points that may be the fastest, where it cannot be told which is. */
static bool frame_candidates(const struct map *map, struct sweep_table *table, FILE *gp)
{
	int best, n = sweep_candidates_mark(table, &best);

	if (map->figure != SWEEP_TIME_S || !sweep_is_undecided(table, n))
		return false;
	for (int cell = 0; cell < map->sides[0].n * map->sides[1].n; cell++) {
		bool is_framed = false;

		for (int i = 0; i < table->n_rows && !is_framed; i++)
			is_framed =
			    table->rows[i].is_candidate && cell_of(map, &table->rows[i]) == cell;
		if (is_framed)
			frame_cell(map, cell, gp);
	}
	return true;
}

static void write_best(const struct map *map, struct sweep_table *table, FILE *gp)
{
	int n = map->sides[0].n * map->sides[1].n, best = -1;
	bool wants_most = map->figure == SWEEP_EFFICIENCY;

	for (int i = 0; i < n; i++)
		if (!isnan(map->value[i]) &&
		    (best < 0 || (wants_most ? map->value[i] > map->value[best]
					     : map->value[i] < map->value[best])))
			best = i;
	if (best >= 0 && !frame_candidates(map, table, gp))
		frame_cell(map, best, gp);
}

static void write_script(const struct sweep_plot *plot, const struct map *map)
{
	int n = map->sides[0].n * map->sides[1].n;
	char title[256], *commands = NULL;
	size_t size;
	FILE *gp = plot->gp, *out;

	snprintf(title, sizeof title, "%s: %s", plot->table->name, map->axis.label);
	sweep_script_title(plot, title, "the fastest point of each cell; framed: the best", gp);
	write_tics(plot, map, 0);
	write_tics(plot, map, 1);
	fputs("set border 15\nunset grid\nset cblabel ", gp);
	util_gnuplot_quote(map->axis.label, sizeof map->axis.label, gp);
	/* Viridis: as bright as it is large, for any colour vision and in print. */
	fprintf(gp,
		" noenhanced textcolor rgb ink offset 2,0\n%s"
		"set palette defined (0 '#440154', 1 '#46327e', 2 '#365c8d', 3 '#277f8e', 4 "
		"'#1fa187', 5 "
		"'#4ac16d', 6 '#a0da39', 7 '#fde725')\n"
		"scale = %.12g\n"
		"short(v) = sprintf(v >= 100 ? '%%.0f' : '%%.3g', v)\n",
		map->axis.is_log ? "set logscale cb\n" : "", map->axis.scale);
	write_best(map, plot->table, gp);
	out = open_memstream(&commands, &size);
	if (!out)
		return;
	fputs("\tplot base.'.csv' skip 1 using 4:5:(0.5):(0.5):($3 * scale) with boxxyerror fc "
	      "palette fs "
	      "solid noborder notitle",
	      out);
	if (n <= MAX_NUMBERED)
		fprintf(
		    out,
		    ", \\\n\t  '' skip 1 using ($3 * scale <= middle ? $4 : NaN):5:(short($3 * "
		    "scale)) "
		    "with labels textcolor rgb '#ffffff' notitle, \\\n"
		    "\t  '' skip 1 using ($3 * scale > middle ? $4 : NaN):5:(short($3 * scale)) "
		    "with labels textcolor rgb '#000000' notitle");
	fputc('\n', out);
	fclose(out);
	sweep_script_draw(plot, commands, gp);
	free(commands);
}

int sweep_draw_heatmap(struct sweep_plot *plot, struct util_error *err)
{
	struct map map = {0};
	double least = INFINITY, most = -INFINITY;
	int failed = choose(plot, &map, err);

	for (int i = 0; i < 2 && !failed; i++)
		failed = make_side(plot->table, map.parameters[i], &map.sides[i], err);
	if (!failed && (map.sides[0].n == 0 || map.sides[1].n == 0))
		failed = util_refuse(err, "found no point with a result, wanted some to draw");
	for (int i = 0; i < 2 && !failed; i++)
		choose_units(plot->table, &map, i);
	if (!failed)
		failed = fill(plot->table, &map, err);
	if (!failed) {
		for (int i = 0; i < map.sides[0].n * map.sides[1].n; i++) {
			least = fmin(least, map.value[i]);
			most = fmax(most, map.value[i]);
		}
		fprintf(plot->gp, "middle = %.12g # numbers are black above\n",
			map.axis.scale *
			    (map.axis.is_log ? sqrt(least * most) : 0.5 * (least + most)));
		write_csv(plot, &map);
		write_script(plot, &map);
	}
	free(map.value);
	free(map.time_s);
	return failed;
}
