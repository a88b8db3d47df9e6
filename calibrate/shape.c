/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict.h"

#include <stdio.h>
#include <string.h>

#include "util/units.h"
#include "util/yaml.h"

/* A file that is wrong is refused by the simulator, in better words. */
static int number_at(const struct util_yaml_tree *tree, const char *path)
{
	const struct util_yaml *node = util_yaml_at(tree, path);
	struct util_error err;
	int64_t n = 1;

	if (!node || node->kind != UTIL_YAML_SCALAR ||
	    util_parse_int(node->text, 1, 1000000, &n, &err))
		return 1;
	return (int)n;
}

int shape_read(struct shape *shape, const char *known, const char *name, struct util_error *err)
{
	static const char *const levels[] = {"levels", "latency", "bandwidth", "segments"};
	struct util_yaml_tree tree = {0};
	int failed = util_yaml_parse(&tree, name, known, strlen(known), err);

	*shape = (struct shape){0};
	if (!failed) {
		int sockets = number_at(&tree, "cores.sockets"),
		    domains = number_at(&tree, "cores.domains");

		shape->n_nodes = number_at(&tree, "nodes");
		shape->is_block = util_yaml_at(&tree, "cores.per_domain") != NULL;
		shape->per_domain =
		    number_at(&tree, shape->is_block ? "cores.per_domain" : "cores");
		shape->n_cores = sockets * domains * shape->per_domain;
		shape->has_sockets = sockets > 1;
		shape->has_domains = domains > 1;
		shape->knows_topology = util_yaml_at(&tree, "network.topology") != NULL;
		for (int k = 0; k < 4; k++) {
			char path[64];

			snprintf(path, sizeof(path), "network.intra_node.%s", levels[k]);
			shape->knows_levels |= util_yaml_at(&tree, path) != NULL;
		}
	}
	util_yaml_finish(&tree);
	return failed;
}

bool shape_has(const struct shape *shape, enum place place, int n_ranks)
{
	int n_pairs = n_ranks / 2;

	switch (place) {
	case PLACE_DOMAIN:
		return n_ranks <= shape->per_domain;
	case PLACE_SOCKET:
		return shape->has_domains && n_pairs <= shape->per_domain;
	case PLACE_NODE:
		return shape->has_sockets && n_pairs <= shape->per_domain;
	case PLACE_NODES:
		return shape->n_nodes > 1 && n_pairs <= shape->n_cores;
	case PLACE_ACROSS:
		return shape->n_nodes >= 4 && n_ranks <= shape->n_nodes;
	default:
		return true;
	}
}
