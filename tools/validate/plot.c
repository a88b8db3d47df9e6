/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicted against measured, and how often predictions are how far off. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tools/validate/report.h"
#include "util/array.h"
#include "util/gnuplot.h"
#include "util/outfile.h"

/* Colours that people with any colour vision tell apart. */
static const char *const colours[] = {"#2166ac", "#f28e2b", "#b07aa1",
				      "#4d4d4d", "#5aae61", "#d6604d"};
#define N_COLOURS (int)(sizeof colours / sizeof colours[0])

#define LEAST_BIN 0.01
#define MOST_BINS 40
#define SHOWN 0.9 /* of all errors; the outermost bins have the rest */

struct range {
	double least_s, most_s; /* of all times */
	double bin;
	int half_bins; /* on either side of 0 */
};

/* What most errors are within: one prediction that is far off would hide all others. */
static double widest_error(const struct val_table *table)
{
	int n = 0;
	double widest,
	    *errors = calloc((size_t)table->n_rows * (size_t)table->n_models + 1, sizeof *errors);

	for (int i = 0; errors && i < table->n_rows; i++)
		for (int m = 0; m < table->n_models; m++)
			if (table->rows[i].predicted_s[m] >= 0)
				errors[n++] = fabs(val_error(&table->rows[i], m));
	if (n == 0) {
		free(errors);
		return 0;
	}
	qsort(errors, (size_t)n, sizeof *errors, util_compare_doubles);
	widest = errors[(int)ceil(SHOWN * n) - 1];
	free(errors);
	return widest;
}

static struct range find_range(const struct val_table *table)
{
	double widest = widest_error(table);
	struct range range = {.least_s = INFINITY, .bin = LEAST_BIN};

	for (int i = 0; i < table->n_rows; i++) {
		const struct val_row *row = &table->rows[i];

		range.least_s = fmin(range.least_s, row->measured_s);
		range.most_s = fmax(range.most_s, row->measured_s);
		for (int m = 0; m < table->n_models; m++) {
			if (row->predicted_s[m] < 0)
				continue;
			if (row->predicted_s[m] > 0)
				range.least_s = fmin(range.least_s, row->predicted_s[m]);
			range.most_s = fmax(range.most_s, row->predicted_s[m]);
		}
	}
	while (widest / range.bin > MOST_BINS / 2)
		range.bin *= 2;
	range.half_bins = (int)(widest / range.bin) + 1;
	return range;
}

static void write_points(const struct val_table *table, FILE *file)
{
	fputs("model,measured_s,low_s,high_s,predicted_s,error,name,configuration\n", file);
	for (int m = 0; m < table->n_models; m++) {
		for (int i = 0; i < table->n_rows; i++) {
			const struct val_row *row = &table->rows[i];
			bool has = row->high_s > 0;

			if (row->predicted_s[m] < 0)
				continue;
			fprintf(file, "%d,%.9g,%.9g,%.9g,%.9g,%.6f,", m, row->measured_s,
				has ? row->low_s : row->measured_s,
				has ? row->high_s : row->measured_s, row->predicted_s[m],
				val_error(row, m));
			util_csv_quote(table->models[m], file);
			fputc(',', file);
			util_csv_quote(row->configuration, file);
			fputc('\n', file);
		}
	}
}

/* How many errors of a model lie in a bin, the outermost of which are open. */
static int count_bin(const struct val_table *table, int model, const struct range *range, int bin)
{
	double low = bin > -range->half_bins ? bin * range->bin : -INFINITY,
	       high = bin < range->half_bins - 1 ? (bin + 1) * range->bin : INFINITY;
	int n = 0;

	for (int i = 0; i < table->n_rows; i++) {
		double error = val_error(&table->rows[i], model);

		n += table->rows[i].predicted_s[model] >= 0 && error >= low && error < high;
	}
	return n;
}

static void write_histogram(const struct val_table *table, const struct range *range, FILE *file)
{
	fputs("error_from,error_to", file);
	for (int m = 0; m < table->n_models; m++) {
		fputc(',', file);
		util_csv_quote(table->models[m], file);
	}
	fputc('\n', file);
	for (int b = -range->half_bins; b < range->half_bins; b++) {
		fprintf(file, "%.6f,%.6f", b * range->bin, (b + 1) * range->bin);
		for (int m = 0; m < table->n_models; m++)
			fprintf(file, ",%d", count_bin(table, m, range, b));
		fputc('\n', file);
	}
}

static void write_head(FILE *file)
{
	fputs("# SPDX-License-Identifier: BSD-3-Clause\n"
	      "# Drawn by mpisim-validate --plot; run it again with: gnuplot THIS-FILE\n"
	      "set encoding utf8\nset datafile separator ','\nset tics out nomirror\nset border 3\n"
	      "set key noenhanced left top Left reverse\nset grid lc rgb '#dddddd'\n",
	      file);
}

/* gnuplot has no way to draw one plot on two terminals but to say it twice. */
static void write_tail(const char *name, FILE *file)
{
	fprintf(file,
		"set terminal pngcairo size 1000,800 font 'sans,12' noenhanced\n"
		"set output '%s.png'\nplot @what\n"
		"set terminal svg size 1000,800 font 'sans,14' noenhanced background '#ffffff'\n"
		"set output '%s.svg'\nplot @what\n",
		name, name);
}

enum { FEWEST_TICS = 3 };

/* 1, 2, 5 in each decade: gnuplot alone labels decades only. With a file they are written; returns
 * how many lie in [low, high]. */
static int decade_tics(double low, double high, FILE *file)
{
	static const int steps[] = {1, 2, 5};
	const char *separator = "";
	int n = 0;

	for (int decade = (int)floor(log10(low)); pow(10, decade) < high; decade++) {
		for (int k = 0; k < 3; k++) {
			double tic = steps[k] * pow(10, decade);

			n += tic >= low && tic <= high;
			if (file)
				fprintf(file, "%s%.6g", separator, tic);
			separator = ", ";
		}
	}
	return n;
}

/* Multiples of 1, 2 or 5 of a power of ten, between three and eight: for less than a decade. */
static void even_tics(double low, double high, FILE *file)
{
	double most = (high - low) / FEWEST_TICS, step = pow(10, floor(log10(most)));
	const char *separator = "";

	step *= most >= 5 * step ? 5 : most >= 2 * step ? 2 : 1;
	for (double tic = ceil(low / step); tic * step <= high; tic++) {
		fprintf(file, "%s%.6g", separator, tic * step);
		separator = ", ";
	}
}

static void write_log_tics(char axis, double low, double high, FILE *file)
{
	fprintf(file, "set %ctics (", axis);
	if (decade_tics(low, high, NULL) >= FEWEST_TICS)
		decade_tics(low, high, file);
	else
		even_tics(low, high, file);
	fputs(")\n", file);
}

static void write_scatter(const struct val_table *table, const struct val_options *o,
			  const struct range *range, FILE *file)
{
	double low = range->least_s / 1.2, high = range->most_s * 1.2;
	double limit = o->limits[o->n_limits - 1];

	write_head(file);
	fprintf(
	    file,
	    "set title 'Predicted against measured running times'\n"
	    "set xlabel 'measured (s)'\nset ylabel 'predicted (s)'\n"
	    "set logscale xy\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\nset size square\n",
	    low, high, low, high);
	write_log_tics('x', low, high, file);
	write_log_tics('y', low, high, file);
	fprintf(file, "what = \"x with lines lc rgb '#888888' title 'equal', ");
	fprintf(file, "x*%.6g with lines lc rgb '#888888' dt 3 title '%g %% off', ", 1 + limit,
		100 * limit);
	fprintf(file, "x*%.6g with lines lc rgb '#888888' dt 3 notitle", 1 - limit);
	for (int m = 0; m < table->n_models; m++)
		fprintf(file,
			", 'points.csv' skip 1 using 2:($1==%d?$5:NaN):3:4 with xerrorbars pt %d "
			"lc rgb '%s' title name_%d",
			m, 7 + 2 * (m % 4), colours[m % N_COLOURS], m);
	fputs("\"\n", file);
	for (int m = 0; m < table->n_models; m++) {
		fprintf(file, "name_%d = ", m);
		util_gnuplot_quote(table->models[m], SIZE_MAX, file);
		fputc('\n', file);
	}
	write_tail("scatter", file);
}

static void write_errors(const struct val_table *table, const struct range *range, FILE *file)
{
	double width = 100 * range->bin / (table->n_models + 0.5);
	int highest = 1;

	for (int b = -range->half_bins; b < range->half_bins; b++) {
		for (int m = 0; m < table->n_models; m++) {
			int n = count_bin(table, m, range, b);

			highest = n > highest ? n : highest;
		}
	}
	write_head(file);
	fprintf(file,
		"set title 'Errors of predictions: predicted / measured - 1'\n"
		"set xlabel 'error (%%); outermost bins: and more'\nset ylabel "
		"'configurations'\nset style fill solid noborder\n"
		"set boxwidth %.6g\nset xrange [%.6g:%.6g]\nset yrange [0:%.6g]\n"
		"set ytics %d\n"
		"set arrow from 0, graph 0 to 0, graph 1 nohead lc rgb '#888888' dt 3\n",
		width * 0.9, -100 * range->bin * range->half_bins,
		100 * range->bin * range->half_bins, 1.1 * highest, 1 + highest / 10);
	fprintf(file, "what = \"");
	for (int m = 0; m < table->n_models; m++)
		fprintf(
		    file,
		    "%s'histogram.csv' skip 1 using (100*$1+%.6g):%d with boxes lc rgb '%s' title "
		    "name_%d",
		    m ? ", " : "", width * (m + 0.75), 3 + m, colours[m % N_COLOURS], m);
	fputs("\"\n", file);
	for (int m = 0; m < table->n_models; m++) {
		fprintf(file, "name_%d = ", m);
		util_gnuplot_quote(table->models[m], SIZE_MAX, file);
		fputc('\n', file);
	}
	write_tail("errors", file);
}

enum { POINTS, HISTOGRAM, SCATTER, ERRORS, N_FILES };
static const char *const names[N_FILES] = {"points.csv", "histogram.csv", "scatter.gp",
					   "errors.gp"};

struct part {
	const struct val_table *table;
	const struct val_options *options;
	const struct range *range;
	int which;
};

static int write_part(const void *context, FILE *file, struct util_error *err)
{
	const struct part *part = context;

	switch (part->which) {
	case POINTS:
		write_points(part->table, file);
		break;
	case HISTOGRAM:
		write_histogram(part->table, part->range, file);
		break;
	case SCATTER:
		write_scatter(part->table, part->options, part->range, file);
		break;
	default:
		write_errors(part->table, part->range, file);
	}
	return 0;
}

static int write_one(const struct part *part, struct util_error *err)
{
	char path[4096];

	if (snprintf(path, sizeof path, "%s/%s", part->options->plot, names[part->which]) >=
	    (int)sizeof path)
		return util_refuse(err, "--plot: found a name that is too long");
	return util_outfile_write(path, write_part, part, err);
}

int val_plot(const struct val_table *table, const struct val_options *options, bool *out_drawn,
	     struct util_error *err)
{
	struct range range = find_range(table);
	int missing = 0;

	if (mkdir(options->plot, 0777) && errno != EEXIST)
		return util_error_errno(err, errno, "cannot make the directory %s", options->plot);
	for (int k = 0; k < N_FILES; k++) {
		int failed = write_one(&(struct part){table, options, &range, k}, err);

		if (failed)
			return failed;
	}
	for (int k = SCATTER; k <= ERRORS && !missing; k++)
		missing = util_gnuplot_run(options->plot, names[k], err);
	if (missing < 0)
		return err->code;
	*out_drawn = !missing;
	return 0;
}
