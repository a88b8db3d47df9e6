/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NETMODEL_TOPOLOGY_H
#define NETMODEL_TOPOLOGY_H

#include "cluster/cluster.h"

struct net_topology;

/* The fabric of a cluster that is no star; `cluster` is borrowed and must outlive it. Free it with
 * free. NULL: no memory. */
struct net_topology *net_topology_create(const struct cluster *cluster);

#endif
