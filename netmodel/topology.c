/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes of the fabrics that a cluster file describes, computed and not stored. n nodes; links
 * between switches are numbered from 2 n on, class by class (netmodel/route.h).
 *
 * Fat tree (extended generalized fat tree: S. R. Öhring et al., On Generalized Fat Trees, 1995).
 * Switches of level l have down[l] ports to level l - 1 and up[l] to level l + 1; level 0 are the
 * leaves. W(l) is the product of up[0 … l - 1], D(l) that of down[0 … l]. A switch of level l is
 * (A, B): the nodes d with d / D(l) = A are below it, and B < W(l) tells its equals apart. Port q
 * leads up to (A / down[l + 1], B + W(l) q). A route goes up to the lowest level that is common
 * to both nodes by the ports q = choice / W(l) mod up[l], and down by the same. With the destination as
 * its choice (d-mod-k: E. Zahavi, D-Mod-K Routing Providing Non-Blocking Traffic for Shift
 * Permutations on Real Life Fat Trees, 2010) all messages to a node come down one way.
 * Class l: link (A W(l) + B) up[l] + q up, then as many down.
 *
 * Torus: a router for each node. Dimensions in order, the shorter way round, forth where both are as
 * long. Class k, a dimension: link 2 r + 0 (forth) or 1 (back) of router r.
 *
 * Dragonfly (J. Kim et al., Technology-Driven, Highly-Scalable Dragonfly Topology, 2008): g groups
 * of a routers, all connected within a group, with p nodes and h global links each. Global port
 * j < a h of a group leads to the group 1 + j mod (g - 1) further; its other end is the port of
 * that group with the same j / (g - 1). What does not go up in g - 1 stays unused: u of them are in use. Minimal: local,
 * global, local. Detour (Valiant): minimal to a group that `choice` names, and on from there.
 * Class 0: link (a - 1) r + i of router r to the i-th other router of its group; class 1: u G + port of
 * group G.
 */
#include <stdio.h>

#include "netmodel/fabric.h"

/* --- fat tree --- */

/* Up-links of level l: half of its class. */
static int n_up(const struct net_topology *topology, int l)
{
	return (topology->class_begin[l + 1] - topology->class_begin[l]) / 2;
}

static int route_in_tree(const struct net_topology *topology, int source, int dest, uint64_t choice,
			 bool is_detour, int links[])
{
	const struct fabric *fabric = net_fabric_of(topology);
	const struct cluster_topology *shape = fabric->shape;
	int down[CLUSTER_MAX_DIMENSIONS], n = 0, n_down = 0, width = 1, place = 0;
	int from = source / shape->down.at[0], to = dest / shape->down.at[0];

	links[n++] = source;
	for (int l = 0; from != to; l++) {
		int n_ports = shape->up.at[l];
		int q = (int)(choice / (uint64_t)width % (uint64_t)n_ports);

		links[n++] = topology->class_begin[l] + (from * width + place) * n_ports + q;
		down[n_down++] = topology->class_begin[l] + n_up(topology, l) +
				 (to * width + place) * n_ports + q;
		place += width * q;
		width *= n_ports;
		from /= shape->down.at[l + 1];
		to /= shape->down.at[l + 1];
	}
	while (n_down > 0)
		links[n++] = down[--n_down];
	links[n++] = fabric->n_nodes + dest;
	return n;
}

/* The first switch of level l. */
static int first_switch(const struct fabric *fabric, int l)
{
	const struct cluster_topology *shape = fabric->shape;
	int first = fabric->n_nodes, n_below = 1, width = 1;

	for (int k = 0; k < l; k++) {
		n_below *= shape->down.at[k];
		first += fabric->n_nodes / n_below * width;
		width *= shape->up.at[k];
	}
	return first;
}

static void ends_in_tree(const struct net_topology *topology, int link, int ends[2])
{
	const struct fabric *fabric = net_fabric_of(topology);
	const struct cluster_topology *shape = fabric->shape;
	int l = net_fabric_class_of(topology, link), n_links = n_up(topology, l),
	    n_ports = shape->up.at[l];
	int at = link - topology->class_begin[l], width = 1, q = at % n_ports, is_down, lower;

	for (int k = 0; k < l; k++)
		width *= shape->up.at[k];
	is_down = at >= n_links;
	lower = at % n_links / n_ports;
	ends[is_down] = first_switch(fabric, l) + lower;
	ends[!is_down] = first_switch(fabric, l + 1) +
			 lower / width / shape->down.at[l + 1] * width * n_ports + lower % width +
			 width * q;
}

static void name_in_tree(const struct net_topology *topology, int link, char *out, size_t size)
{
	int l = net_fabric_class_of(topology, link), at, n_ports;

	at = (link - topology->class_begin[l]) % n_up(topology, l);
	n_ports = net_fabric_of(topology)->shape->up.at[l];
	snprintf(out, size, "level %d, switch %d, %s port %d", l + 1, at / n_ports,
		 link - topology->class_begin[l] < n_up(topology, l) ? "to" : "from", at % n_ports);
}

static void name_level(const struct net_topology *topology, int level, char *out, size_t size)
{
	snprintf(out, size, "level %d", level + 1);
}

void net_fabric_set_up_tree(struct fabric *fabric)
{
	const struct cluster_topology *shape = fabric->shape;
	struct net_topology *topology = &fabric->topology;
	int n_below = 1, width = 1;

	topology->route = route_in_tree;
	topology->ends = ends_in_tree;
	topology->name_class = name_level;
	topology->name = name_in_tree;
	topology->n_switches = first_switch(fabric, shape->down.n) - fabric->n_nodes;
	topology->n_classes = shape->up.n;
	topology->longest = 2 + 2 * shape->up.n;
	for (int l = 0; l < shape->up.n; l++) {
		n_below *= shape->down.at[l];
		width *= shape->up.at[l];
		topology->class_begin[l + 1] =
		    topology->class_begin[l] + 2 * (fabric->n_nodes / n_below) * width;
	}
}

/* --- torus --- */

static int route_in_torus(const struct net_topology *topology, int source, int dest,
			  uint64_t choice, bool is_detour, int links[])
{
	const struct fabric *fabric = net_fabric_of(topology);
	const struct cluster_numbers *sizes = &fabric->shape->dimensions;
	int at = source, stride = 1, n = 0;

	links[n++] = source;
	for (int k = 0; k < sizes->n; stride *= sizes->at[k++]) {
		int size = sizes->at[k], place = at / stride % size;
		int forth = (dest / stride % size - place + size) % size;
		int is_back = 2 * forth > size, steps = is_back ? size - forth : forth;

		for (; steps > 0; steps--) {
			int next = (place + (is_back ? size - 1 : 1)) % size;

			links[n++] = topology->class_begin[k] + 2 * at + is_back;
			at += (next - place) * stride;
			place = next;
		}
	}
	links[n++] = fabric->n_nodes + dest;
	return n;
}

static void ends_in_torus(const struct net_topology *topology, int link, int ends[2])
{
	const struct fabric *fabric = net_fabric_of(topology);
	const struct cluster_numbers *sizes = &fabric->shape->dimensions;
	int k = net_fabric_class_of(topology, link), at = link - topology->class_begin[k],
	    stride = 1;
	int router = at / 2, place;

	for (int i = 0; i < k; i++)
		stride *= sizes->at[i];
	place = router / stride % sizes->at[k];
	ends[0] = fabric->n_nodes + router;
	ends[1] = ends[0] - place * stride +
		  (place + (at % 2 ? sizes->at[k] - 1 : 1)) % sizes->at[k] * stride;
}

static void name_in_torus(const struct net_topology *topology, int link, char *out, size_t size)
{
	int k = net_fabric_class_of(topology, link), at = link - topology->class_begin[k];

	snprintf(out, size, "dimension %d, router %d, %s", k, at / 2, at % 2 ? "back" : "forth");
}

static void name_dimension(const struct net_topology *topology, int k, char *out, size_t size)
{
	snprintf(out, size, "dimension %d", k);
}

void net_fabric_set_up_torus(struct fabric *fabric)
{
	const struct cluster_numbers *sizes = &fabric->shape->dimensions;
	struct net_topology *topology = &fabric->topology;

	topology->route = route_in_torus;
	topology->ends = ends_in_torus;
	topology->name_class = name_dimension;
	topology->name = name_in_torus;
	topology->n_switches = fabric->n_nodes;
	topology->n_classes = sizes->n;
	topology->longest = 3;
	for (int k = 0; k < sizes->n; k++) {
		topology->longest += sizes->at[k] / 2;
		topology->class_begin[k + 1] =
		    topology->class_begin[k] + (sizes->at[k] > 1 ? 2 * fabric->n_nodes : 0);
	}
}

/* --- dragonfly --- */

/* Global ports of a group that are in use. */
static int n_used(const struct cluster_topology *shape)
{
	int others = shape->groups - 1;

	return others > 0 ? shape->routers * shape->global_links / others * others : 0;
}

static int local_link(const struct net_topology *topology, int router, int other)
{
	int a = net_fabric_of(topology)->shape->routers;

	return topology->class_begin[0] + router * (a - 1) + other % a - (other > router);
}

/* From a router into another group by one of the links to it; *router: where it arrives. */
static int enter_group(const struct net_topology *topology, int *router, int group, uint64_t choice,
		       int links[])
{
	const struct cluster_topology *shape = net_fabric_of(topology)->shape;
	int a = shape->routers, h = shape->global_links, others = shape->groups - 1;
	int offset = (group - *router / a + shape->groups) % shape->groups, n = 0;
	int copy = (int)(choice % (uint64_t)(a * h / others)) * others;
	int port = copy + offset - 1, other_port = copy + others - offset;
	int gateway = *router / a * a + port / h;

	if (*router != gateway)
		links[n++] = local_link(topology, *router, gateway);
	links[n++] = topology->class_begin[1] + *router / a * n_used(shape) + port;
	*router = group * a + other_port / h;
	return n;
}

static int route_in_dragonfly(const struct net_topology *topology, int source, int dest,
			      uint64_t choice, bool is_detour, int links[])
{
	const struct fabric *fabric = net_fabric_of(topology);
	const struct cluster_topology *shape = fabric->shape;
	int router = source / shape->nodes, last = dest / shape->nodes, a = shape->routers, n = 0;
	int from = router / a, to = last / a;

	links[n++] = source;
	if (from != to && is_detour && shape->groups > 2) {
		int by = (int)(choice % (uint64_t)(shape->groups - 2));

		/* the by-th of the groups but these two */
		by += by >= (from < to ? from : to);
		by += by >= (from < to ? to : from);
		choice /= (uint64_t)(shape->groups - 2);
		n += enter_group(topology, &router, by, choice, links + n);
	}
	if (from != to)
		n += enter_group(topology, &router, to, choice, links + n);
	if (router != last)
		links[n++] = local_link(topology, router, last);
	links[n++] = fabric->n_nodes + dest;
	return n;
}

static void ends_in_dragonfly(const struct net_topology *topology, int link, int ends[2])
{
	const struct fabric *fabric = net_fabric_of(topology);
	const struct cluster_topology *shape = fabric->shape;
	int a = shape->routers, h = shape->global_links, g = shape->groups;
	int at = link - topology->class_begin[0], router = at / (a > 1 ? a - 1 : 1), offset, port;

	if (link < topology->class_begin[1]) {
		ends[1] = at % (a - 1);
		ends[1] += fabric->n_nodes + router / a * a + (ends[1] >= router % a);
		ends[0] = fabric->n_nodes + router;
		return;
	}
	at = link - topology->class_begin[1];
	port = at % n_used(shape);
	offset = 1 + port % (g - 1);
	ends[0] = fabric->n_nodes + at / n_used(shape) * a + port / h;
	ends[1] = fabric->n_nodes + (at / n_used(shape) + offset) % g * a +
		  (port / (g - 1) * (g - 1) + g - 1 - offset) / h;
}

static void name_in_dragonfly(const struct net_topology *topology, int link, char *out, size_t size)
{
	int a = net_fabric_of(topology)->shape->routers, n = net_fabric_of(topology)->n_nodes,
	    ends[2];

	ends_in_dragonfly(topology, link, ends);
	snprintf(out, size, "group %d, router %d to group %d, router %d", (ends[0] - n) / a,
		 (ends[0] - n) % a, (ends[1] - n) / a, (ends[1] - n) % a);
}

static void name_reach(const struct net_topology *topology, int k, char *out, size_t size)
{
	snprintf(out, size, k == 0 ? "within groups" : "between groups");
}

void net_fabric_set_up_dragonfly(struct fabric *fabric)
{
	const struct cluster_topology *shape = fabric->shape;
	struct net_topology *topology = &fabric->topology;
	int n_routers = shape->groups * shape->routers;

	topology->route = route_in_dragonfly;
	topology->ends = ends_in_dragonfly;
	topology->name_class = name_reach;
	topology->name = name_in_dragonfly;
	topology->n_switches = n_routers;
	topology->n_classes = 2;
	topology->longest = 7;
	topology->has_detours = true;
	topology->class_begin[1] = topology->class_begin[0] + n_routers * (shape->routers - 1);
	topology->class_begin[2] = topology->class_begin[1] + shape->groups * n_used(shape);
}
