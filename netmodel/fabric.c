/* SPDX-License-Identifier: BSD-3-Clause */
/* Fabrics of all kinds: how they are made, links of a graph, links that are slow or have failed. */
#include "netmodel/fabric.h"

#include <fnmatch.h>
#include <math.h>
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
	    net_paths_find(fabric->stages[fabric->stage].paths,
			   net_topology_switch_of(fabric->cluster, source) - n,
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

/* How many links it is about. */
static int apply(const struct cluster_link_speed *one, const struct net_topology *topology,
		 double speeds[])
{
	int begin = topology->class_begin[0], n = 0;

	for (int l = begin; l < topology->n_links; l++)
		if (is_meant(topology, l, one->name)) {
			speeds[l - begin] = one->speed;
			n++;
		}
	return n;
}

/* From the stage before, if any, and what is said of this one's time; *next: the first that is not. */
static int set_speeds(struct fabric *fabric, struct fabric_stage *stage, int *next,
		      struct util_error *err)
{
	const struct net_topology *topology = &fabric->topology;
	int begin = topology->class_begin[0], n = topology->n_links - begin;
	const double *before = stage > fabric->stages ? stage[-1].speeds : NULL;
	char example[128] = "none";

	stage->speeds = malloc(((size_t)n + 1) * sizeof *stage->speeds);
	if (!stage->speeds)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for %d links", n);
	for (int l = 0; l < n; l++)
		stage->speeds[l] = before ? before[l] : 1;
	for (; *next < fabric->shape->n_speeds; (*next)++) {
		const struct cluster_link_speed *one = &fabric->shape->speeds[*next];

		if (one->at_s > stage->at_s)
			break;
		if (apply(one, topology, stage->speeds) > 0)
			continue;
		if (n > 0)
			topology->name(topology, begin, example, sizeof example);
		return util_refuse(err,
				   "%s: network.topology.links: found \"%s\", which is no link or "
				   "class of links, wanted a name such as \"%s\"",
				   one->place, one->name, example);
	}
	return 0;
}

/* Where the formula of the kind does not say the way. `last`: what is said last of this stage; NULL:
 * nothing. */
static int set_paths(struct fabric *fabric, struct fabric_stage *stage,
		     const struct cluster_link_speed *last, struct util_error *err)
{
	struct net_topology *topology = &fabric->topology;
	int n = topology->n_links - topology->class_begin[0], longest, rc;
	bool has_failed = false;

	for (int l = 0; stage->speeds && l < n; l++)
		has_failed |= stage->speeds[l] == 0;
	if (fabric->formula && !has_failed)
		return 0;
	rc = net_paths_create(topology, fabric->cluster, stage->speeds, &stage->paths, err);
	if (rc && stage->at_s > 0)
		util_error_prepend(err, "from %g s on", stage->at_s);
	if (rc)
		return last ? util_error_prepend(err, "%s", last->place) : rc;
	longest = 2 + net_paths_longest(stage->paths);
	topology->longest = longest > topology->longest ? longest : topology->longest;
	return 0;
}

static int count_stages(const struct cluster_topology *shape)
{
	int n = 1;

	for (int i = 0; i < shape->n_speeds; i++)
		n += shape->speeds[i].at_s > (i > 0 ? shape->speeds[i - 1].at_s : 0);
	return n;
}

static void go_to(struct fabric *fabric, int stage)
{
	bool has_paths = fabric->stages[stage].paths != NULL;

	fabric->stage = stage;
	fabric->topology.route = has_paths ? route_by_paths : fabric->formula;
	fabric->topology.has_detours = fabric->has_detours && !has_paths;
}

static int set_stages(struct fabric *fabric, struct util_error *err)
{
	const struct cluster_topology *shape = fabric->shape;
	int n = count_stages(shape), next = 0, rc = 0;

	fabric->formula = fabric->topology.route;
	fabric->has_detours = fabric->topology.has_detours;
	if (fabric->topology.longest < 3)
		fabric->topology.longest = 3;
	fabric->stages = calloc((size_t)n, sizeof *fabric->stages);
	if (!fabric->stages)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a network");
	for (; fabric->n_stages < n && !rc; fabric->n_stages++) {
		struct fabric_stage *stage = &fabric->stages[fabric->n_stages];

		stage->at_s = fabric->n_stages > 0 ? shape->speeds[next].at_s : 0;
		if (shape->n_speeds > 0)
			rc = set_speeds(fabric, stage, &next, err);
		if (!rc)
			rc = set_paths(fabric, stage, next ? &shape->speeds[next - 1] : NULL, err);
	}
	if (!rc)
		go_to(fabric, 0);
	return rc;
}

sim_time_ps net_topology_next(const struct net_topology *topology)
{
	const struct fabric *fabric = net_fabric_of(topology);

	return fabric->stage + 1 < fabric->n_stages
		   ? sim_time_from_s(fabric->stages[fabric->stage + 1].at_s)
		   : SIM_TIME_MAX;
}

bool net_topology_go_on(struct net_topology *topology, sim_time_ps now)
{
	struct fabric *fabric = (struct fabric *)topology;
	bool has_changed = false;

	while (net_topology_next(topology) <= now) {
		go_to(fabric, fabric->stage + 1);
		has_changed = true;
	}
	return has_changed;
}

/* --- half duplex --- */

struct both_ways { /* a link with its ends in order */
	int ends[2], is_back, link;
};

static int compare_ends(const struct both_ways *a, const struct both_ways *b)
{
	return a->ends[0] != b->ends[0] ? a->ends[0] - b->ends[0] : a->ends[1] - b->ends[1];
}

static int compare_ways(const void *left, const void *right)
{
	const struct both_ways *a = left, *b = right;

	if (compare_ends(a, b) != 0)
		return compare_ends(a, b);
	return a->is_back != b->is_back ? a->is_back - b->is_back : a->link - b->link;
}

/* Between two switches as many links lead forth as back: the k-th of these is carried by the k-th of
 * those. */
static int set_carriers(struct fabric *fabric, struct util_error *err)
{
	const struct net_topology *topology = &fabric->topology;
	int begin = topology->class_begin[0], n = topology->n_links - begin;
	struct both_ways *ways = malloc(((size_t)n + 1) * sizeof *ways);

	fabric->topology.carriers = malloc(((size_t)n + 1) * sizeof *fabric->topology.carriers);
	if (!ways || !fabric->topology.carriers) {
		free(ways);
		return util_error_set(err, UTIL_ENOMEM, "out of memory for %d links", n);
	}
	for (int l = 0; l < n; l++) {
		struct both_ways *way = &ways[l];

		topology->ends(topology, begin + l, way->ends);
		way->link = begin + l;
		way->is_back = way->ends[0] > way->ends[1];
		if (way->is_back) {
			int last = way->ends[0];

			way->ends[0] = way->ends[1];
			way->ends[1] = last;
		}
	}
	qsort(ways, (size_t)n, sizeof *ways, compare_ways);
	for (int i = 0, n_forth = 0; i < n; i++) {
		n_forth =
		    ways[i].is_back ? n_forth
		    : i > 0 && !ways[i - 1].is_back && compare_ends(&ways[i], &ways[i - 1]) == 0
			? n_forth + 1
			: 1;
		fabric->topology.carriers[ways[i].link - begin] =
		    ways[ways[i].is_back ? i - n_forth : i].link;
	}
	free(ways);
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
	int rc;

	if (!fabric)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a network");
	fabric->cluster = cluster;
	fabric->shape = &cluster->network.topology;
	fabric->n_nodes = cluster->n_nodes;
	fabric->topology.class_begin[0] = 2 * cluster->n_nodes;
	set_up[fabric->shape->kind](fabric);
	fabric->topology.n_links = fabric->topology.class_begin[fabric->topology.n_classes];
	rc = set_stages(fabric, err);
	if (!rc && fabric->shape->is_half_duplex)
		rc = set_carriers(fabric, err);
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
	for (int i = 0; i < fabric->n_stages; i++) {
		net_paths_destroy(fabric->stages[i].paths);
		free(fabric->stages[i].speeds);
	}
	free(fabric->stages);
	free(fabric->topology.carriers);
	free(fabric->route);
	free(fabric);
}

/* Of a link whose speed is 1. */
static double full_capacity(const struct fabric *fabric, int link)
{
	const struct cluster_topology *shape = fabric->shape;
	double own_Bps = fabric->cluster->network.bandwidth_Bps, bandwidth_Bps = own_Bps, capacity;
	int at = link - fabric->topology.class_begin[0];

	if (shape->n_bandwidths > 0)
		bandwidth_Bps =
		    shape->scale *
		    shape->bandwidth_Bps[shape->n_bandwidths > 1
					     ? net_fabric_class_of(&fabric->topology, link)
					     : 0];
	if (shape->graph && shape->graph->cables[at / 2].bandwidth_Bps > 0)
		bandwidth_Bps = shape->scale * shape->graph->cables[at / 2].bandwidth_Bps;
	capacity = bandwidth_Bps == own_Bps ? 1 : bandwidth_Bps / own_Bps;
	return capacity * (1 - shape->load);
}

static double speed_of(const struct fabric *fabric, int stage, int link)
{
	const double *speeds = fabric->stages[stage].speeds;

	return speeds ? speeds[link - fabric->topology.class_begin[0]] : 1;
}

double net_topology_capacity(const struct net_topology *topology, int link)
{
	const struct fabric *fabric = net_fabric_of(topology);

	return full_capacity(fabric, link) * speed_of(fabric, fabric->stage, link);
}

double net_topology_mean_capacity(const struct net_topology *topology, int link, double until_s)
{
	const struct fabric *fabric = net_fabric_of(topology);
	double sum = 0;

	if (fabric->n_stages == 1 || until_s <= 0)
		return net_topology_capacity(topology, link);
	for (int i = 0; i < fabric->n_stages && fabric->stages[i].at_s < until_s; i++) {
		double end_s = i + 1 < fabric->n_stages && fabric->stages[i + 1].at_s < until_s
				   ? fabric->stages[i + 1].at_s
				   : until_s;

		sum += speed_of(fabric, i, link) * (end_s - fabric->stages[i].at_s);
	}
	return full_capacity(fabric, link) * sum / until_s;
}

bool net_topology_is_carried(const struct net_topology *topology, int link)
{
	const int *carriers = topology->carriers;

	return carriers && carriers[link - topology->class_begin[0]] != link;
}

int net_topology_route(const struct net_topology *topology, int source_node, int dest_node,
		       uint64_t choice, bool is_detour, int links[])
{
	const int *carriers = topology->carriers;
	int n = topology->route(topology, source_node, dest_node, choice, is_detour, links);

	for (int k = 1; carriers && k < n - 1; k++)
		links[k] = carriers[links[k] - topology->class_begin[0]];
	return n;
}

double net_topology_hops_s(const struct net_topology *topology,
			   const struct cluster_topology *shape, const int links[], int n)
{
	double sum_s = 0;

	if (shape->n_hop_latencies <= 1)
		return (n - 2) * shape->hop_latency_s[0];
	for (int k = 1; k < n - 1; k++)
		sum_s += cluster_hop_latency_s(shape, net_fabric_class_of(topology, links[k]));
	return sum_s;
}

double net_topology_delay_s(const struct net_topology *topology, int source_node, int dest_node)
{
	const struct fabric *fabric = net_fabric_of(topology);
	int *links = fabric->route;
	int n =
	    topology->route(topology, source_node, dest_node, (uint64_t)dest_node, false, links);

	return net_topology_hops_s(topology, fabric->shape, links, n);
}

double net_topology_most_delay_s(const struct cluster *cluster)
{
	const struct cluster_topology *shape = &cluster->network.topology;
	double sum_s = 0;

	for (int k = 0; k < cluster_n_link_classes(shape); k++) {
		int n = 0;

		if (shape->kind == CLUSTER_TOPOLOGY_FAT_TREE)
			n = 2;
		else if (shape->kind == CLUSTER_TOPOLOGY_DRAGONFLY && k == 0)
			n = (shape->routers > 1) * (shape->groups > 1 ? 2 : 1);
		else if (shape->kind == CLUSTER_TOPOLOGY_DRAGONFLY)
			n = shape->groups > 1;
		else if (shape->kind == CLUSTER_TOPOLOGY_GRAPH)
			n = shape->graph->n_hops;
		else
			n = shape->dimensions.at[k] / 2;
		sum_s += n * cluster_hop_latency_s(shape, k);
	}
	return sum_s;
}
