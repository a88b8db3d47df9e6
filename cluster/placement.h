/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLUSTER_PLACEMENT_H
#define CLUSTER_PLACEMENT_H

#include "cluster/cluster.h"
#include "util/error.h"

/*
 * Places `n_ranks` ranks on the cluster's nodes: node_of[rank] for rank = 0 … n_ranks-1 (the
 * caller's array). `spec`: "block" (as many ranks as a node has cores before the next node, as
 * mpirun and Slurm fill nodes; where the cluster has fewer cores than ranks, "spread"), "spread"
 * (equal shares on all nodes, in order: ceil or floor of n_ranks / n_nodes each), "cyclic" (rank
 * modulo n_nodes), "random" or "random:7" (as block, the nodes in a random order), or a list of nodes with ranges and repeats, "0-3,0-3" or "0*2,1*2". NULL: the
 * cluster's own, else block. A list must name a node for every rank. More ranks than cores on a
 * node is allowed (they share). Errors: UTIL_EINPUT, UTIL_ENOMEM.
 */
int cluster_place(const char *spec, const struct cluster *cluster, int n_ranks, int node_of[],
		  struct util_error *err);
/*
 * Places ranks one after the other, each where there are fewest: on the node of `nodes` (NULL: all)
 * with the smallest load, of equal ones the first. `load`: [n_nodes of the cluster] ranks on each
 * node, counted up. O(n_ranks × n).
 */
void cluster_place_where_fewest(int n, const int nodes[], int load[], int n_ranks, int node_of[]);
/* Whether `spec` is well formed and names existing nodes only. UTIL_EINPUT where not. */
int cluster_place_check(const char *spec, int n_nodes, struct util_error *err);
/*
 * Reads the next item of a list ("2", "0-3", "0*2", "0-3*2": each of the nodes twice) and the comma
 * after it; *at moves on, to the end after the last item. UTIL_EINPUT: not an item, a node that
 * does not exist, a repeat outside 1 … 1000000.
 */
int cluster_place_next(const char **at, int n_nodes, int *first, int *last, int *repeat,
		       struct util_error *err);

#endif
