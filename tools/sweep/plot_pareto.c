// SPDX-License-Identifier: BSD-3-Clause
/* Time against node-seconds: what is faster costs more, but for points that are beaten in both. */
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/plot.h"
#include "util/gnuplot.h"

#define MAX_LETTERS 20 /* points of the front that are named */

struct dot {
	char *name;
	double time_s, cost; /* medians of the repetitions */
	bool is_front;
	int place;
};

/* "8, 108, P+FC": the values of the varying parameters but the seed; with `row` NULL their names.
 */
static void name_row(const struct sweep_table *table, const struct sweep_row *row, char *out,
		     size_t size)
{
	out[0] = '\0';
	for (int i = 0; i < table->n_parameters; i++) {
		size_t used = strlen(out);

		if (!table->is_seed[i] && sweep_plot_n_values(table, i) > 1)
			snprintf(out + used, size - used, "%s%s", used ? ", " : "",
				 row ? row->values[i] : table->names[i]);
	}
}

static int compare_names(const void *a, const void *b)
{
	const struct dot *s = a, *t = b;
	int order = strcmp(s->name, t->name);

	return order ? order : (s->time_s > t->time_s) - (s->time_s < t->time_s);
}

/* Cheapest first; of equal ones the fastest, then the first of the grid. */
static int compare_costs(const void *a, const void *b)
{
	const struct dot *s = a, *t = b;

	if (s->cost != t->cost)
		return s->cost < t->cost ? -1 : 1;
	if (s->time_s != t->time_s)
		return s->time_s < t->time_s ? -1 : 1;
	return s->place - t->place;
}

/* Repetitions, side by side and in the order of their times, become the middle one. */
static int merge(struct dot dots[], int n)
{
	int kept = 0;

	for (int begin = 0, end; begin < n; begin = end) {
		struct dot middle;

		for (end = begin + 1; end < n && strcmp(dots[begin].name, dots[end].name) == 0;
		     end++)
			;
		middle = dots[begin + (end - begin) / 2];
		for (int i = begin; i < end; i++)
			if (dots[i].name != middle.name)
				free(dots[i].name);
		dots[kept++] = middle;
	}
	return kept;
}

static int collect(const struct sweep_table *table, struct dot **out, struct util_error *err)
{
	struct dot *dots = calloc((size_t)table->n_rows + 1, sizeof *dots);
	double fastest_s = -1;
	char name[256];
	int n = 0;

	for (int i = 0; i < table->n_rows && dots; i++) {
		const struct sweep_row *row = &table->rows[i];

		if (!row->is_done)
			continue;
		name_row(table, row, name, sizeof name);
		dots[n] = (struct dot){.name = strdup(name),
				       .time_s = row->figures[SWEEP_TIME_S],
				       .cost = row->figures[SWEEP_NODE_SECONDS],
				       .place = i};
		if (!dots[n].name)
			break;
		n++;
	}
	if (n == 0) {
		free(dots);
		return util_refuse(err, "found no point with a result, wanted some to draw");
	}
	qsort(dots, (size_t)n, sizeof *dots, compare_names);
	n = merge(dots, n);
	qsort(dots, (size_t)n, sizeof *dots, compare_costs);
	for (int i = 0; i < n; i++) {
		dots[i].is_front = fastest_s < 0 || dots[i].time_s < fastest_s;
		if (dots[i].is_front)
			fastest_s = dots[i].time_s;
	}
	*out = dots;
	return n;
}

static void write_csv(const struct dot dots[], int n, FILE *csv)
{
	int k = 0;

	fputs("point,node_seconds,predicted_time_s,is_on_front,letter\n", csv);
	for (int i = 0; i < n; i++) {
		sweep_csv_text(dots[i].name, csv);
		fprintf(csv, ",%.12g,%.12g,%d,", dots[i].cost, dots[i].time_s, dots[i].is_front);
		if (dots[i].is_front && k < MAX_LETTERS)
			fputc('A' + k++, csv);
		fputc('\n', csv);
	}
}

/* The key goes into the upper right corner, where points are slow and expensive, unless some are.
 */
static void place_key(const struct dot dots[], int n, double most_s, FILE *gp)
{
	double right = dots[0].cost + 0.5 * (dots[n - 1].cost - dots[0].cost);

	for (int i = 0; i < n; i++)
		if (dots[i].cost > right && dots[i].time_s > 0.55 * most_s)
			return;
	fputs("set key inside top right\n", gp);
}

static void write_axes(const struct sweep_plot *plot, const struct dot dots[], int n,
		       double *out_scale)
{
	double least_s = dots[0].time_s, most_s = dots[0].time_s;
	struct sweep_axis x, y;

	for (int i = 1; i < n; i++) {
		least_s = dots[i].time_s < least_s ? dots[i].time_s : least_s;
		most_s = dots[i].time_s > most_s ? dots[i].time_s : most_s;
	}
	sweep_axis_of_figure(SWEEP_NODE_SECONDS, dots[0].cost, dots[n - 1].cost, &x);
	sweep_axis_of_figure(SWEEP_TIME_S, least_s, most_s, &y);
	sweep_script_axis(plot, 'x', &x, plot->gp);
	sweep_script_axis(plot, 'y', &y, plot->gp);
	*out_scale = y.scale;
	place_key(dots, n, most_s, plot->gp);
	if (!y.is_log)
		fprintf(plot->gp, "set yrange [0:%.12g]\n", 1.06 * most_s * y.scale);
	if (!x.is_log)
		fprintf(plot->gp, "set xrange [%.12g:%.12g]\n",
			dots[0].cost - 0.05 * (dots[n - 1].cost - dots[0].cost),
			dots[n - 1].cost + 0.12 * (dots[n - 1].cost - dots[0].cost) +
			    (n == 1 ? dots[0].cost : 0));
}

/* Letters at the points of the front, and what they stand for in the key. */
static void write_letters(const struct dot dots[], int n, FILE *out)
{
	int k = 0;

	for (int i = 0; i < n; i++) {
		char text[300];

		if (!dots[i].is_front)
			continue;
		snprintf(text, sizeof text, "%c  %s", 'A' + k++, dots[i].name);
		fputs(", \\\n\t  keyentry with points pt 7 ps 0 lc rgb front title ", out);
		util_gnuplot_quote(text, sizeof text, out);
	}
	/* below and to the left of the front there is nothing */
	fputs(", \\\n\t  '' skip 1 using ($4 == 1 ? $2 : NaN):($3 * scale):5 with labels right "
	      "offset "
	      "-0.7,-0.5 textcolor rgb ink notitle",
	      out);
}

static void write_script(const struct sweep_plot *plot, const struct dot dots[], int n, int n_front,
			 FILE *out)
{
	fputs(
	    "\tplot base.'.csv' skip 1 using ($4 == 0 ? $2 : NaN):($3 * scale) with points pt 7 ps "
	    "0.8 lc rgb dull title 'dominated', \\\n"
	    "\t  '' skip 1 using ($4 == 1 ? $2 : NaN):($3 * scale) with points pt 7 ps 1.3 lc rgb "
	    "front title 'Pareto front', \\\n"
	    "\t  '' skip 1 using ($4 == 1 ? $2 : NaN):($3 * scale) with steps lw 1.5 lc rgb front "
	    "notitle",
	    out);
	if (n_front <= MAX_LETTERS)
		write_letters(dots, n, out);
	fputc('\n', out);
	fclose(out);
}

static void write_head(const struct sweep_plot *plot, const struct dot dots[], int n)
{
	bool is_dark = plot->options.style == SWEEP_STYLE_DARK;
	char text[300];
	double scale = 1;

	snprintf(text, sizeof text, "%s: time against cost", plot->table->name);
	sweep_script_title(plot, text, "on the front nothing is both faster and cheaper", plot->gp);
	write_axes(plot, dots, n, &scale);
	name_row(plot->table, NULL, text, sizeof text);
	fputs("set key title ", plot->gp);
	util_gnuplot_quote(text, sizeof text, plot->gp);
	fprintf(plot->gp,
		" noenhanced textcolor rgb ink left\n"
		"set datafile missing NaN\nscale = %.12g\nfront = '%s'\ndull = '%s'\n",
		scale, is_dark ? "#ff8c42" : "#d55e00", is_dark ? "#5a626c" : "#b8b8b8");
}

int sweep_draw_pareto(struct sweep_plot *plot, struct util_error *err)
{
	struct dot *dots = NULL;
	char *commands = NULL;
	size_t size;
	FILE *out;
	int n = collect(plot->table, &dots, err), n_front = 0;

	if (n < 0)
		return n;
	for (int i = 0; i < n; i++)
		n_front += dots[i].is_front;
	write_csv(dots, n, plot->csv);
	write_head(plot, dots, n);
	out = open_memstream(&commands, &size);
	if (out) {
		write_script(plot, dots, n, n_front, out);
		sweep_script_draw(plot, commands, plot->gp);
	}
	for (int i = 0; i < n; i++)
		free(dots[i].name);
	free(dots);
	free(commands);
	return out ? 0 : util_error_set(err, UTIL_ENOMEM, "out of memory");
}
