// SPDX-License-Identifier: BSD-3-Clause
/* Dynamic efficiency over time, of several points in one picture. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "tools/sweep/plot.h"
#include "util/gnuplot.h"

#define MAX_WINDOWS 32 /* of a curve */

/* The varying parameters of a row, but the seed. */
static void name_row(const struct sweep_table *table, const struct sweep_row *row, char *out,
		     size_t size)
{
	int n_varying = 0;

	out[0] = '\0';
	for (int i = 0; i < table->n_parameters; i++)
		n_varying += !table->is_seed[i] && sweep_plot_n_values(table, i) > 1;
	for (int i = 0; i < table->n_parameters; i++) {
		size_t used = strlen(out);

		if (table->is_seed[i] || sweep_plot_n_values(table, i) <= 1)
			continue;
		if (n_varying == 1)
			snprintf(out, size, "%s", row->values[i]);
		else
			snprintf(out + used, size - used, "%s%s=%s", used ? " " : "",
				 table->names[i], row->values[i]);
	}
}

/* Of repetitions the first. */
static int choose_rows(const struct sweep_table *table, const struct sweep_row *out[], int *out_n,
		       struct util_error *err)
{
	char name[256], other[256];
	int n = 0;

	for (int i = 0; i < table->n_rows; i++) {
		bool is_new = table->rows[i].is_done && table->rows[i].curve;

		name_row(table, &table->rows[i], name, sizeof name);
		for (int k = 0; k < n && k < SWEEP_MAX_SERIES && is_new; k++) {
			name_row(table, out[k], other, sizeof other);
			is_new = strcmp(name, other) != 0;
		}
		if (is_new && n < SWEEP_MAX_SERIES)
			out[n] = &table->rows[i];
		n += is_new;
	}
	if (n > SWEEP_MAX_SERIES)
		return util_refuse(err, "found %d curves, wanted at most %d: choose with --where",
				   n, SWEEP_MAX_SERIES);
	if (n == 0)
		return util_refuse(err, "found no point with an efficiency curve, wanted some");
	*out_n = n;
	return 0;
}

/* Windows of equal length, several taken together where there are more than are told apart; each as
 * its two corners, so that lines show steps. */
static void write_curve(const struct sweep_row *row, int place, const char *name, double per,
			FILE *csv)
{
	json_t *curve = json_loads(row->curve, 0, NULL);
	size_t n = json_array_size(curve), step = (n + MAX_WINDOWS - 1) / MAX_WINDOWS;

	for (size_t i = 0; i < n; i += step) {
		double useful_s = 0, corners[2] = {0, 0};

		for (size_t k = i; k < i + step && k < n; k++) {
			const json_t *window = json_array_get(curve, k);
			double begin_s = json_number_value(json_array_get(window, 0));

			corners[0] = k == i ? begin_s : corners[0];
			corners[1] = json_number_value(json_array_get(window, 1));
			useful_s +=
			    json_number_value(json_array_get(window, 2)) * (corners[1] - begin_s);
		}
		for (int corner = 0; corner < 2 && corners[1] > corners[0]; corner++) {
			fprintf(csv, "%d,", place);
			sweep_csv_text(name, csv);
			fprintf(csv, ",%.9g,%.9g\n", corners[corner] / per,
				useful_s / (corners[1] - corners[0]));
		}
	}
	json_decref(curve);
}

static void write_commands(const struct sweep_table *table, const struct sweep_row *const rows[],
			   int n, double scale, FILE *out)
{
	char name[256];

	for (int k = 0; k < n; k++) {
		name_row(table, rows[k], name, sizeof name);
		fprintf(out,
			"%sbase.'.csv' skip 1 using ($1 == %d ? $3 * %.12g : NaN):(100 * $4) with "
			"lines lt "
			"%d lw 2 title ",
			k ? ", \\\n\t  " : "\tplot ", k, scale, k + 1);
		util_gnuplot_quote(name, 100, out);
	}
	fputc('\n', out);
}

static void write_key(const struct sweep_table *table, FILE *gp)
{
	const char *only = NULL;
	int n = 0;

	for (int i = 0; i < table->n_parameters; i++) {
		if (!table->is_seed[i] && sweep_plot_n_values(table, i) > 1) {
			only = table->names[i];
			n++;
		}
	}
	if (n != 1)
		return;
	fputs("set key title ", gp);
	util_gnuplot_quote(only, 80, gp);
	fputs(" noenhanced textcolor rgb ink left\n", gp);
}

int sweep_draw_curves(struct sweep_plot *plot, struct util_error *err)
{
	const struct sweep_row *rows[SWEEP_MAX_SERIES];
	struct sweep_axis x = {"time (% of the running time)", 100, false},
			  y = {"dynamic efficiency (%)", 100, false};
	char title[256], name[256], *commands = NULL;
	double most = 0;
	size_t size;
	FILE *out;
	int n = 0, failed = choose_rows(plot->table, rows, &n, err);

	if (failed)
		return failed;
	fputs(plot->options.is_relative ? "curve,point,part_of_time,efficiency\n"
					: "curve,point,time_s,efficiency\n",
	      plot->csv);
	for (int k = 0; k < n; k++) {
		double time_s = rows[k]->figures[SWEEP_TIME_S];

		name_row(plot->table, rows[k], name, sizeof name);
		write_curve(rows[k], k, name, plot->options.is_relative ? time_s : 1, plot->csv);
		most = time_s > most ? time_s : most;
	}
	if (!plot->options.is_relative) {
		sweep_axis_of_figure(SWEEP_TIME_S, most, most, &x);
		snprintf(name, sizeof name, "simulated time %s", strchr(x.label, '('));
		snprintf(x.label, sizeof x.label, "%.*s", (int)sizeof x.label - 1, name);
	}
	snprintf(title, sizeof title, "%s: dynamic efficiency over time", plot->table->name);
	sweep_script_title(plot, title, "", plot->gp);
	sweep_script_axis(plot, 'x', &x, plot->gp);
	sweep_script_axis(plot, 'y', &y, plot->gp);
	write_key(plot->table, plot->gp);
	fprintf(plot->gp, "set xrange [0:%.12g]\nset yrange [0:100]\n",
		plot->options.is_relative ? 100 : most * x.scale);
	out = open_memstream(&commands, &size);
	if (!out)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	write_commands(plot->table, rows, n, x.scale, out);
	fclose(out);
	sweep_script_draw(plot, commands, plot->gp);
	free(commands);
	return 0;
}
