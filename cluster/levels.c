/* SPDX-License-Identifier: BSD-3-Clause */
#include "cluster/levels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cluster/schema.h"

#define MAX_TIME_S 1e6
#define MAX_MEMORY 4096

int cluster_n_domains(const struct cluster *cluster)
{
	const struct cluster_cores *levels = &cluster->levels;

	return levels->per_domain ? levels->sockets * levels->domains : 1;
}

int cluster_domain_of(const struct cluster *cluster, int core)
{
	return cluster->levels.per_domain ? core / cluster->levels.per_domain : 0;
}

int cluster_n_levels(const struct cluster *cluster)
{
	return 1 + (cluster->levels.domains > 1) + (cluster->levels.sockets > 1);
}

int cluster_level_of(const struct cluster *cluster, int core, int other)
{
	int a = cluster_domain_of(cluster, core), b = cluster_domain_of(cluster, other);

	if (a == b)
		return 0;
	return a / cluster->levels.domains == b / cluster->levels.domains
		   ? 1
		   : cluster_n_levels(cluster) - 1;
}

int cluster_core_of(const struct cluster *cluster, int n, int n_cores)
{
	const struct cluster_cores *levels = &cluster->levels;
	int size = levels->bind == CLUSTER_BIND_DOMAINS	  ? levels->per_domain
		   : levels->bind == CLUSTER_BIND_SOCKETS ? levels->domains * levels->per_domain
							  : cluster->cores;
	int n_units = cluster->cores / size;

	if (n_cores > size)
		return (int)((int64_t)n * n_cores % cluster->cores);
	return n % n_units * size + (int)((int64_t)(n / n_units) * n_cores % size);
}

double cluster_memory(const struct cluster *cluster, int n)
{
	const struct cluster_cores *levels = &cluster->levels;

	if (levels->n_memory == 0)
		return INFINITY;
	return levels->memory_Bps[(n < levels->n_memory ? n : levels->n_memory) - 1];
}

bool cluster_shares_memory(const struct cluster *cluster)
{
	return cluster->network.intra_copies > 0 || cluster->levels.n_memory > 0;
}

bool cluster_has_levels(const struct cluster *cluster)
{
	return cluster->network.n_intra_levels > 0 || cluster->network.intra_copies > 0;
}

int cluster_complete_cores(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			   const struct util_yaml *node, struct util_error *err)
{
	struct cluster_cores *levels = &draft->cluster.levels;

	if (!node || node->kind != UTIL_YAML_MAP)
		return 0;
	if (levels->per_domain == 0)
		return util_yaml_fail(
		    tree, node, err,
		    "cores: found no per_domain, wanted the cores of a domain, as "
		    "in {sockets: 2, domains: 4, per_domain: 16}");
	draft->cluster.cores = levels->sockets * levels->domains * levels->per_domain;
	if (levels->computation_Bps > 0 && levels->n_memory == 0)
		return util_yaml_fail(tree, node, err,
				      "cores: found computation without memory, wanted the "
				      "bandwidth of a domain's memory, too");
	return 0;
}

/* "51 GB/s": whoever draws; "[13 GB/s, 25 GB/s]": while 1, 2, … do. */
int cluster_read_memory(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			const struct util_yaml *node, struct util_error *err)
{
	static const struct cluster_key key = {"cores.memory", CLUSTER_KEY_BANDWIDTH, .min = 1,
					       .max = INFINITY};
	struct cluster_cores *levels = &draft->cluster.levels;
	bool is_list = node && node->kind == UTIL_YAML_LIST;
	const struct util_yaml *value = is_list ? node->first : node;
	int n = is_list ? node->n_children : 1, rc = 0;

	if (!node)
		return 0;
	if (n < 1 || n > MAX_MEMORY)
		return util_yaml_fail(tree, node, err,
				      "cores.memory: found %d bandwidths, wanted 1 to %d", n,
				      MAX_MEMORY);
	levels->memory_Bps = calloc((size_t)n, sizeof *levels->memory_Bps);
	if (!levels->memory_Bps)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for cores.memory");
	levels->n_memory = n;
	for (int k = 0; k < n && !rc; k++, value = value->next)
		rc = cluster_schema_value(&levels->memory_Bps[k], &key, tree, value, err);
	return rc;
}

int cluster_read_intra_levels(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			      const struct util_yaml *node, struct util_error *err)
{
	static const struct cluster_key keys[] = {
	    {"levels.latency", CLUSTER_KEY_TIME,
	     .target = offsetof(struct cluster_level, latency_s), 0, MAX_TIME_S},
	    {"levels.bandwidth", CLUSTER_KEY_BANDWIDTH,
	     .target = offsetof(struct cluster_level, bandwidth_Bps), 1, INFINITY},
	};
	static const char *const excluded[] = {"latency", "bandwidth", "segments"};
	struct cluster_network *network = &draft->cluster.network;
	int n_levels = cluster_n_levels(&draft->cluster), rc = 0;
	char path[64], found[64];

	if (!node)
		return 0;
	for (size_t i = 0; i < sizeof excluded / sizeof *excluded; i++) {
		snprintf(path, sizeof path, "network.intra_node.%s", excluded[i]);
		if (util_yaml_at(tree, path))
			return util_yaml_fail(
			    tree, node, err,
			    "network.intra_node.levels: found %s beside it, wanted "
			    "one of the two",
			    excluded[i]);
	}
	if (node->kind != UTIL_YAML_LIST || node->n_children != n_levels)
		return util_yaml_fail(
		    tree, node, err,
		    "network.intra_node.levels: found %s of %d, wanted a list of %d: ranks of one "
		    "domain, of one socket, of the node, as far as `cores` has several",
		    util_yaml_found(node, found, sizeof found), node->n_children, n_levels);
	for (const struct util_yaml *entry = node->first; entry && !rc; entry = entry->next)
		rc = cluster_schema_entry(tree, entry, keys, 2,
					  &network->intra_levels[network->n_intra_levels++], err);
	return rc;
}

/* Beside a domain's memory the speed c of each of n computations says what they draw: n of them all that
 * there is, M(n) = n d c. */
static int take_contention(struct cluster *cluster, const struct util_yaml_tree *tree,
			   struct util_error *err)
{
	struct cluster_cores *levels = &cluster->levels;
	int n = cluster->cpu.n_contention;

	if (levels->n_memory == 0 || !cluster->cpu.contention)
		return 0;
	if (levels->computation_Bps > 0 || n > levels->per_domain)
		return util_yaml_fail(
		    tree, util_yaml_at(tree, "cpu.contention"), err,
		    "cpu.contention: found it beside cores.computation, or for more "
		    "cores than a domain has, wanted what one domain's computation "
		    "draws of its cores.memory once");
	if (isfinite(cluster_memory(cluster, n)))
		levels->computation_Bps =
		    cluster_memory(cluster, n) / n / cluster->cpu.contention[n - 1];
	free(cluster->cpu.contention);
	cluster->cpu.contention = NULL;
	cluster->cpu.n_contention = 0;
	return 0;
}

int cluster_check_memory(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			 const struct util_yaml *node, struct util_error *err)
{
	struct cluster *cluster = &draft->cluster;
	const char *excluded = cluster->network.model == CLUSTER_NETWORK_THESIS
				   ? "network.model: thesis"
			       : cluster->cpu.speed_changes.n > 0 ? "cpu.speed_changes"
								  : NULL;

	if (cluster_shares_memory(cluster) && excluded)
		return util_yaml_fail(
		    tree, util_yaml_at(tree, node ? "network.intra_node" : "cores"), err,
		    "found %s beside cores.memory or network.intra_node.copies, wanted one of the "
		    "two",
		    excluded);
	return take_contention(cluster, tree, err);
}
