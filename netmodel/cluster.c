/* SPDX-License-Identifier: BSD-3-Clause */
#include "netmodel/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netmodel/schema.h"
#include "netmodel/yamltree.h"

static void finish_cluster(struct net_cluster *cluster)
{
	free(cluster->name);
	free(cluster->node_speed);
	free(cluster->speed_changes.list);
	free(cluster->contention);
	free(cluster->cpu_cost.fraction);
	free(cluster->segments.list);
	free(cluster->intra_segments.list);
	free(cluster->sharing_efficiency.fraction);
	free(cluster->send_buffers.list);
	free(cluster->unattended_sends.list);
	free(cluster->uncertainties.list);
	for (int i = 0; i < NET_N_COLLECTIVES; i++)
		free(cluster->coll_algorithms[i]);
	free(cluster->placement);
	free(cluster->spawn_placement);
}

void net_draft_finish(struct net_draft *draft)
{
	finish_cluster(&draft->cluster);
}

void net_cluster_destroy(struct net_cluster *cluster)
{
	if (!cluster)
		return;
	finish_cluster(cluster);
	free(cluster);
}

static int read_tree(const struct net_yaml_tree *tree, struct net_cluster **out,
		     struct util_error *err)
{
	struct net_draft draft = {0};
	struct net_cluster *cluster;
	int rc = net_schema_check(tree, err);

	if (!rc)
		rc = net_schema_read(&draft, tree, err);
	if (!rc) {
		cluster = malloc(sizeof(*cluster));
		if (cluster) {
			*cluster = draft.cluster;
			*out = cluster;
			return 0;
		}
		rc = util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	net_draft_finish(&draft);
	return rc;
}

static int parse_with(const char *name, const char *text, size_t length_B, int n_overrides,
		      const char *const overrides[], struct net_cluster **out,
		      struct util_error *err)
{
	struct net_yaml_tree tree;
	int rc = net_yaml_parse(&tree, name, text, length_B, err);

	for (int i = 0; i < n_overrides && !rc; i++)
		rc = net_yaml_override(&tree, overrides[i], err);
	if (!rc)
		rc = read_tree(&tree, out, err);
	net_yaml_finish(&tree);
	return rc;
}

int net_cluster_parse(const char *name, const char *text, size_t length_B, struct net_cluster **out,
		      struct util_error *err)
{
	return parse_with(name, text, length_B, 0, NULL, out, err);
}

int net_cluster_parse_with(const char *name, const char *text, size_t length_B, int n_overrides,
			   const char *const overrides[], struct net_cluster **out,
			   struct util_error *err)
{
	return parse_with(name, text, length_B, n_overrides, overrides, out, err);
}

int net_cluster_load(const char *path, struct net_cluster **out, struct util_error *err)
{
	return net_cluster_load_with(path, 0, NULL, out, err);
}

int net_cluster_load_with(const char *path, int n_overrides, const char *const overrides[],
			  struct net_cluster **out, struct util_error *err)
{
	char *text = NULL;
	size_t length_B = 0;
	int rc = net_yaml_read_file(path, "the cluster file", &text, &length_B, err);

	if (!rc)
		rc = parse_with(path, text, length_B, n_overrides, overrides, out, err);
	free(text);
	return rc;
}

static int64_t buffer_from(const struct net_send_buffers *buffers, int64_t from_B)
{
	int64_t result = -1;

	for (int i = 0; i < buffers->n && buffers->list[i].from_B <= from_B; i++)
		result = buffers->list[i].size_B;
	return result;
}

int64_t net_cluster_send_buffer(const struct net_cluster *cluster, int64_t size_B)
{
	return buffer_from(&cluster->send_buffers, size_B);
}

int64_t net_cluster_unattended_send(const struct net_cluster *cluster, int64_t carried_B)
{
	return buffer_from(&cluster->unattended_sends, carried_B);
}

int64_t net_cluster_handed_when(const struct net_cluster *cluster, int64_t arrived_B, int64_t end_B)
{
	const struct net_send_buffers *sends = &cluster->unattended_sends;

	if (buffer_from(sends, arrived_B) < 0)
		return arrived_B;
	for (int i = 0; i < sends->n; i++) {
		int64_t at_B = end_B - sends->list[i].size_B;

		if (at_B < sends->list[i].from_B)
			at_B = sends->list[i].from_B;
		if (at_B < arrived_B)
			at_B = arrived_B;
		if (i + 1 == sends->n || at_B < sends->list[i + 1].from_B)
			return at_B;
	}
	return arrived_B;
}

double net_cluster_cpu_cost(const struct net_cluster *cluster, int outgoing, int incoming)
{
	const struct net_cpu_cost *cost = &cluster->cpu_cost;
	int o = outgoing < cost->n ? outgoing : cost->n,
	    i = incoming < cost->n ? incoming : cost->n;
	double fraction;

	if (!cost->fraction)
		return 0;
	fraction = cost->fraction[o * (cost->n + 1) + i] * cluster->cpu_cost_scale;
	return fraction < cluster->cores ? fraction : cluster->cores;
}

double net_cluster_contention(const struct net_cluster *cluster, int n_busy)
{
	if (!cluster->contention)
		return 1;
	return cluster->contention[(n_busy < cluster->n_contention ? n_busy : cluster->n_contention) - 1];
}
