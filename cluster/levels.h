/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLUSTER_LEVELS_H
#define CLUSTER_LEVELS_H

#include <stdbool.h>

#include "cluster/cluster.h"

/*
 * The levels of a node: cores, memory domains, sockets. Cores are numbered domain by domain, domains
 * socket by socket, from 0 in each node. All O(1).
 */

/* Memory domains of a node. */
int cluster_n_domains(const struct cluster *cluster);
int cluster_domain_of(const struct cluster *cluster, int core);
/* Levels that ranks of a node can have in common: its domain, its socket, the node, as far as there
 * are several. */
int cluster_n_levels(const struct cluster *cluster);
/* The lowest one that holds both cores, 0 … n_levels - 1. */
int cluster_level_of(const struct cluster *cluster, int core, int other);
/* The first core of the n-th rank of a node, from 0, where each rank holds n_cores of them: one rank
 * after the other, or round the domains or sockets (cores.bind) where that many fit into one. */
int cluster_core_of(const struct cluster *cluster, int n, int n_cores);
/* Bandwidth of a domain's memory while n >= 1 draw on it; INFINITY: it has no limit. */
double cluster_memory(const struct cluster *cluster, int n);
/* Whether computations and messages share the memory of a node, or messages there cost CPU: both are
 * netmodel/memory.c's then. */
bool cluster_shares_memory(const struct cluster *cluster);
/* Whether it matters for a message within a node between which of its ranks it goes. */
bool cluster_has_levels(const struct cluster *cluster);

#endif
