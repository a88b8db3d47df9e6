/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_VERDICT_H
#define TOOLS_SWEEP_VERDICT_H

#include <stdio.h>

#include "tools/sweep/table.h"

/*
 * Which point is the fastest, as far as that can be told. Times that are measured scatter: a point
 * is measured in several rounds, all points in turns. What disturbs a round disturbs all points in
 * it, and points that share a recording share its computation; so two points are compared by the
 * ratios of their times in the same rounds. They differ where the interval of the ratios' mean does
 * not hold 1: Student's t of the logarithms, which are taken as normal, 99 %.
 */
#define SWEEP_LEAST_MEASUREMENTS 3 /* of which anything is concluded */
#define SWEEP_USUAL_MEASUREMENTS 9
#define SWEEP_MOST_MEASUREMENTS 1000

/* Sets low_s and high_s of a done row that has times_s. */
void sweep_row_set_interval(struct sweep_row *row);
/* Sets is_candidate of the rows that may be the fastest. Returns how many, and the one with the
 * shortest time, the first of equal ones, in *out_best; -1: no row is done. */
int sweep_candidates_mark(struct sweep_table *table, int *out_best);
/* Whether several are candidates, and not only since they predict the same. */
bool sweep_is_undecided(const struct sweep_table *table, int n_candidates);

/* Why points of the grid failed: each error once with how often, the most frequent first, and the
 * parameters of one of its points. */
void sweep_failures_print(struct sweep_db *db, FILE *file);
/* The fastest point, or those of which it cannot be told. (Both: tools/sweep/status.c) */
void sweep_verdict_print(struct sweep_table *table, FILE *file);

#endif
