// SPDX-License-Identifier: BSD-3-Clause
/* How far each parameter, alone, moves the predicted time away from that of the base. */
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/plot.h"
#include "util/gnuplot.h"
#include "util/units.h"

struct bar {
	int parameter;
	const char *least_value, *most_value; /* with which the time is the least, the most */
	double least, most;		      /* relative change; 0 is the base */
};

/* Whether a row is the base, or differs from it in `parameter` only. */
static bool is_near(const struct sweep_table *table, const struct sweep_row *row, int parameter)
{
	for (int i = 0; i < table->n_parameters; i++)
		if (i != parameter && !table->is_seed[i] &&
		    strcmp(row->values[i], table->bases[i]) != 0)
			return false;
	return row->is_done;
}

/* The median time of rows near the base with `value` of `parameter`; negative: none. */
static double time_with(const struct sweep_table *table, int parameter, const char *value)
{
	double *times = calloc((size_t)table->n_rows + 1, sizeof *times), median = -1;
	int n = 0;

	for (int i = 0; i < table->n_rows && times; i++) {
		const struct sweep_row *row = &table->rows[i];

		if (is_near(table, row, parameter) &&
		    (parameter < 0 || strcmp(row->values[parameter], value) == 0))
			times[n++] = row->figures[SWEEP_TIME_S];
	}
	if (n)
		median = sweep_median(times, n);
	free(times);
	return median;
}

static bool make_bar(const struct sweep_table *table, int parameter, double base_s, struct bar *out)
{
	*out = (struct bar){.parameter = parameter,
			    .least_value = table->bases[parameter],
			    .most_value = table->bases[parameter]};
	for (int i = 0; i < table->n_rows; i++) {
		const struct sweep_row *row = &table->rows[i];
		double change;

		if (!is_near(table, row, parameter) ||
		    strcmp(row->values[parameter], table->bases[parameter]) == 0)
			continue;
		change = time_with(table, parameter, row->values[parameter]) / base_s - 1;
		if (change < out->least) {
			out->least = change;
			out->least_value = row->values[parameter];
		}
		if (change > out->most) {
			out->most = change;
			out->most_value = row->values[parameter];
		}
	}
	return out->most > out->least;
}

/* The longest first. */
static int compare(const void *a, const void *b)
{
	const struct bar *s = a, *t = b;
	double x = s->most - s->least, y = t->most - t->least;

	if (x != y)
		return x > y ? -1 : 1;
	return s->parameter - t->parameter;
}

static void write_csv(const struct sweep_plot *plot, const struct bar bars[], int n)
{
	fputs("parameter,base,least_change,with,most_change,with\n", plot->csv);
	for (int i = 0; i < n; i++) {
		sweep_csv_text(plot->table->names[bars[i].parameter], plot->csv);
		fputc(',', plot->csv);
		sweep_csv_text(plot->table->bases[bars[i].parameter], plot->csv);
		fprintf(plot->csv, ",%.12g,", bars[i].least);
		sweep_csv_text(bars[i].least_value, plot->csv);
		fprintf(plot->csv, ",%.12g,", bars[i].most);
		sweep_csv_text(bars[i].most_value, plot->csv);
		fputc('\n', plot->csv);
	}
}

static void describe_base(const struct sweep_plot *plot, const struct bar bars[], int n,
			  double base_s, char *out, size_t size)
{
	char time[32];

	snprintf(out, size, "base: %s with ", util_format_time(time, sizeof time, base_s));
	for (int i = 0; i < n; i++)
		snprintf(out + strlen(out), size - strlen(out), "%s%s=%s", i ? ", " : "",
			 plot->table->names[bars[i].parameter],
			 plot->table->bases[bars[i].parameter]);
}

static void write_script(const struct sweep_plot *plot, const struct bar bars[], int n,
			 double base_s)
{
	static const char commands[] =
	    "\tplot base.'.csv' skip 1 using (50 * $3):0:(100 * $3):(0):($0 - 0.32):($0 + 0.32) "
	    "with "
	    "boxxyerror fc rgb faster fs solid noborder title 'faster than the base', \\\n"
	    "\t  '' skip 1 using (50 * $5):0:(0):(100 * $5):($0 - 0.32):($0 + 0.32) with "
	    "boxxyerror fc "
	    "rgb slower fs solid noborder title 'slower', \\\n"
	    "\t  '' skip 1 using ($3 < 0 ? 100 * $3 : NaN):0:4 with labels right offset -0.6,0 "
	    "textcolor rgb ink noenhanced notitle, \\\n"
	    "\t  '' skip 1 using ($5 > 0 ? 100 * $5 : NaN):0:6 with labels left offset 0.6,0 "
	    "textcolor "
	    "rgb ink noenhanced notitle\n";
	bool is_dark = plot->options.style == SWEEP_STYLE_DARK;
	double least = 0, most = 0, room;
	struct sweep_axis x = {"change of the predicted time against the base (%)", 1, false};
	char title[256], extra[512];
	double thin = n < 5 ? 0.5 * (5 - n) : 0; /* few bars do not fill the height */
	FILE *gp = plot->gp;

	for (int i = 0; i < n; i++) {
		least = bars[i].least < least ? bars[i].least : least;
		most = bars[i].most > most ? bars[i].most : most;
	}
	room = 0.16 * (most - least); /* for the values at the ends */
	snprintf(title, sizeof title, "%s: sensitivity to each parameter alone", plot->table->name);
	describe_base(plot, bars, n, base_s, extra, sizeof extra);
	sweep_script_title(plot, title, extra, gp);
	sweep_script_axis(plot, 'x', &x, gp);
	if (plot->options.y_label) {
		struct sweep_axis y = {"", 1, false};

		sweep_script_axis(plot, 'y', &y, gp);
	}
	fprintf(gp,
		"faster = '%s'\nslower = '%s'\n"
		"set xrange [%.12g:%.12g]\nset yrange [%g:%g]\n"
		"set key tmargin center horizontal\nset border 1\nset grid xtics noytics\n"
		"set arrow from 0,graph 0 to 0,graph 1 nohead front lc rgb ink lw 1.5\n"
		"set ytics scale 0 (",
		is_dark ? "#56b4e9" : "#0072b2", is_dark ? "#ff8c42" : "#d55e00",
		100 * (least - room), 100 * (most + room), n - 0.4 + thin, -0.6 - thin);
	for (int i = 0; i < n; i++) {
		fputs(i ? ", " : "", gp);
		util_gnuplot_quote(plot->table->names[bars[i].parameter], 60, gp);
		fprintf(gp, " %d", i);
	}
	fputs(")\n", gp);
	sweep_script_draw(plot, commands, gp);
}

int sweep_draw_tornado(struct sweep_plot *plot, struct util_error *err)
{
	const struct sweep_table *table = plot->table;
	struct bar bars[SWEEP_MAX_PARAMETERS];
	double base_s = time_with(table, -1, NULL);
	int n = 0;

	if (base_s <= 0)
		return util_refuse(
		    err, "found no result of the base (the first value of each parameter, or what "
			 "\"base\" of the sweep file says), wanted it");
	for (int i = 0; i < table->n_parameters; i++)
		if (!table->is_seed[i] && make_bar(table, i, base_s, &bars[n]))
			n++;
	if (n == 0)
		return util_refuse(
		    err, "found no parameter that changes the time of the base alone, wanted some");
	qsort(bars, (size_t)n, sizeof bars[0], compare);
	write_csv(plot, bars, n);
	write_script(plot, bars, n, base_s);
	return 0;
}
