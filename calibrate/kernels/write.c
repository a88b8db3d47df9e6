/* SPDX-License-Identifier: BSD-3-Clause */
/* What comes out: the table, and the model file. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "calibrate/kernels/kernels.h"
#include "pdexec/store_write.h"
#include "util/outfile.h"

static void print_expression(FILE *file, const struct pd_expression *expression)
{
	for (int k = 0; k < expression->n_terms; k++) {
		const struct pd_term *term = &expression->terms[k];
		double c = term->coefficient;

		fprintf(file, "%s%.10g",
			k == 0	? (c < 0 ? "-" : "")
			: c < 0 ? " - "
				: " + ",
			c < 0 ? -c : c);
		for (int i = 0; i < PD_STORE_MAX_PARAMS; i++) {
			if (term->twice_exponent[i] == 2)
				fprintf(file, "*p%d", i + 1);
			else if (term->twice_exponent[i])
				fprintf(file, "*p%d^%g", i + 1, term->twice_exponent[i] / 2.0);
		}
	}
}

static void print_ranges(FILE *file, const struct kern_piece *piece)
{
	static const char *const signs[] = {"<", "<=", ">", ">="};

	for (int i = 0; i < piece->n_ranges; i++)
		fprintf(file, "%sp%d%s%.10g", i ? " " : "", piece->ranges[i].of + 1,
			signs[piece->ranges[i].comparison], piece->ranges[i].bound);
}

static size_t count_outliers(const struct kern_series *series)
{
	size_t n = 0;

	for (size_t i = 0; i < series->n_points; i++)
		n += series->points[i].n_outliers;
	return n;
}

/* With as many terms as points a fit meets them all, and tells nothing of its error. */
static bool has_error(const struct kern_model *m)
{
	size_t n_terms = 0;

	for (int i = 0; i < m->n_pieces; i++)
		n_terms += (size_t)m->pieces[i].expression.n_terms;
	return m->series->n_points > n_terms;
}

void kern_print_table(FILE *file, const struct kern_model models[], size_t n)
{
	fprintf(file, "%-12s %6s %6s %9s %9s %9s %9s %9s  %s\n", "kernel", "points", "pieces",
		"left out", "residual", "worst", "calls", "outliers", "distribution");
	for (size_t i = 0; i < n; i++) {
		const struct kern_model *m = &models[i];

		fprintf(file, "%-12s %6zu %6d ", m->series->name, m->series->n_points, m->n_pieces);
		if (has_error(m))
			fprintf(file, "%8.1f%% %8.1f%% %8.1f%% ", 100 * m->held_out,
				100 * m->residual, 100 * m->worst);
		else
			fprintf(file, "%9s %9s %9s ", "-", "-", "-");
		if (m->has_calls)
			fprintf(file, "%8.1f%% %9zu  %s\n", 100 * m->call_deviation,
				count_outliers(m->series), m->kind ? m->kind : "constant");
		else
			fprintf(file, "%9s %9zu  unknown\n", "-", count_outliers(m->series));
	}
	fprintf(file,
		"\nleft out: error of predicting points that the fit did not see; residual: over "
		"all points "
		"(root mean squares);\ncalls: relative standard deviation from call to call\n");
}

void kern_print_points(FILE *file, const struct kern_model models[], size_t n)
{
	fprintf(file, "kernel,p1,p2,p3,p4,measured_s,model_s,error\n");
	for (size_t i = 0; i < n; i++) {
		for (size_t p = 0; p < models[i].series->n_points; p++) {
			const struct kern_point *point = &models[i].series->points[p];
			double value = kern_model_value(&models[i], point->params);

			fprintf(file, "%s", models[i].series->name);
			for (int k = 0; k < PD_STORE_MAX_PARAMS; k++) {
				if (k < models[i].series->n_params)
					fprintf(file, ",%.10g", point->params[k]);
				else
					fprintf(file, ",");
			}
			fprintf(file, ",%.6g,%.6g,%+.4f\n", point->mean_s, value,
				point->mean_s > 0 ? value / point->mean_s - 1 : 0);
		}
	}
}

static void write_model(FILE *file, const struct kern_model *m)
{
	fprintf(file, "# %s: %zu point%s, ", m->series->name, m->series->n_points,
		m->series->n_points == 1 ? "" : "s");
	if (has_error(m))
		fprintf(file,
			"relative error %.2g %% (%.2g %% for points left out, worst %.2g %%)\n",
			100 * m->residual, 100 * m->held_out, 100 * m->worst);
	else
		fprintf(file, "too few to tell the error: the model has as many terms\n");
	for (int i = 0; i < m->n_pieces; i++) {
		fprintf(file, "model,%s,", m->series->name);
		print_expression(file, &m->pieces[i].expression);
		fprintf(file, m->pieces[i].n_ranges ? "," : "");
		print_ranges(file, &m->pieces[i]);
		fprintf(file, "\n");
	}
	if (m->has_calls) {
		fprintf(file,
			"# from call to call: %zu samples, relative standard deviation %.3g, "
			"nearest to: %s "
			"(distance %.2g)\nvary,%s,call,quantiles,",
			m->n_calls, m->call_deviation, m->kind ? m->kind : "constant",
			m->kind ? m->kind_distance : 0, m->series->name);
		for (int i = 0; i < KERN_QUANTILES; i++)
			fprintf(file, "%s%.5g", i ? " " : "", m->quantiles[i]);
		fprintf(file, "\n");
	}
	if (m->has_nodes)
		fprintf(file, "vary,%s,node,normal,%.5g\n", m->series->name,
			m->node_deviation < 1 ? m->node_deviation : 1);
}

static void write_contention(FILE *file, const struct kern_contention *c)
{
	fprintf(file, "# contention of %s, for the cluster file: cpu: {contention: [", c->name);
	for (int k = 0; k < c->n_cores; k++)
		fprintf(file, "%s%.4g", k ? ", " : "", c->speed[k]);
	fprintf(file, "]}\ncontention,%s,", c->name);
	for (int k = 0; k < c->n_cores; k++)
		fprintf(file, "%s%.4g", k ? " " : "", c->speed[k]);
	fprintf(file, "\n");
}

struct all {
	const struct kern_model *models;
	size_t n;
	const struct kern_contention *contention;
	int n_contention;
};

static int write_all(const void *context, FILE *file, struct util_error *err)
{
	const struct all *all = context;
	char host[256] = "unknown", date[32];
	time_t now = time(NULL);
	struct tm utc;

	gethostname(host, sizeof(host) - 1);
	strftime(date, sizeof(date), "%Y-%m-%d", gmtime_r(&now, &utc));
	fprintf(file,
		"# mpisim-bench 2\n" PD_BENCH_ENDS
		"\n# Written by mpisim-kernels on %s, %s. Seconds of one core there.\n",
		host, date);
	for (size_t i = 0; i < all->n; i++)
		write_model(file, &all->models[i]);
	for (int i = 0; i < all->n_contention; i++)
		write_contention(file, &all->contention[i]);
	return 0;
}

int kern_write(const char *path, const struct kern_model models[], size_t n,
	       const struct kern_contention contention[], int n_contention, struct util_error *err)
{
	return util_outfile_write(path, write_all,
				  &(struct all){models, n, contention, n_contention}, err);
}
