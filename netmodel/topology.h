/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NETMODEL_TOPOLOGY_H
#define NETMODEL_TOPOLOGY_H

#include "cluster/cluster.h"

struct net_topology;

/* The fabric of a cluster that is no star; `cluster` is borrowed and must outlive it. Errors:
 * UTIL_EINPUT: links that are meant by a name are not there, failed ones leave nodes unreached;
 * UTIL_ENOMEM. */
int net_topology_create(const struct cluster *cluster, struct net_topology **out,
			struct util_error *err);
void net_topology_destroy(struct net_topology *topology); /* NULL is fine */

/* The switch that a node is connected to, with the number that `ends` gives. */
int net_topology_switch_of(const struct cluster *cluster, int node);
/* What a link between switches carries, as a multiple of a node's link; 0: it has failed. */
double net_topology_capacity(const struct net_topology *topology, int link);

/* What the links between switches add to the latency between two nodes, without a detour. */
double net_topology_delay_s(const struct net_topology *topology, int source_node, int dest_node);
/* … and at most, of any cluster; of a graph between those that are furthest apart, as two searches
 * find them. */
double net_topology_most_delay_s(const struct cluster *cluster);

#endif
