/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NETMODEL_TOPOLOGY_H
#define NETMODEL_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "cluster/cluster.h"
#include "simcore/time.h"

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
/* The same, in the mean from 0 on. */
double net_topology_mean_capacity(const struct net_topology *topology, int link, double until_s);
/* Half duplex: what it would carry, the link of the other direction does. */
bool net_topology_is_carried(const struct net_topology *topology, int link);

/* Links become slow, fail or come back, up to `now`: whether any does. Those who are under way stay
 * on their routes. */
bool net_topology_go_on(struct net_topology *topology, sim_time_ps now);
/* When they will the next time; SIM_TIME_MAX: never. */
sim_time_ps net_topology_next(const struct net_topology *topology);

/* topology->route, on those links that carry it. */
int net_topology_route(const struct net_topology *topology, int source_node, int dest_node,
		       uint64_t choice, bool is_detour, int links[]);
/* What the links of a route of n add to the latency. */
double net_topology_hops_s(const struct net_topology *topology,
			   const struct cluster_topology *shape, const int links[], int n);

/* What the links between switches add to the latency between two nodes, without a detour. */
double net_topology_delay_s(const struct net_topology *topology, int source_node, int dest_node);
/* … and at most, of any cluster; of a graph between those that are furthest apart, as two searches
 * find them. */
double net_topology_most_delay_s(const struct cluster *cluster);

#endif
