/* SPDX-License-Identifier: BSD-3-Clause */
/* How measurements of a kernel scatter around their means: from call to call, and from node to node. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "calibrate/kernels/kernels.h"

#define MIN_SAMPLES 5 /* of a point, to say something about its spread */
#define MIN_CALLS 20  /* of a kernel */
#define NOISY                                                                                   \
	0.1 /* relative deviation from call to call, or share of outliers, of a machine that is \
	       not idle */

/* Distributions that are told apart, by their cumulative probability; a, b from the moments. */
struct shape {
	const char *kind;
	double (*cumulative)(double x, double a, double b);
};

static double normal(double x, double mean, double deviation)
{
	return gsl_cdf_gaussian_P(x - mean, deviation);
}

static double log_normal(double x, double mean, double deviation)
{
	double variance = log(1 + deviation * deviation / (mean * mean));

	return x > 0 ? gsl_cdf_lognormal_P(x, log(mean) - variance / 2, sqrt(variance)) : 0;
}

/* What a minimum and rare delays give: shifted so that mean and deviation fit. */
static double shifted_exponential(double x, double mean, double deviation)
{
	double shift = mean - deviation;

	return x > shift ? gsl_cdf_exponential_P(x - shift, deviation) : 0;
}

static double uniform(double x, double mean, double deviation)
{
	double half = sqrt(3) * deviation;

	return x <= mean - half ? 0 : x >= mean + half ? 1 : (x - mean + half) / (2 * half);
}

static const struct shape shapes[] = {{"normal", normal},
				      {"log-normal", log_normal},
				      {"shifted exponential", shifted_exponential},
				      {"uniform", uniform}};

/* Kolmogorov-Smirnov: the largest distance between the sorted values' distribution and the shape's. */
static double distance(const struct shape *shape, const double sorted[], size_t n, double mean, double deviation)
{
	double largest = 0;

	for (size_t i = 0; i < n; i++) {
		double p = shape->cumulative(sorted[i], mean, deviation);
		double above = fabs((double)(i + 1) / (double)n - p), below = fabs(p - (double)i / (double)n);

		largest = above > largest ? above : largest;
		largest = below > largest ? below : largest;
	}
	return largest;
}

/*
 * Draws are linear between quantiles: up to the largest value of all, a rare one would count far too often. The ends are where the means of
 * the first and the last stretch come out right.
 */
static void mend_ends(const double sorted[], size_t n, double quantiles[])
{
	size_t stretch = n / (KERN_QUANTILES - 1) > 0 ? n / (KERN_QUANTILES - 1) : 1;
	double first = 2 * gsl_stats_mean(sorted, 1, stretch) - quantiles[1];
	double last = 2 * gsl_stats_mean(sorted + n - stretch, 1, stretch) - quantiles[KERN_QUANTILES - 2];

	quantiles[0] = first > 0 ? first < quantiles[1] ? first : quantiles[1] : 0;
	quantiles[KERN_QUANTILES - 1] =
	    last > quantiles[KERN_QUANTILES - 2] ? last : quantiles[KERN_QUANTILES - 2];
}

static void describe_calls(double ratios[], size_t n, struct kern_model *model)
{
	double mean;

	gsl_sort(ratios, 1, n);
	mean = gsl_stats_mean(ratios, 1, n);
	model->has_calls = true;
	model->n_calls = n;
	model->call_deviation = gsl_stats_sd_m(ratios, 1, n, mean);
	for (int i = 0; i < KERN_QUANTILES; i++)
		model->quantiles[i] =
		    gsl_stats_quantile_from_sorted_data(ratios, 1, n, i / (KERN_QUANTILES - 1.0));
	mend_ends(ratios, n, model->quantiles);
	model->kind_distance = INFINITY;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]) && model->call_deviation > 0; i++) {
		double found = distance(&shapes[i], ratios, n, mean, model->call_deviation);

		if (found < model->kind_distance) {
			model->kind_distance = found;
			model->kind = shapes[i].kind;
		}
	}
}

/* Of a node at a point: the mean without outliers, which the point's mean has left out too. 0: never measured there. */
static double node_mean(const struct kern_point *point, int node)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i + point->n_outliers < point->n_samples; i++) {
		if (point->samples[i].node != node)
			continue;
		sum += point->samples[i].seconds;
		n++;
	}
	return n ? sum / (double)n : 0;
}

/* Calls are compared with the mean of their own node, or its speed would count twice. */
static size_t collect_calls(const struct kern_series *series, int n_nodes, double ratios[])
{
	size_t n = 0;

	for (size_t p = 0; p < series->n_points; p++) {
		const struct kern_point *point = &series->points[p];

		if (point->n_samples < MIN_SAMPLES || point->is_batched)
			continue;
		for (int node = 0; node < n_nodes; node++) {
			double mean_s = node_mean(point, node);

			for (size_t i = 0; i + point->n_outliers < point->n_samples && mean_s > 0; i++) {
				if (point->samples[i].node == node)
					ratios[n++] = point->samples[i].seconds / mean_s;
			}
		}
	}
	return n;
}

/* The mean over all points that a node measured of its time relative to that of all. */
static void describe_nodes(const struct kern_series *series, int n_nodes, double ratios[], struct kern_model *model)
{
	size_t n_known = 0;

	for (int node = 0; node < n_nodes; node++) {
		double sum = 0;
		size_t n = 0;

		for (size_t p = 0; p < series->n_points; p++) {
			double mean_s = node_mean(&series->points[p], node);

			if (mean_s <= 0 || series->points[p].mean_s <= 0)
				continue;
			sum += mean_s / series->points[p].mean_s;
			n++;
		}
		if (n)
			ratios[n_known++] = sum / (double)n;
	}
	model->has_nodes = n_known > 1;
	if (model->has_nodes)
		model->node_deviation = gsl_stats_sd(ratios, 1, n_known) / gsl_stats_mean(ratios, 1, n_known);
}

int kern_spread(const struct kern_series *series, int n_nodes, struct kern_model *model, struct util_error *err)
{
	size_t n = (size_t)n_nodes;
	double *ratios;

	for (size_t p = 0; p < series->n_points; p++)
		n += series->points[p].n_samples;
	ratios = malloc(n * sizeof(*ratios));
	if (!ratios)
		return util_error_set(err, UTIL_ENOMEM, "no memory for the spread of \"%s\"", series->name);
	n = collect_calls(series, n_nodes, ratios);
	if (n >= MIN_CALLS)
		describe_calls(ratios, n, model);
	describe_nodes(series, n_nodes, ratios, model);
	free(ratios);
	return 0;
}

bool kern_is_noisy(const struct kern_model *model)
{
	size_t n_samples = 0, n_outliers = 0;

	for (size_t i = 0; i < model->series->n_points; i++) {
		n_samples += model->series->points[i].n_samples;
		n_outliers += model->series->points[i].n_outliers;
	}
	return (model->has_calls && model->call_deviation > NOISY) ||
	       (double)n_outliers > NOISY * (double)n_samples;
}
