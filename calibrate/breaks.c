/* SPDX-License-Identifier: BSD-3-Clause */
/* Where times by size break, and the lines between breaks: what a search may begin with. */
#include <math.h>
#include <stdlib.h>

#include "fit.h"

static const double LEAST_STEP = 0.01; /* of a time: other sizes are where bisection has been */
static const double FLAT = 100;	       /* of the bandwidth: hardly longer with each byte */

struct line {
	double at_0_s, per_byte_s;
};

/* --- through measured times --- */

enum { MOST_SIZES = 96 };

struct weighted {
	double value, weight;
};

static int compare_values(const void *a, const void *b)
{
	const struct weighted *left = a, *right = b;

	return (left->value > right->value) - (left->value < right->value);
}

static double weighted_median(struct weighted *list, int n)
{
	double half = 0, sum = 0;

	qsort(list, (size_t)n, sizeof(*list), compare_values);
	for (int k = 0; k < n; k++)
		half += list[k].weight / 2;
	for (int k = 0; k < n; k++)
		if ((sum += list[k].weight) >= half)
			return list[k].value;
	return 0;
}

/* Theil and Sen's line: the median of the slopes of all pairs, and of what is left at 0. Times are known to a
 * part of them. False: there are no two. */
static bool line_through(const double *sizes_B, const double *times_s, int n, struct line *line)
{
	struct weighted *list = calloc((size_t)n * (size_t)n + 1, sizeof(*list));
	int n_pairs = 0;

	for (int j = 1; j < n && list; j++)
		for (int i = 0; i < j; i++) {
			double more_B = sizes_B[j] - sizes_B[i];

			list[n_pairs++] = (struct weighted){(times_s[j] - times_s[i]) / more_B,
							    more_B / (times_s[i] + times_s[j])};
		}
	if (n_pairs > 0) {
		line->per_byte_s = weighted_median(list, n_pairs);
		for (int k = 0; k < n; k++)
			list[k] = (struct weighted){times_s[k] - line->per_byte_s * sizes_B[k],
						    1 / times_s[k]};
		line->at_0_s = weighted_median(list, n);
	}
	free(list);
	return n_pairs > 0;
}

/* Of a transfer of a message: without overheads, and copies of those that are eager. */
static double transfer_s(const struct fit *fit, int where, int64_t size_B)
{
	double copied_s = (double)size_B <= fit->machine.value[THRESHOLD]
			      ? (double)size_B * fit_copied_per_byte_s(fit)
			      : 0;

	return fit_value(fit->samples, "one_way", where, size_B, 0).value -
	       fit->send_overhead.value - fit->recv_overhead.value - copied_s;
}

/* Of sizes above the first one, up to the last one. */
static bool line_between(const struct fit *fit, int where, double above_B, double last_B,
			 struct line *line)
{
	const struct sample_key *key = NULL;
	double sizes_B[MOST_SIZES], times_s[MOST_SIZES];
	int n = 0;

	while ((key = fit_next_message(fit, where, key ? key->x : -1)) && n < MOST_SIZES)
		if ((double)key->x > above_B && (double)key->x <= last_B) {
			times_s[n] = transfer_s(fit, where, key->x);
			sizes_B[n] = (double)key->x;
			n += times_s[n] > 0;
		}
	return line_through(sizes_B, times_s, n, line);
}

/* --- breaks --- */

static void may_begin_line(struct view *view, int where, double size_B)
{
	for (int k = 0; k < view->n_places[where]; k++)
		if (view->places[where][k] == size_B)
			return;
	if (view->n_places[where] < BREAKS)
		view->places[where][view->n_places[where]++] = size_B;
}

/* To the next byte. */
static double step_at(const struct fit *fit, int where, int64_t size_B)
{
	struct value below = fit_value(fit->samples, "one_way", where, size_B, 0),
		     above = fit_value(fit->samples, "one_way", where, size_B + 1, 0);

	return below.is_known && above.is_known ? fabs(above.value / below.value - 1) : 0;
}

/* Bisection measures both sides of the byte, too. */
static bool is_break(const struct fit *fit, int where, int64_t size_B)
{
	double here = step_at(fit, where, size_B);

	return size_B > 4 && (double)size_B != fit->machine.value[THRESHOLD] &&
	       here >= LEAST_STEP && here >= step_at(fit, where, size_B - 1) &&
	       here >= step_at(fit, where, size_B + 1);
}

/* The next break, or the last size of its protocol. */
static double end_of_line(const struct fit *fit, const struct view *view, int where, int place)
{
	double limit_B = fit->machine.value[THRESHOLD],
	       next_B =
		   place + 1 < view->n_places[where] ? view->places[where][place + 1] : INFINITY;

	return view->places[where][place] < limit_B ? fmin(next_B, limit_B) : next_B;
}

/* What the lines that meet at each break say of it. */
static void read_lines(const struct fit *fit, struct view *view, int where)
{
	double limit_B = fit->machine.value[THRESHOLD],
	       rate_Bps = fit->machine.value[where == WITHIN_NODE ? INNER_BANDWIDTH : BANDWIDTH];

	for (int k = 0; k < view->n_places[where]; k++) {
		double break_B = view->places[where][k],
		       begin_B = k ? view->places[where][k - 1] : -1;
		struct line before, after;

		if (break_B > limit_B)
			begin_B = fmax(begin_B, limit_B);
		if (!line_between(fit, where, begin_B, break_B, &before) ||
		    !line_between(fit, where, break_B, end_of_line(fit, view, where, k), &after))
			continue;
		before.per_byte_s = fmax(before.per_byte_s, 1 / (FLAT * rate_Bps));
		after.per_byte_s = fmax(after.per_byte_s, 1 / (FLAT * rate_Bps));
		if (view->first_rates[where] == 0)
			view->first_rates[where] = 1 / before.per_byte_s;
		view->jumps_s[where][k] = after.at_0_s - before.at_0_s +
					  (after.per_byte_s - before.per_byte_s) * (break_B + 1);
		view->rates[where][k] = 1 / after.per_byte_s;
	}
}

void fit_view_lines(const struct fit *fit, struct view *view, int where)
{
	const struct sample_key *key = NULL;

	while ((key = fit_next_message(fit, where, key ? key->x : -1)))
		if (is_break(fit, where, key->x))
			may_begin_line(view, where, (double)key->x);
	read_lines(fit, view, where);
	for (key = NULL; (key = fit_next_message(fit, where, key ? key->x : -1));)
		if (key->x >= 128 && (key->x & (key->x - 1)) == 0 && key->x <= 1 << 20)
			may_begin_line(view, where, (double)key->x);
}
