/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NETMODEL_FABRIC_H
#define NETMODEL_FABRIC_H

#include "netmodel/route.h"
#include "netmodel/topology.h"

/* What netmodel/fabric.c and the formulas of netmodel/topology.c share. */
struct net_paths;

struct fabric_stage { /* what holds from a time on */
	double at_s;
	double *speeds;		 /* of links from 2 n_nodes on; NULL: all 1 */
	struct net_paths *paths; /* NULL: a formula says the way */
};

struct fabric {
	struct net_topology topology; /* first */
	const struct cluster *cluster;
	const struct cluster_topology *shape;
	int n_nodes;
	int *route;		     /* [longest] room for one */
	struct fabric_stage *stages; /* [n_stages] by time, the first from 0 on */
	int n_stages, stage;	     /* which one holds */
	/* What the kind says of routes, where no links have failed. */
	int (*formula)(const struct net_topology *topology, int source_node, int dest_node,
		       uint64_t choice, bool is_detour, int links[]);
	bool has_detours;
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
