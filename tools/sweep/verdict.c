// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sweep/verdict.h"

#include <math.h>

#define ROUNDING 1e-12 /* of logarithms of times that are the same */

/* Student's t that 99 % are within, by degrees of freedom; NIST/SEMATECH e-Handbook of Statistical
 * Methods, 1.3.6.7.2, column 0.995. Beyond: that of 30, slightly too large. */
static double student_t(int freedom)
{
	static const double t[] = {63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355,
				   3.250,  3.169, 3.106, 3.055, 3.012, 2.977, 2.947, 2.921,
				   2.898,  2.878, 2.861, 2.845, 2.831, 2.819, 2.807, 2.797,
				   2.787,  2.779, 2.771, 2.763, 2.756, 2.750};
	int n = (int)(sizeof t / sizeof t[0]);

	return t[freedom > n ? n - 1 : freedom - 1];
}

struct sums { /* of which follow the mean, and how far it may be off */
	int n;
	double sum, squares;
};

static void sums_add(struct sums *sums, double value)
{
	sums->n++;
	sums->sum += value;
	sums->squares += value * value;
}

static double mean_of(const struct sums *sums)
{
	return sums->sum / sums->n;
}

static double error_of(const struct sums *sums)
{
	double variance = (sums->squares - sums->sum * mean_of(sums)) / (sums->n - 1);

	return student_t(sums->n - 1) * sqrt(fmax(variance, 0) / sums->n);
}

void sweep_row_set_interval(struct sweep_row *row)
{
	struct sums logs = {0};
	double scale = row->figures[SWEEP_TIME_S];

	for (int i = 0; i < row->n_rounds; i++)
		if (row->times_s[i] > 0)
			sums_add(&logs, log(row->times_s[i] / scale));
	row->n_measured = logs.n;
	row->has_interval = logs.n >= SWEEP_LEAST_MEASUREMENTS;
	if (!row->has_interval)
		return;
	row->low_s = scale * exp(mean_of(&logs) - error_of(&logs));
	row->high_s = scale * exp(mean_of(&logs) + error_of(&logs));
}

/* The time in a round; 0: there is none. What is not measured is the same in each. */
static double time_in(const struct sweep_row *row, int round)
{
	if (row->n_rounds == 0)
		return row->figures[SWEEP_TIME_S];
	return round < row->n_rounds ? row->times_s[round] : 0;
}

/* Both are done. Rows that vary at random differ where their intervals part. */
static bool sweep_rows_differ(const struct sweep_row *a, const struct sweep_row *b)
{
	int n_rounds = a->n_rounds > b->n_rounds ? a->n_rounds : b->n_rounds;
	struct sums ratios = {0};

	if (n_rounds == 0 && a->has_interval && b->has_interval)
		return a->high_s < b->low_s || b->high_s < a->low_s;
	if (n_rounds == 0 && (a->has_interval || b->has_interval)) {
		const struct sweep_row *wide = a->has_interval ? a : b, *other = wide == a ? b : a;
		double time_s = other->figures[SWEEP_TIME_S];

		return time_s < wide->low_s || time_s > wide->high_s;
	}
	if (n_rounds == 0)
		return a->figures[SWEEP_TIME_S] != b->figures[SWEEP_TIME_S];
	for (int i = 0; i < n_rounds; i++)
		if (time_in(a, i) > 0 && time_in(b, i) > 0)
			sums_add(&ratios, log(time_in(a, i) / time_in(b, i)));
	return ratios.n >= SWEEP_LEAST_MEASUREMENTS &&
	       fabs(mean_of(&ratios)) > error_of(&ratios) + ROUNDING;
}

int sweep_candidates_mark(struct sweep_table *table, int *out_best)
{
	int n = 0, best = -1;

	for (int i = 0; i < table->n_rows; i++)
		if (table->rows[i].is_done &&
		    (best < 0 || table->rows[i].figures[SWEEP_TIME_S] <
				     table->rows[best].figures[SWEEP_TIME_S]))
			best = i;
	for (int i = 0; i < table->n_rows; i++) {
		struct sweep_row *row = &table->rows[i];

		row->is_candidate =
		    row->is_done && (i == best || !sweep_rows_differ(row, &table->rows[best]));
		n += row->is_candidate;
	}
	*out_best = best;
	return n;
}

bool sweep_is_undecided(const struct sweep_table *table, int n_candidates)
{
	for (int i = 0; i < table->n_rows && n_candidates > 1; i++)
		if (table->rows[i].is_candidate &&
		    (table->rows[i].has_interval || table->rows[i].n_measured > 0))
			return true;
	return false;
}
