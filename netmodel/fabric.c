/* SPDX-License-Identifier: BSD-3-Clause */
/* Fabrics of all kinds: how they are made, links of a graph, links that are slow or have failed. */
#include "netmodel/fabric.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "cluster/graph.h"
#include "netmodel/paths.h"

int net_fabric_class_of(const struct net_topology *topology, int link)
{
	int k = 0;

	while (link >= topology->class_begin[k + 1])
		k++;
	return k;
}

/* --- graph of a file --- */

static void ends_in_graph(const struct net_topology *topology, int link, int ends[2])
{
	const struct fabric *fabric = net_fabric_of(topology);
	int at = link - topology->class_begin[0];
	const struct cluster_cable *cable = &fabric->shape->graph->cables[at / 2];

	ends[0] = fabric->n_nodes + cable->ends[at % 2];
	ends[1] = fabric->n_nodes + cable->ends[1 - at % 2];
}

static void name_in_graph(const struct net_topology *topology, int link, char *out, size_t size)
{
	const struct cluster_graph *graph = net_fabric_of(topology)->shape->graph;
	int n = net_fabric_of(topology)->n_nodes, ends[2];

	ends_in_graph(topology, link, ends);
	snprintf(out, size, "%s to %s", graph->names[ends[0] - n], graph->names[ends[1] - n]);
}

static void name_links(const struct net_topology *topology, int k, char *out, size_t size)
{
	snprintf(out, size, "links");
}

/* Any fabric, by the shortest ways over what is left of it. */
static int route_by_paths(const struct net_topology *topology, int source, int dest,
			  uint64_t choice, bool is_detour, int links[])
{
	const struct fabric *fabric = net_fabric_of(topology);
	int n = fabric->n_nodes, n_links = 1;

	links[0] = source;
	n_links +=
	    net_paths_find(fabric->paths, net_topology_switch_of(fabric->cluster, source) - n,
			   net_topology_switch_of(fabric->cluster, dest) - n, choice, links + 1);
	links[n_links++] = n + dest;
	return n_links;
}

static void set_up_graph(struct fabric *fabric)
{
	struct net_topology *topology = &fabric->topology;

	topology->ends = ends_in_graph;
	topology->name_class = name_links;
	topology->name = name_in_graph;
	topology->n_switches = fabric->shape->graph->n_switches;
	topology->n_classes = 1;
	topology->class_begin[1] = topology->class_begin[0] + 2 * fabric->shape->graph->n_cables;
}

/* --- links that are slow or have failed --- */

static bool is_meant(const struct net_topology *topology, int link, const char *pattern)
{
	char name[128];

	topology->name(topology, link, name, sizeof name);
	if (fnmatch(pattern, name, 0) == 0)
		return true;
	topology->name_class(topology, net_fabric_class_of(topology, link), name, sizeof name);
	return fnmatch(pattern, name, 0) == 0;
}

static int set_speeds(struct fabric *fabric, struct util_error *err)
{
	const struct net_topology *topology = &fabric->topology;
	int begin = topology->class_begin[0], n = topology->n_links - begin;
	char example[128] = "none";

	fabric->speeds = malloc(((size_t)n + 1) * sizeof *fabric->speeds);
	if (!fabric->speeds)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for %d links", n);
	for (int l = 0; l < n; l++)
		fabric->speeds[l] = 1;
	if (n > 0)
		topology->name(topology, begin, example, sizeof example);
	for (int i = 0; i < fabric->shape->n_speeds; i++) {
		const struct cluster_link_speed *one = &fabric->shape->speeds[i];
		int n_meant = 0;

		for (int l = 0; l < n; l++)
			if (is_meant(topology, begin + l, one->name)) {
				fabric->speeds[l] = one->speed;
				fabric->has_failed |= one->speed == 0;
				n_meant++;
			}
		if (n_meant == 0)
			return util_refuse(err,
					   "network.topology.links: found \"%s\", which is no link "
					   "or class of links, wanted a name such as \"%s\"",
					   one->name, example);
	}
	return 0;
}

/* --- all of them --- */

int net_topology_switch_of(const struct cluster *cluster, int node)
{
	const struct cluster_topology *shape = &cluster->network.topology;
	int n_below = 1;

	if (shape->kind == CLUSTER_TOPOLOGY_GRAPH)
		return cluster->n_nodes + shape->graph->switch_of[node];
	if (shape->kind == CLUSTER_TOPOLOGY_FAT_TREE)
		n_below = shape->down.at[0];
	else if (shape->kind == CLUSTER_TOPOLOGY_DRAGONFLY)
		n_below = shape->nodes;
	return cluster->n_nodes + node / n_below;
}

/* Where the formula of the kind does not say the way. */
static int set_paths(struct fabric *fabric, struct util_error *err)
{
	struct net_topology *topology = &fabric->topology;
	int rc;

	if (topology->route && !fabric->has_failed)
		return 0;
	rc = net_paths_create(topology, fabric->cluster, fabric->speeds, &fabric->paths, err);
	if (rc)
		return rc;
	topology->route = route_by_paths;
	topology->has_detours = false;
	topology->longest = 2 + net_paths_longest(fabric->paths);
	if (topology->longest < 3)
		topology->longest = 3;
	return 0;
}

int net_topology_create(const struct cluster *cluster, struct net_topology **out,
			struct util_error *err)
{
	static void (*const set_up[])(struct fabric *) = {
	    [CLUSTER_TOPOLOGY_FAT_TREE] = net_fabric_set_up_tree,
	    [CLUSTER_TOPOLOGY_TORUS] = net_fabric_set_up_torus,
	    [CLUSTER_TOPOLOGY_DRAGONFLY] = net_fabric_set_up_dragonfly,
	    [CLUSTER_TOPOLOGY_GRAPH] = set_up_graph,
	};
	struct fabric *fabric = calloc(1, sizeof *fabric);
	int rc = 0;

	if (!fabric)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a network");
	fabric->cluster = cluster;
	fabric->shape = &cluster->network.topology;
	fabric->n_nodes = cluster->n_nodes;
	fabric->topology.class_begin[0] = 2 * cluster->n_nodes;
	set_up[fabric->shape->kind](fabric);
	fabric->topology.n_links = fabric->topology.class_begin[fabric->topology.n_classes];
	if (fabric->shape->n_speeds > 0)
		rc = set_speeds(fabric, err);
	if (!rc)
		rc = set_paths(fabric, err);
	if (!rc) {
		fabric->route = malloc((size_t)fabric->topology.longest * sizeof(int));
		rc = fabric->route ? 0
				   : util_error_set(err, UTIL_ENOMEM, "out of memory for a route");
	}
	if (rc)
		net_topology_destroy(&fabric->topology);
	else
		*out = &fabric->topology;
	return rc;
}

void net_topology_destroy(struct net_topology *topology)
{
	struct fabric *fabric = (struct fabric *)topology;

	if (!fabric)
		return;
	net_paths_destroy(fabric->paths);
	free(fabric->speeds);
	free(fabric->route);
	free(fabric);
}

double net_topology_capacity(const struct net_topology *topology, int link)
{
	const struct fabric *fabric = net_fabric_of(topology);
	const struct cluster_topology *shape = fabric->shape;
	double own_Bps = fabric->cluster->network.bandwidth_Bps, bandwidth_Bps = own_Bps, capacity;
	int at = link - topology->class_begin[0], k = net_fabric_class_of(topology, link);

	if (shape->n_bandwidths > 0)
		bandwidth_Bps = shape->bandwidth_Bps[shape->n_bandwidths > 1 ? k : 0];
	if (shape->graph && shape->graph->cables[at / 2].bandwidth_Bps > 0)
		bandwidth_Bps = shape->graph->cables[at / 2].bandwidth_Bps;
	capacity = bandwidth_Bps == own_Bps ? 1 : bandwidth_Bps / own_Bps;
	return capacity * (1 - shape->load) * (fabric->speeds ? fabric->speeds[at] : 1);
}

double net_topology_delay_s(const struct net_topology *topology, int source_node, int dest_node)
{
	const struct fabric *fabric = net_fabric_of(topology);
	int n = topology->route(topology, source_node, dest_node, (uint64_t)dest_node, false,
				fabric->route);

	return (n - 2) * fabric->shape->hop_latency_s;
}

double net_topology_most_delay_s(const struct cluster *cluster)
{
	const struct cluster_topology *shape = &cluster->network.topology;
	int n = 0;

	if (shape->kind == CLUSTER_TOPOLOGY_FAT_TREE)
		n = 2 * shape->up.n;
	else if (shape->kind == CLUSTER_TOPOLOGY_DRAGONFLY)
		n = (shape->groups > 1) + (shape->routers > 1) * (shape->groups > 1 ? 2 : 1);
	else if (shape->kind == CLUSTER_TOPOLOGY_GRAPH)
		n = shape->graph->n_hops;
	for (int k = 0; k < shape->dimensions.n; k++)
		n += shape->dimensions.at[k] / 2;
	return n * shape->hop_latency_s;
}
