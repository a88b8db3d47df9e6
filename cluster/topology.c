/* SPDX-License-Identifier: BSD-3-Clause */
/* The section network.topology: what it needs, and whether its numbers add up. */
#include <math.h>

#include "cluster/schema.h"

int cluster_read_dimensions(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			    const struct util_yaml *node, struct util_error *err)
{
	static const char path[] = "network.topology.dimensions";
	struct cluster_topology *shape = &draft->cluster.network.topology;
	double value = 0;
	char found[64];
	int rc = 0;

	if (!node)
		return 0;
	if (node->kind != UTIL_YAML_LIST || node->n_children < 1 ||
	    node->n_children > CLUSTER_MAX_DIMENSIONS)
		return util_yaml_fail(tree, node, err, "%s: found %s, wanted a list of 1 to %d",
				      path, util_yaml_found(node, found, sizeof(found)),
				      CLUSTER_MAX_DIMENSIONS);
	for (const struct util_yaml *size = node->first; size && !rc; size = size->next) {
		rc = cluster_schema_number(tree, size, path, 1, 1e6, &value, err);
		if (!rc && value != floor(value))
			rc = util_yaml_fail(tree, size, err, "%s: found %g, wanted a whole number",
					    path, value);
		shape->dimensions[shape->n_dimensions++] = (int)value;
	}
	return rc;
}

static int check_tree(struct cluster_draft *draft, const struct util_yaml_tree *tree,
		      const struct util_yaml *node, struct util_error *err)
{
	struct cluster_topology *shape = &draft->cluster.network.topology;
	int m = shape->nodes_per_leaf, n_nodes = draft->cluster.n_nodes;
	double uplinks = m / draft->taper;

	if (m == 0)
		return util_yaml_fail(tree, node, err,
				      "network.topology: found no nodes_per_leaf, wanted it for a "
				      "fat-tree");
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
	shape->uplinks = (int)uplinks;
	return 0;
}

static int check_torus(struct cluster_draft *draft, const struct util_yaml_tree *tree,
		       const struct util_yaml *node, struct util_error *err)
{
	const struct cluster_topology *shape = &draft->cluster.network.topology;
	double n = 1;

	for (int k = 0; k < shape->n_dimensions; k++)
		n *= shape->dimensions[k];
	if (n == draft->cluster.n_nodes && shape->n_dimensions > 0)
		return 0;
	return util_yaml_fail(tree, node, err,
			      "network.topology: found dimensions of %g places, wanted the "
			      "cluster's %d nodes",
			      shape->n_dimensions ? n : 0, draft->cluster.n_nodes);
}

int cluster_check_topology(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			   const struct util_yaml *node, struct util_error *err)
{
	const struct cluster_network *network = &draft->cluster.network;
	enum cluster_topology_kind kind = network->topology.kind;
	bool has_tree = network->topology.nodes_per_leaf > 0 || draft->taper != 1;

	if (has_tree && kind != CLUSTER_TOPOLOGY_FAT_TREE)
		return util_yaml_fail(tree, node, err,
				      "network.topology: found nodes_per_leaf or taper, wanted "
				      "kind: fat-tree beside them");
	if (network->topology.n_dimensions > 0 && kind != CLUSTER_TOPOLOGY_TORUS)
		return util_yaml_fail(tree, node, err,
				      "network.topology: found dimensions, wanted kind: torus "
				      "beside them");
	if (kind == CLUSTER_TOPOLOGY_STAR)
		return 0;
	if (network->packet_payload_B > 0 || network->model == CLUSTER_NETWORK_THESIS)
		return util_yaml_fail(tree, node, err,
				      "network.topology: found packets or model: thesis beside it, "
				      "wanted a fluid: they know the star only");
	return kind == CLUSTER_TOPOLOGY_TORUS ? check_torus(draft, tree, node, err)
					      : check_tree(draft, tree, node, err);
}
