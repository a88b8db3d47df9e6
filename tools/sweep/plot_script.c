// SPDX-License-Identifier: BSD-3-Clause
/* The parts of gnuplot scripts that pictures have in common. */
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/plot.h"
#include "tools/sweep/verdict.h"
#include "util/gnuplot.h"

/* Okabe and Ito's colours, which people with any colour vision tell apart; dots and dashes differ,
 * too, for print without colours. */
static const char *const colours[SWEEP_MAX_SERIES] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
						      "#e69f00", "#56b4e9", "#7f7f7f", "#8b5a2b"};
static const char *const bright[SWEEP_MAX_SERIES] = {"#56b4e9", "#ff8c42", "#2fd0a0", "#e7a3c9",
						     "#f2c14e", "#9ad1f2", "#b0b0b0", "#c8965a"};
static const int dots[SWEEP_MAX_SERIES] = {7, 5, 9, 11, 13, 6, 4, 8};

void sweep_csv_text(const char *text, FILE *file)
{
	if (text[strcspn(text, ",\"\n\r")] == '\0')
		fputs(text, file);
	else
		util_csv_quote(text, file);
}

void sweep_script_head(const struct sweep_plot *plot, FILE *gp)
{
	bool is_dark = plot->options.style == SWEEP_STYLE_DARK;

	fprintf(gp,
		"# SPDX-License-Identifier: BSD-3-Clause\n"
		"# Drawn by mpisim-sweep plot; change it as you like and draw again with: gnuplot "
		"%s.gp\n"
		"set encoding utf8\n"
		"set datafile separator ','\n"
		"ink = '%s'\npaper = '%s'\nfaint = '%s'\n"
		"set border 3 lc rgb ink\n"
		"set tics out nomirror textcolor rgb ink\n"
		"set grid lc rgb faint lw 1 lt 1\n"
		"set key outside right top Left reverse noenhanced textcolor rgb ink samplen 3\n"
		"set bars 0.6\n"
		"set format '%%h'\nset format cb '%%h'\n",
		plot->base, is_dark ? "#e8e8e8" : "#222222", is_dark ? "#16191d" : "#ffffff",
		is_dark ? "#3a4048" : "#dddddd");
	for (int i = 0; i < SWEEP_MAX_SERIES; i++)
		fprintf(gp, "set linetype %d lc rgb '%s' lw 2 dt %d pt %d ps 1.1\n", i + 1,
			is_dark ? bright[i] : colours[i], i < 4 ? 1 : 2, dots[i]);
}

void sweep_plot_doubts(struct sweep_table *table, char *out, size_t size)
{
	int best, n = sweep_candidates_mark(table, &best), n_warned = 0;

	out[0] = '\0';
	if (sweep_is_undecided(table, n))
		snprintf(out, size, "no difference can be told between the fastest %d points", n);
	for (int i = 0; i < table->n_rows; i++)
		n_warned += table->rows[i].warnings != NULL;
	if (n_warned)
		snprintf(out + strlen(out), size - strlen(out),
			 "%swarnings of %d point%s, see mpisim-sweep status", out[0] ? "; " : "",
			 n_warned, n_warned == 1 ? "" : "s");
}

void sweep_script_title(const struct sweep_plot *plot, const char *text, const char *extra,
			FILE *gp)
{
	const char *where = plot->options.where;
	char both[512], below[1280], doubts[256];

	if (plot->options.style == SWEEP_STYLE_PAPER && !plot->options.title)
		return; /* a paper has captions */
	snprintf(both, sizeof both, "%s", plot->options.title ? plot->options.title : text);
	fputs("set title ", gp);
	util_gnuplot_quote(both, sizeof both, gp);
	sweep_plot_doubts(plot->table, doubts, sizeof doubts);
	snprintf(below, sizeof below, "%s%s%s%s%s%s", doubts,
		 doubts[0] && (extra[0] || where) ? "; " : "", extra, extra[0] && where ? "; " : "",
		 where ? "only where " : "", where ? where : "");
	if (below[0] && !plot->options.title) {
		fputs(".\"\\n\".", gp);
		util_gnuplot_quote(below, sizeof below, gp);
	}
	fputs(" noenhanced textcolor rgb ink\n", gp);
}

void sweep_script_axis(const struct sweep_plot *plot, char axis, const struct sweep_axis *of,
		       FILE *gp)
{
	const char *label = axis == 'x' ? plot->options.x_label : plot->options.y_label;

	fprintf(gp, "set %clabel ", axis);
	util_gnuplot_quote(label ? label : of->label, sizeof of->label, gp);
	fputs(" noenhanced textcolor rgb ink\n", gp);
	if (of->is_log)
		fprintf(gp, "set logscale %c\n", axis);
}

/* Sizes: a paper's column is 8.6 cm wide, its letters have 8 points. */
static const char *terminal(enum sweep_style style, const char *format)
{
	bool is_paper = style == SWEEP_STYLE_PAPER;

	if (strcmp(format, "png") == 0)
		return is_paper ? "pngcairo size 1290,900 font 'sans,8' fontscale 3 linewidth 2.6 "
				  "pointscale 2.4"
				: "pngcairo size 1200,750 font 'sans,13'";
	if (strcmp(format, "svg") == 0)
		return is_paper ? "svg size 430,300 font 'sans,11'"
				: "svg size 1000,625 font 'sans,15'";
	return is_paper ? "pdfcairo size 8.6cm,6cm font 'sans,8' linewidth 0.8 pointscale 0.6"
			: "pdfcairo size 24cm,15cm font 'sans,14'";
}

void sweep_script_draw(const struct sweep_plot *plot, const char *commands, FILE *gp)
{
	static const char *const formats[] = {"png", "svg", "pdf"};

	fputs("do for [format in '", gp);
	for (const char *at = plot->options.formats; *at; at++)
		fputc(*at == ',' ? ' ' : *at, gp);
	fputs("'] {\n", gp);
	for (int i = 0; i < 3; i++)
		fprintf(gp, "\tif (format eq '%s') {\n\t\tset terminal %s noenhanced %s\n\t}\n",
			formats[i], terminal(plot->options.style, formats[i]),
			strcmp(formats[i], "pdf") == 0 ? "background rgb paper"
						       : "background paper");
	fputs("\tset output base.'.'.format\n", gp);
	fputs(commands, gp);
	fputs("\tset output\n}\n", gp);
}

/* Values of x in all series, each once, in order. */
static double *all_x(const struct sweep_series *series, int *out_n)
{
	double *x = calloc((size_t)series->n_cells + 1, sizeof *x);
	int n = 0;

	for (int i = 0; i < series->n_cells && x; i++) {
		int k = n;

		while (k > 0 && x[k - 1] > series->cells[i].x)
			k--;
		if (k > 0 && x[k - 1] == series->cells[i].x)
			continue;
		memmove(x + k + 1, x + k, (size_t)(n - k) * sizeof *x);
		x[k] = series->cells[i].x;
		n++;
	}
	*out_n = n;
	return x;
}

static const struct sweep_cell *cell_at(const struct sweep_series *series, int which, double x)
{
	for (int i = 0; i < series->n_cells; i++)
		if (series->cells[i].series == which && series->cells[i].x == x)
			return &series->cells[i];
	return NULL;
}

void sweep_csv_series(const struct sweep_series *series, const char *x_name, FILE *csv)
{
	int n;
	double *x = all_x(series, &n);

	sweep_csv_text(x_name, csv);
	for (int s = 0; s < series->n; s++) {
		const char *name =
		    series->n > 1 || series->names[s][0] ? series->names[s] : "value";

		fputc(',', csv);
		sweep_csv_text(name, csv);
		fputs(",least,most,with", csv);
	}
	fputc('\n', csv);
	for (int i = 0; i < n && x; i++) {
		fprintf(csv, "%.12g", x[i]);
		for (int s = 0; s < series->n; s++) {
			const struct sweep_cell *cell = cell_at(series, s, x[i]);

			if (cell) {
				fprintf(csv, ",%.12g,%.12g,%.12g,", cell->y, cell->low, cell->high);
				sweep_csv_text(cell->combination, csv);
			} else {
				fputs(",,,,", csv);
			}
		}
		fputc('\n', csv);
	}
	free(x);
}

void sweep_script_lines(const struct sweep_series *series, const struct sweep_axis *x,
			const struct sweep_axis *y, const char *ideal, FILE *out)
{
	const char *separator = "\tplot ";

	if (ideal) {
		fprintf(out, "%s%s with lines lw 1.5 dt 3 lc rgb ink title 'ideal'", separator,
			ideal);
		separator = ", \\\n\t  ";
	}
	for (int s = 0; s < series->n; s++) {
		int column = 2 + 4 * s;

		fprintf(
		    out,
		    "%sbase.'.csv' skip 1 using ($1 * %.12g):($%d * %.12g) with linespoints lt %d ",
		    separator, x->scale, column, y->scale, s + 1);
		separator = ", \\\n\t  ";
		if (series->n > 1 || series->names[s][0]) {
			fputs("title ", out);
			util_gnuplot_quote(series->names[s], 80, out);
		} else {
			fputs("notitle", out);
		}
		if (series->n_repeats > 1 || series->has_intervals)
			fprintf(out,
				"%s'' skip 1 using ($1 * %.12g):($%d * %.12g):($%d * %.12g):($%d * "
				"%.12g) "
				"with yerrorbars lt %d ps 0 notitle",
				separator, x->scale, column, y->scale, column + 1, y->scale,
				column + 2, y->scale, s + 1);
	}
	fputc('\n', out);
}
