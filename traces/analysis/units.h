/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_ANALYSIS_UNITS_H
#define TRACES_ANALYSIS_UNITS_H

#include "traces/summary.h"

/*
 * The processing units of some ranks (docs/efficiency.md): a rank where its node has a core for
 * each of these ranks; else the node's cores, over which the computation of its ranks is spread
 * evenly. Ranks whose job never began have none.
 */
struct trace_units {
	int first_rank, n_ranks;
	int *of;	/* [n_ranks]; -1: none */
	int *width;	/* [n]: how many units it stands for */
	double *sum_s;	/* [n]: see trace_units_sum */
	int n, n_units; /* n_units: sum of the widths */
};

/* Nodes are those on which the ranks are now. Returns 0, or -1 without memory. O(ranks + nodes). */
int trace_units_init(struct trace_units *units, const struct trace_summary *summary, int first_rank,
		     int n_ranks);
void trace_units_finish(struct trace_units *units); /* zero is fine */

/* What ranks computed: [n] by rank; those beyond have computed nothing. */
struct trace_useful {
	const double *of_rank;
	int n;
};
/* sum_s: what each computed up to `to` but not up to `from`. */
void trace_units_sum(struct trace_units *units, struct trace_useful from, struct trace_useful to);

#endif
