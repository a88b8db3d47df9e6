/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NETMODEL_FABRIC_H
#define NETMODEL_FABRIC_H

#include "netmodel/route.h"
#include "netmodel/topology.h"

/* What netmodel/fabric.c and the formulas of netmodel/topology.c share. */
struct net_paths;

struct fabric {
	struct net_topology topology; /* first */
	const struct cluster *cluster;
	const struct cluster_topology *shape;
	int n_nodes;
	int *route;	/* [longest] room for one */
	double *speeds; /* of links from 2 n_nodes on; NULL: all 1 */
	bool has_failed;
	struct net_paths *paths; /* NULL: a formula says the way */
};

static inline const struct fabric *net_fabric_of(const struct net_topology *topology)
{
	return (const struct fabric *)topology;
}

/* The class of a link between switches. */
int net_fabric_class_of(const struct net_topology *topology, int link);
/* Fill in what the kind says; class_begin[0] is set. */
void net_fabric_set_up_tree(struct fabric *fabric);
void net_fabric_set_up_torus(struct fabric *fabric);
void net_fabric_set_up_dragonfly(struct fabric *fabric);

#endif
