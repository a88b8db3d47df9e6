/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NETMODEL_TOPOLOGY_H
#define NETMODEL_TOPOLOGY_H

#include "cluster/cluster.h"

struct net_topology;

/* The fabric of a cluster that is no star; `cluster` is borrowed and must outlive it. Free it with
 * free. NULL: no memory. */
struct net_topology *net_topology_create(const struct cluster *cluster);

/* The switch that a node is connected to, with the number that `ends` gives. */
int net_topology_switch_of(const struct cluster *cluster, int node);
/* What a link between switches carries, as a multiple of a node's link. */
double net_topology_capacity(const struct cluster *cluster, int link_class);

#endif
