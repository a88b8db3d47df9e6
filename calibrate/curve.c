/* SPDX-License-Identifier: BSD-3-Clause */
/* Piecewise lines through times by size. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_fit.h>

#include "fit.h"

/* A line within 0.2 % of its points is as good as one can ask for. */
static const double SIGMA = 0.002;
/* So few samples have no interval. */
enum { FEW = 3 };
static const double SIGMA_OF_FEW = 0.1;
/* χ² that one more segment must save: Bayesian information criterion, three numbers (a place and a
 * line). */
static const double NUMBERS_PER_SEGMENT = 3;

struct search {
	int n;
	double *x, *y, *w; /* [n]: bytes, seconds, weights */
	double *best;	   /* [(segments + 1) × (n + 1)]: least χ² of the first points */
	int *begin;	   /* likewise: where the last of these segments begins */
	int must_break;	   /* a segment begins at this point; 0: no such */
};

static int compare_points(const void *a, const void *b)
{
	int64_t left = ((const struct point *)a)->size_B, right = ((const struct point *)b)->size_B;

	return (left > right) - (left < right);
}

static bool has_point(const struct curve *curve, int64_t size_B)
{
	for (int k = 0; k < curve->n_points; k++)
		if (curve->points[k].size_B == size_B)
			return true;
	return false;
}

static int gather(struct curve *curve, const struct samples *samples, int where)
{
	curve->points = calloc(samples->n + 1, sizeof(*curve->points));
	if (!curve->points)
		return -1;
	for (size_t i = 0; i < samples->n; i++) {
		const struct sample_key *key = &samples->list[i].key;
		struct point *point = &curve->points[curve->n_points];

		if (strcmp(key->name, "one_way") || key->where != where || has_point(curve, key->x))
			continue;
		*point = (struct point){key->x, samples_message(samples, where, key->x),
					samples_is_rested(samples, where, key->x)};
		curve->n_samples += point->time.n;
		curve->n_outliers += point->time.n_outliers;
		curve->n_points++;
	}
	qsort(curve->points, (size_t)curve->n_points, sizeof(*curve->points), compare_points);
	return 0;
}

/* Line through points first … first + n - 1. */
static double fit_line(const struct search *s, int first, int n, struct segment *out)
{
	double c0, c1 = 0, cov00 = 0, cov01, cov11 = 0, chi2 = 0;

	if (n == 1)
		c0 = s->y[first];
	else
		gsl_fit_wlinear(s->x + first, 1, s->w + first, 1, s->y + first, 1, (size_t)n, &c0,
				&c1, &cov00, &cov01, &cov11, &chi2);
	*out = (struct segment){
	    .from_B = (int64_t)s->x[first],
	    .to_B = (int64_t)s->x[first + n - 1],
	    .latency_s = c0,
	    .per_byte_s = c1,
	    .latency_error_s = sqrt(cov00),
	    .per_byte_error_s = sqrt(cov11),
	    .n_points = n,
	};
	for (int k = first; k < first + n; k++) {
		double distance = fabs(c0 + c1 * s->x[k] - s->y[k]) / s->y[k];

		if (distance > out->worst)
			out->worst = distance;
	}
	return chi2;
}

/* Fewer than three points make a segment only beside the break that must be. */
static bool is_allowed(const struct search *s, int first, int end)
{
	if (s->must_break > first && s->must_break < end)
		return false;
	if (end - first >= 3)
		return true;
	return s->must_break && ((first == 0 && end == s->must_break) ||
				 (first == s->must_break && end == s->n))
		   ? true
		   : s->n < 3;
}

static void extend(struct search *s, int n_segments, int end)
{
	double *best = &s->best[n_segments * (s->n + 1) + end];

	*best = INFINITY;
	for (int first = 0; first < end; first++) {
		double before = n_segments == 1 ? (first == 0 ? 0 : INFINITY)
						: s->best[(n_segments - 1) * (s->n + 1) + first];
		struct segment segment;
		double chi2;

		if (!isfinite(before) || !is_allowed(s, first, end))
			continue;
		chi2 = before + fit_line(s, first, end - first, &segment);
		if (chi2 < *best) {
			*best = chi2;
			s->begin[n_segments * (s->n + 1) + end] = first;
		}
	}
}

/* Dynamic programming over the number of segments and their ends. */
static int choose(struct search *s)
{
	double least = INFINITY;
	int chosen = 0;

	for (int n_segments = 1; n_segments <= FIT_SEGMENTS; n_segments++) {
		double cost;

		for (int end = 1; end <= s->n; end++)
			extend(s, n_segments, end);
		cost = s->best[n_segments * (s->n + 1) + s->n] +
		       n_segments * NUMBERS_PER_SEGMENT * log(s->n);
		if (cost < least) {
			least = cost;
			chosen = n_segments;
		}
	}
	return chosen;
}

/*
 * A point that takes longer than a larger message was disturbed, by as much: that is how uncertain
 * it is. A library that is slower for smaller messages indeed loses little by that.
 */
static double uncertainty(const struct summary *time, double least_of_larger_s)
{
	double sigma = fmax((time->high - time->low) / 4,
			    (time->n < FEW ? SIGMA_OF_FEW : SIGMA) * time->median);

	return fmax(sigma, time->median - least_of_larger_s);
}

static void prepare(struct search *s, const struct curve *curve, int64_t threshold_B)
{
	double least_of_larger_s = INFINITY;

	for (int k = s->n - 1; k >= 0; k--) {
		const struct summary *time = &curve->points[k].time;
		double sigma = uncertainty(time, least_of_larger_s);

		least_of_larger_s = fmin(least_of_larger_s, time->median);
		s->x[k] = (double)curve->points[k].size_B;
		s->y[k] = fmax(time->median, 1e-15);
		s->w[k] = 1 / fmax(sigma * sigma, 1e-30);
		if (k > 0 && curve->points[k].size_B > threshold_B &&
		    curve->points[k - 1].size_B <= threshold_B)
			s->must_break = k;
	}
}

static void find_segments(struct curve *curve, struct search *s, int64_t threshold_B)
{
	int end = s->n;

	prepare(s, curve, threshold_B);
	curve->n_segments = choose(s);
	for (int k = curve->n_segments; k >= 1; k--) {
		int first = s->begin[k * (s->n + 1) + end];

		fit_line(s, first, end - first, &curve->segments[k - 1]);
		end = first;
	}
}

int curve_fit(struct curve *curve, int64_t threshold_B)
{
	struct search s = {0};
	size_t n, cells;

	if (curve->n_points == 0)
		return 0;
	s.n = curve->n_points;
	n = (size_t)s.n;
	cells = (FIT_SEGMENTS + 1) * (n + 1);
	s.x = calloc(3 * n + cells, sizeof(double));
	s.begin = calloc(cells, sizeof(int));
	if (s.x && s.begin) {
		s.y = s.x + n;
		s.w = s.y + n;
		s.best = s.w + n;
		find_segments(curve, &s, threshold_B);
	}
	free(s.x);
	free(s.begin);
	return curve->n_segments ? 0 : -1;
}

int curve_make(struct curve *curve, const struct samples *samples, int where, int64_t threshold_B)
{
	*curve = (struct curve){0};
	return gather(curve, samples, where) < 0 ? -1 : curve_fit(curve, threshold_B);
}

double fit_curve_time(const struct curve *curve, int64_t size_B)
{
	int k = 0;

	while (k + 1 < curve->n_segments && size_B >= curve->segments[k + 1].from_B)
		k++;
	return curve->segments[k].latency_s + curve->segments[k].per_byte_s * (double)size_B;
}
