/* SPDX-License-Identifier: BSD-3-Clause */
/* The section network.topology: what each kind needs, and whether its numbers add up. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/graph.h"
#include "cluster/schema.h"

static int read_numbers(struct cluster_numbers *numbers, int n_least, const char *path,
			const struct util_yaml_tree *tree, const struct util_yaml *node,
			struct util_error *err)
{
	double value = 0;
	char found[64];
	int rc = 0;

	if (!node)
		return 0;
	if (node->kind != UTIL_YAML_LIST || node->n_children < n_least ||
	    node->n_children > CLUSTER_MAX_DIMENSIONS)
		return util_yaml_fail(tree, node, err, "%s: found %s, wanted a list of %d to %d",
				      path, util_yaml_found(node, found, sizeof(found)), n_least,
				      CLUSTER_MAX_DIMENSIONS);
	for (const struct util_yaml *size = node->first; size && !rc; size = size->next) {
		rc = cluster_schema_number(tree, size, path, 1, 1e6, &value, err);
		if (!rc && value != floor(value))
			rc = util_yaml_fail(tree, size, err, "%s: found %g, wanted a whole number",
					    path, value);
		numbers->at[numbers->n++] = (int)value;
	}
	return rc;
}

int cluster_read_dimensions(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			    const struct util_yaml *node, struct util_error *err)
{
	return read_numbers(&draft->cluster.network.topology.dimensions, 1,
			    "network.topology.dimensions", tree, node, err);
}

int cluster_read_down(struct cluster_draft *draft, const struct util_yaml_tree *tree,
		      const struct util_yaml *node, struct util_error *err)
{
	return read_numbers(&draft->cluster.network.topology.down, 1, "network.topology.down", tree,
			    node, err);
}

int cluster_read_up(struct cluster_draft *draft, const struct util_yaml_tree *tree,
		    const struct util_yaml *node, struct util_error *err)
{
	return read_numbers(&draft->cluster.network.topology.up, 0, "network.topology.up", tree,
			    node, err);
}

/* One for all classes, or a list of one each. */
static int read_by_class(double out[], int *out_n, const struct cluster_key *key,
			 const struct util_yaml_tree *tree, const struct util_yaml *node,
			 struct util_error *err)
{
	const struct util_yaml *one;
	int rc = 0;

	if (!node)
		return 0;
	if (node->kind == UTIL_YAML_LIST &&
	    (node->n_children < 1 || node->n_children > CLUSTER_MAX_DIMENSIONS))
		return util_yaml_fail(tree, node, err, "%s: found %d values, wanted 1 to %d",
				      key->path, node->n_children, CLUSTER_MAX_DIMENSIONS);
	one = node->kind == UTIL_YAML_LIST ? node->first : node;
	for (; one && !rc; one = node->kind == UTIL_YAML_LIST ? one->next : NULL)
		rc = cluster_schema_value(&out[(*out_n)++], key, tree, one, err);
	return rc;
}

int cluster_read_link_bandwidth(struct cluster_draft *draft, const struct util_yaml_tree *tree,
				const struct util_yaml *node, struct util_error *err)
{
	static const struct cluster_key key = {"network.topology.bandwidth", CLUSTER_KEY_BANDWIDTH,
					       0, 1, INFINITY};
	struct cluster_topology *shape = &draft->cluster.network.topology;

	return read_by_class(shape->bandwidth_Bps, &shape->n_bandwidths, &key, tree, node, err);
}

int cluster_read_hop_latency(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			     const struct util_yaml *node, struct util_error *err)
{
	static const struct cluster_key key = {"network.topology.hop_latency", CLUSTER_KEY_TIME, 0,
					       0, CLUSTER_MAX_TIME_S};
	struct cluster_topology *shape = &draft->cluster.network.topology;

	return read_by_class(shape->hop_latency_s, &shape->n_hop_latencies, &key, tree, node, err);
}

double cluster_hop_latency_s(const struct cluster_topology *shape, int link_class)
{
	return shape->hop_latency_s[shape->n_hop_latencies > 1 ? link_class : 0];
}

int cluster_n_link_classes(const struct cluster_topology *shape)
{
	switch (shape->kind) {
	case CLUSTER_TOPOLOGY_FAT_TREE:
		return shape->up.n;
	case CLUSTER_TOPOLOGY_TORUS:
		return shape->dimensions.n;
	case CLUSTER_TOPOLOGY_DRAGONFLY:
		return 2;
	case CLUSTER_TOPOLOGY_GRAPH:
		return 1;
	default:
		return 0;
	}
}

static double product(const struct cluster_numbers *numbers)
{
	double n = 1;

	for (int k = 0; k < numbers->n; k++)
		n *= numbers->at[k];
	return n;
}

/* The short form: two levels. */
static int complete_leaves(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			   const struct util_yaml *node, struct util_error *err)
{
	struct cluster_topology *shape = &draft->cluster.network.topology;
	int m = draft->nodes_per_leaf, n_nodes = draft->cluster.n_nodes;
	double uplinks = m / draft->taper;

	if (m == 0)
		return util_yaml_fail(tree, node, err,
				      "network.topology: found no nodes_per_leaf, wanted it, or "
				      "down and up, for a fat-tree");
	if (n_nodes % m != 0)
		return util_yaml_fail(tree, util_yaml_at(tree, "network.topology.nodes_per_leaf"),
				      err,
				      "network.topology: found %d nodes_per_leaf, wanted a divisor "
				      "of the cluster's %d nodes",
				      m, n_nodes);
	if (uplinks < 1 || uplinks != floor(uplinks))
		return util_yaml_fail(tree, util_yaml_at(tree, "network.topology.taper"), err,
				      "network.topology: found taper %g, wanted %d ports to the "
				      "nodes over a whole number of ports to the spines",
				      draft->taper, m);
	shape->down = (struct cluster_numbers){2, {m, n_nodes / m}};
	shape->up = (struct cluster_numbers){1, {(int)uplinks}};
	return 0;
}

static int check_tree(struct cluster_draft *draft, const struct util_yaml_tree *tree,
		      const struct util_yaml *node, struct util_error *err)
{
	struct cluster_topology *shape = &draft->cluster.network.topology;

	if (shape->down.n == 0 && shape->up.n == 0)
		return complete_leaves(draft, tree, node, err);
	if (draft->nodes_per_leaf || draft->taper != 1)
		return util_yaml_fail(tree, node, err,
				      "network.topology: found nodes_per_leaf or taper beside down "
				      "and up, wanted one of the two forms");
	if (shape->up.n != shape->down.n - 1)
		return util_yaml_fail(tree, node, err,
				      "network.topology: found %d levels of down and %d of up, "
				      "wanted up for each level but the top",
				      shape->down.n, shape->up.n);
	if (product(&shape->down) != draft->cluster.n_nodes)
		return util_yaml_fail(tree, node, err,
				      "network.topology: found down ports for %g nodes (their "
				      "product), wanted the cluster's %d",
				      product(&shape->down), draft->cluster.n_nodes);
	if (product(&shape->down) * product(&shape->up) > 1e9)
		return util_yaml_fail(tree, node, err,
				      "network.topology: found more than 1e9 links, wanted fewer "
				      "ports");
	return 0;
}

static int check_torus(struct cluster_draft *draft, const struct util_yaml_tree *tree,
		       const struct util_yaml *node, struct util_error *err)
{
	const struct cluster_numbers *dimensions = &draft->cluster.network.topology.dimensions;

	if (product(dimensions) == draft->cluster.n_nodes && dimensions->n > 0)
		return 0;
	return util_yaml_fail(tree, node, err,
			      "network.topology: found dimensions of %g places, wanted the "
			      "cluster's %d nodes",
			      dimensions->n ? product(dimensions) : 0, draft->cluster.n_nodes);
}

static int check_dragonfly(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			   const struct util_yaml *node, struct util_error *err)
{
	const struct cluster_topology *shape = &draft->cluster.network.topology;
	double n_nodes = (double)shape->groups * shape->routers * shape->nodes;
	double global = (double)shape->routers * shape->global_links;

	if (!shape->groups || !shape->routers || !shape->nodes ||
	    (!shape->global_links && shape->groups > 1))
		return util_yaml_fail(tree, node, err,
				      "network.topology: found %d groups, %d routers, %d "
				      "nodes_per_router, %d global_links, wanted each: routers of "
				      "a group, global links of a router",
				      shape->groups, shape->routers, shape->nodes,
				      shape->global_links);
	if (n_nodes != draft->cluster.n_nodes)
		return util_yaml_fail(tree, node, err,
				      "network.topology: found %d groups x %d routers x %d nodes = "
				      "%g, wanted the cluster's %d nodes",
				      shape->groups, shape->routers, shape->nodes, n_nodes,
				      draft->cluster.n_nodes);
	if (global < shape->groups - 1)
		return util_yaml_fail(tree, node, err,
				      "network.topology: found %g global links of a group, wanted "
				      "one to each of the %d others",
				      global, shape->groups - 1);
	if (n_nodes / shape->nodes * (shape->routers + shape->global_links) > 1e9)
		return util_yaml_fail(tree, node, err,
				      "network.topology: found more than 1e9 links, wanted fewer "
				      "ports");
	return 0;
}

/* A file's name is relative to the folder of the cluster file. */
static int read_graph(struct cluster_draft *draft, const struct util_yaml_tree *tree,
		      const struct util_yaml *node, struct util_error *err)
{
	struct cluster_topology *shape = &draft->cluster.network.topology;
	const char *slash = strrchr(tree->name, '/');
	int length = slash ? (int)(slash + 1 - tree->name) : 0;
	char *path;
	int rc;

	if (!shape->file)
		return util_yaml_fail(tree, node, err,
				      "network.topology: found no file, wanted that of the graph");
	path = malloc((size_t)length + strlen(shape->file) + 1);
	if (!path)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	sprintf(path, "%.*s%s", shape->file[0] == '/' ? 0 : length, tree->name, shape->file);
	rc = cluster_graph_read(path, draft->cluster.n_nodes, &shape->graph, err);
	free(path);
	return rc;
}

/* Which keys belong to which kind. */
static const struct {
	const char *key;
	enum cluster_topology_kind kind;
} owned[] = {
    {"nodes_per_leaf", CLUSTER_TOPOLOGY_FAT_TREE}, {"taper", CLUSTER_TOPOLOGY_FAT_TREE},
    {"down", CLUSTER_TOPOLOGY_FAT_TREE},	   {"up", CLUSTER_TOPOLOGY_FAT_TREE},
    {"dimensions", CLUSTER_TOPOLOGY_TORUS},	   {"groups", CLUSTER_TOPOLOGY_DRAGONFLY},
    {"routers", CLUSTER_TOPOLOGY_DRAGONFLY},	   {"nodes_per_router", CLUSTER_TOPOLOGY_DRAGONFLY},
    {"global_links", CLUSTER_TOPOLOGY_DRAGONFLY},  {"file", CLUSTER_TOPOLOGY_GRAPH},
};
static const char *const kind_names[] = {"star", "fat-tree", "torus", "dragonfly", "graph"};

static int check_kind(enum cluster_topology_kind kind, const struct util_yaml_tree *tree,
		      struct util_error *err)
{
	static const char *const of_all[] = {"routing", "hop_latency", "bandwidth", "duplex",
					     "scale",	"load",	       "links"};
	char path[64];

	for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
		const struct util_yaml *node;

		snprintf(path, sizeof path, "network.topology.%s", owned[i].key);
		node = util_yaml_at(tree, path);
		if (node && owned[i].kind != kind)
			return util_yaml_fail(tree, node, err,
					      "%s: found kind: %s, wanted kind: %s beside it", path,
					      kind_names[kind], kind_names[owned[i].kind]);
	}
	for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++) {
		snprintf(path, sizeof path, "network.topology.%s", of_all[i]);
		if (kind == CLUSTER_TOPOLOGY_STAR && util_yaml_at(tree, path))
			return util_yaml_fail(tree, util_yaml_at(tree, path), err,
					      "%s: found kind: star, which has no links between "
					      "switches, wanted another kind beside it",
					      path);
	}
	return 0;
}

static int check_routing(const struct cluster_topology *shape, const struct util_yaml_tree *tree,
			 struct util_error *err)
{
	static const char *const wanted[] = {
	    [CLUSTER_TOPOLOGY_FAT_TREE] = "deterministic, ecmp or adaptive",
	    [CLUSTER_TOPOLOGY_TORUS] = "deterministic",
	    [CLUSTER_TOPOLOGY_DRAGONFLY] = "deterministic, adaptive or valiant",
	    [CLUSTER_TOPOLOGY_GRAPH] = "deterministic, ecmp or adaptive",
	};
	static const char *const names[] = {"deterministic", "ecmp", "adaptive", "valiant"};
	static const bool is_known[][4] = {
	    [CLUSTER_TOPOLOGY_STAR] = {true},
	    [CLUSTER_TOPOLOGY_FAT_TREE] = {true, true, true, false},
	    [CLUSTER_TOPOLOGY_TORUS] = {true},
	    [CLUSTER_TOPOLOGY_DRAGONFLY] = {true, false, true, true},
	    [CLUSTER_TOPOLOGY_GRAPH] = {true, true, true, false},
	};

	if (is_known[shape->kind][shape->routing])
		return 0;
	return util_yaml_fail(tree, util_yaml_at(tree, "network.topology.routing"), err,
			      "network.topology.routing: found %s, wanted %s for a %s",
			      names[shape->routing], wanted[shape->kind], kind_names[shape->kind]);
}

static int check_classes(const struct cluster_topology *shape, const struct util_yaml_tree *tree,
			 struct util_error *err)
{
	const char *path = "network.topology.bandwidth";
	int n_classes = cluster_n_link_classes(shape), n = shape->n_bandwidths;

	if (n <= 1 || n == n_classes) {
		path = "network.topology.hop_latency";
		n = shape->n_hop_latencies;
	}
	if (n <= 1 || n == n_classes)
		return 0;
	return util_yaml_fail(tree, util_yaml_at(tree, path), err,
			      "%s: found %d values, wanted one, or one of each of %d classes of "
			      "links",
			      path, n, n_classes);
}

int cluster_check_topology(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			   const struct util_yaml *node, struct util_error *err)
{
	static int (*const checks[])(struct cluster_draft *, const struct util_yaml_tree *,
				     const struct util_yaml *, struct util_error *) = {
	    [CLUSTER_TOPOLOGY_FAT_TREE] = check_tree,
	    [CLUSTER_TOPOLOGY_TORUS] = check_torus,
	    [CLUSTER_TOPOLOGY_DRAGONFLY] = check_dragonfly,
	    [CLUSTER_TOPOLOGY_GRAPH] = read_graph,
	};
	struct cluster_network *network = &draft->cluster.network;
	enum cluster_topology_kind kind = network->topology.kind;
	int rc = check_kind(kind, tree, err);

	network->message_s = 1 / draft->message_rate;
	if (!rc && (network->n_nics > 1 || network->message_s > 0) &&
	    (network->packet_payload_B > 0 || network->model == CLUSTER_NETWORK_THESIS))
		return util_yaml_fail(
		    tree, util_yaml_at(tree, "network"), err,
		    "network: found nics or message_rate beside packets or model: "
		    "thesis, wanted a fluid");

	if (!rc)
		rc = check_routing(&network->topology, tree, err);
	if (rc || kind == CLUSTER_TOPOLOGY_STAR)
		return rc;
	if (network->packet_payload_B > 0 || network->model == CLUSTER_NETWORK_THESIS)
		return util_yaml_fail(tree, node, err,
				      "network.topology: found packets or model: thesis beside it, "
				      "wanted a fluid: they know the star only");
	rc = checks[kind](draft, tree, node, err);
	return rc ? rc : check_classes(&network->topology, tree, err);
}
