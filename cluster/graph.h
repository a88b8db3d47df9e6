/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLUSTER_GRAPH_H
#define CLUSTER_GRAPH_H

#include "util/error.h"

/*
 * A fabric as a graph, from a file of lines (docs/cluster-file.md):
 *
 *     switch NAME [ports N] [nodes LIST]
 *     link NAME NAME [count N] [bandwidth 25GB/s]
 */
struct cluster_cable {	      /* both ways */
	int ends[2];	      /* switches */
	double bandwidth_Bps; /* 0: as all the others */
};

struct cluster_graph {
	char **names; /* [n_switches] */
	int n_switches;
	int *switch_of;		      /* [n_nodes] */
	struct cluster_cable *cables; /* [n_cables] */
	int n_cables;
	int n_hops; /* from the switch that is furthest from the first to the one furthest from it */
};

/*
 * Errors (UTIL_EINPUT, with file:line): what is no such line; switches that are unknown or there
 * twice; links from a switch to itself; more nodes and links than ports; nodes that no switch has,
 * or two have; nodes that others do not reach. UTIL_ENOMEM.
 */
int cluster_graph_read(const char *path, int n_nodes, struct cluster_graph **out,
		       struct util_error *err);
void cluster_graph_destroy(struct cluster_graph *graph); /* NULL is fine */

#endif
