/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_VALIDATE_STATS_H
#define TOOLS_VALIDATE_STATS_H

#include "tools/validate/table.h"

#define VAL_MAX_LIMITS 8

/* How close the predictions of one model are. The error of a prediction is predicted / measured
 * - 1. */
struct val_stats {
	int n;			   /* rows that it predicts; all else is 0 where there are none */
	double mean, median, most; /* of the absolute errors */
	double bias;		   /* mean of the errors with their signs */
	int n_within[VAL_MAX_LIMITS];
	int n_in_interval, n_with_interval; /* predictions inside the measured interval */
};

/*
 * Computes them over the rows of `group` (NULL: all) that `model` predicts, and, with
 * `common_only`, every other model too. limits: [n_limits] <= VAL_MAX_LIMITS, as fractions. O(n log
 * n). Returns 0 or UTIL_ENOMEM.
 */
int val_stats_compute(const struct val_table *table, int model, const char *group, bool common_only,
		      const double limits[], int n_limits, struct val_stats *out);

/* One question and what a model answers. */
struct val_choice {
	const char *name; /* not terminated: name_length */
	int name_length;
	int n_rows; /* alternatives that are predicted */
	int n_pairs,
	    n_ordered; /* pairs measured further apart than the margin; those in the right order */
	int best, chosen; /* rows measured, predicted to be fastest; the first of equal ones */
	bool is_right;	  /* what is chosen takes no longer than the margin more than the best */
};

/*
 * The questions of the table in the order in which they appear, for `model`: those with two
 * predicted alternatives or more. margin: fraction by which measured times must differ to count.
 * *out: [return value], the caller frees it. Returns -1 when out of memory.
 */
int val_choices_find(const struct val_table *table, int model, double margin,
		     struct val_choice **out);

/* predicted / measured - 1. */
double val_error(const struct val_row *row, int model);

#endif
