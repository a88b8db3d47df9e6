/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_PLACE_H
#define TOOLS_RUN_PLACE_H

#include "cluster/cluster.h"
#include "util/error.h"

/*
 * cluster_place for ranks that hold `n_cpus` cores each (--cpus-per-rank; 0: was not given): a node is full
 * when its cores are held.
 */
int run_place(const char *spec, const struct cluster *cluster, int n_cpus, int n_ranks,
	      int node_of[], struct util_error *err);
/* A batch system starts no job that its nodes have too few cores for: UTIL_EINPUT where ranks hold more. */
int run_place_check_cpus(const struct cluster *cluster, int n_cpus, int n_ranks, const int node_of[],
			 struct util_error *err);

#endif
