/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes of the fabrics that a cluster file describes, computed and not stored. n nodes; links
 * between switches are numbered from 2 n on (netmodel/route.h), each as wide as a node's.
 *
 * Fat tree of two levels: leaf switches with m nodes and u up-links each, one to each of u spines.
 * Up-link of leaf l to spine s: 2 n + l u + s; down-link from it: the same + (n / m) u. A message to
 * node d goes by spine d mod u (d-mod-k, E. Zahavi, D-Mod-K Routing Providing Non-Blocking Traffic
 * for Shift Permutations on Real Life Fat Trees, 2010), so all messages to a node meet at its own link only.
 *
 * Torus: a router for each node, with a link each way in each dimension. Link of router r in
 * dimension k, forth (0) or back (1): 2 n + (r D + k) 2 + 0 or 1. Dimensions in order, the shorter
 * way round, forth where both are as long.
 */
#include "netmodel/topology.h"

#include <stdlib.h>

#include "netmodel/route.h"

struct fabric {
	struct net_topology topology; /* first */
	const struct cluster_topology *shape;
	int n_nodes, n_up; /* n_up: of all leaves */
};

static int route_in_tree(const struct net_topology *topology, int source, int dest, int links[])
{
	const struct fabric *fabric = (const struct fabric *)topology;
	const struct cluster_topology *shape = fabric->shape;
	int m = shape->nodes_per_leaf, u = shape->uplinks, spine = dest % u, n = 0;

	links[n++] = source;
	if (source / m != dest / m) {
		links[n++] = 2 * fabric->n_nodes + source / m * u + spine;
		links[n++] = 2 * fabric->n_nodes + fabric->n_up + dest / m * u + spine;
	}
	links[n++] = fabric->n_nodes + dest;
	return n;
}

static int route_in_torus(const struct net_topology *topology, int source, int dest, int links[])
{
	const struct fabric *fabric = (const struct fabric *)topology;
	const struct cluster_topology *shape = fabric->shape;
	int at = source, stride = 1, n = 0;

	links[n++] = source;
	for (int k = 0; k < shape->n_dimensions; stride *= shape->dimensions[k++]) {
		int size = shape->dimensions[k], place = at / stride % size;
		int forth = (dest / stride % size - place + size) % size;
		int is_back = 2 * forth > size, steps = is_back ? size - forth : forth;

		for (; steps > 0; steps--) {
			int next = (place + (is_back ? size - 1 : 1)) % size;

			links[n++] =
			    2 * fabric->n_nodes + 2 * (at * shape->n_dimensions + k) + is_back;
			at += (next - place) * stride;
			place = next;
		}
	}
	links[n++] = fabric->n_nodes + dest;
	return n;
}

struct net_topology *net_topology_create(const struct cluster *cluster)
{
	const struct cluster_topology *shape = &cluster->network.topology;
	struct fabric *fabric = calloc(1, sizeof *fabric);
	struct net_topology *topology = (struct net_topology *)fabric;

	if (!fabric)
		return NULL;
	fabric->shape = shape;
	fabric->n_nodes = cluster->n_nodes;
	topology->longest = 4;
	if (shape->kind == CLUSTER_TOPOLOGY_FAT_TREE) {
		fabric->n_up = cluster->n_nodes / shape->nodes_per_leaf * shape->uplinks;
		topology->n_links = 2 * cluster->n_nodes + 2 * fabric->n_up;
		topology->route = route_in_tree;
		return topology;
	}
	topology->n_links = 2 * cluster->n_nodes * (1 + shape->n_dimensions);
	topology->route = route_in_torus;
	for (int k = 0; k < shape->n_dimensions; k++)
		topology->longest += shape->dimensions[k] / 2;
	return topology;
}
