// SPDX-License-Identifier: BSD-3-Clause
#include "traces/analysis/units.h"

#include <stdlib.h>

/* `on_node`: [n_nodes], zeros: how many of the ranks are on each; then its unit + 1. */
static void assign(struct trace_units *units, const struct trace_summary *summary, int on_node[],
		   int unit_of_node[])
{
	int cores = summary->cluster->cores;

	for (int i = 0; i < units->n_ranks; i++) {
		int node = summary->ranks[units->first_rank + i].node;

		if (node >= 0)
			on_node[node]++;
	}
	for (int i = 0; i < units->n_ranks; i++) {
		int node = summary->ranks[units->first_rank + i].node;
		bool is_shared = node >= 0 && on_node[node] > cores;

		units->of[i] = -1;
		if (node < 0)
			continue;
		if (is_shared && unit_of_node[node] > 0) {
			units->of[i] = unit_of_node[node] - 1;
			continue;
		}
		units->of[i] = units->n;
		units->width[units->n++] = is_shared ? cores : 1;
		units->n_units += is_shared ? cores : 1;
		unit_of_node[node] = units->n;
	}
}

int trace_units_init(struct trace_units *units, const struct trace_summary *summary, int first_rank,
		     int n_ranks)
{
	size_t n = (size_t)n_ranks + 1, n_nodes = (size_t)summary->n_nodes;
	int *counts = calloc(2 * n_nodes, sizeof *counts);

	*units = (struct trace_units){
	    .first_rank = first_rank,
	    .n_ranks = n_ranks,
	    .of = calloc(n, sizeof *units->of),
	    .width = calloc(n, sizeof *units->width),
	    .sum_s = calloc(n, sizeof *units->sum_s),
	};
	if (!counts || !units->of || !units->width || !units->sum_s) {
		free(counts);
		trace_units_finish(units);
		return -1;
	}
	assign(units, summary, counts, counts + n_nodes);
	free(counts);
	return 0;
}

void trace_units_finish(struct trace_units *units)
{
	free(units->of);
	free(units->width);
	free(units->sum_s);
	*units = (struct trace_units){0};
}

void trace_units_sum(struct trace_units *units, struct trace_useful from, struct trace_useful to)
{
	for (int i = 0; i < units->n; i++)
		units->sum_s[i] = 0;
	for (int i = 0; i < units->n_ranks; i++) {
		int rank = units->first_rank + i;

		if (units->of[i] < 0 || rank >= to.n)
			continue;
		units->sum_s[units->of[i]] +=
		    to.of_rank[rank] - (rank < from.n ? from.of_rank[rank] : 0);
	}
}
