/* SPDX-License-Identifier: BSD-3-Clause */
#include "cluster/cluster.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/graph.h"
#include "cluster/schema.h"
#include "util/yaml.h"

static void finish_cluster(struct cluster *cluster)
{
	free(cluster->name);
	free(cluster->cpu.speed);
	free(cluster->levels.memory_Bps);
	free(cluster->cpu.speed_changes.list);
	free(cluster->cpu.contention);
	free(cluster->cpu.cost.fraction);
	free(cluster->network.segments.list);
	free(cluster->network.intra_segments.list);
	free(cluster->protocol.send_costs.list);
	free(cluster->protocol.isend_costs.list);
	free(cluster->protocol.recv_costs.list);
	free(cluster->network.sharing_losses.fraction);
	free(cluster->network.topology.file);
	cluster_graph_destroy(cluster->network.topology.graph);
	for (int i = 0; i < cluster->network.topology.n_speeds; i++) {
		free(cluster->network.topology.speeds[i].name);
		free(cluster->network.topology.speeds[i].place);
	}
	free(cluster->network.topology.speeds);
	free(cluster->protocol.send_buffers.list);
	free(cluster->uncertainties.list);
	for (int i = 0; i < CLUSTER_N_COLLECTIVES; i++)
		free(cluster->collectives.algorithms[i]);
	free(cluster->placement);
	free(cluster->spawn.placement);
}

void cluster_draft_finish(struct cluster_draft *draft)
{
	finish_cluster(&draft->cluster);
}

void cluster_destroy(struct cluster *cluster)
{
	if (!cluster)
		return;
	finish_cluster(cluster);
	free(cluster);
}

static int read_tree(const struct util_yaml_tree *tree, struct cluster **out,
		     struct util_error *err)
{
	struct cluster_draft draft = {0};
	struct cluster *cluster;
	int rc = cluster_schema_check(tree, err);

	if (!rc)
		rc = cluster_schema_read(&draft, tree, err);
	if (!rc) {
		cluster = malloc(sizeof(*cluster));
		if (cluster) {
			*cluster = draft.cluster;
			*out = cluster;
			return 0;
		}
		rc = util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	cluster_draft_finish(&draft);
	return rc;
}

static int parse_with(const char *name, const char *text, size_t length_B, int n_overrides,
		      const char *const overrides[], struct cluster **out, struct util_error *err)
{
	struct util_yaml_tree tree;
	int rc = util_yaml_parse(&tree, name, text, length_B, err);

	for (int i = 0; i < n_overrides && !rc; i++)
		rc = util_yaml_override(&tree, overrides[i], err);
	if (!rc)
		rc = read_tree(&tree, out, err);
	util_yaml_finish(&tree);
	return rc;
}

int cluster_parse(const char *name, const char *text, size_t length_B, struct cluster **out,
		  struct util_error *err)
{
	return parse_with(name, text, length_B, 0, NULL, out, err);
}

int cluster_parse_with(const char *name, const char *text, size_t length_B, int n_overrides,
		       const char *const overrides[], struct cluster **out, struct util_error *err)
{
	return parse_with(name, text, length_B, n_overrides, overrides, out, err);
}

int cluster_load(const char *path, struct cluster **out, struct util_error *err)
{
	return cluster_load_with(path, 0, NULL, out, err);
}

int cluster_load_with(const char *path, int n_overrides, const char *const overrides[],
		      struct cluster **out, struct util_error *err)
{
	char *text = NULL;
	size_t length_B = 0;
	int rc = util_yaml_read_file(path, "the cluster file", &text, &length_B, err);

	if (!rc)
		rc = parse_with(path, text, length_B, n_overrides, overrides, out, err);
	free(text);
	return rc;
}

int64_t cluster_send_buffer(const struct cluster *cluster, int64_t size_B)
{
	const struct cluster_send_buffers *buffers = &cluster->protocol.send_buffers;
	int64_t result = -1;

	for (int i = 0; i < buffers->n && buffers->list[i].from_B <= size_B; i++)
		result = buffers->list[i].size_B;
	return result;
}

int64_t cluster_unattended_send(const struct cluster *cluster, int64_t carried_B)
{
	double new_B = (double)cluster->protocol.unattended_new_B;
	double used_B = (double)cluster->protocol.unattended_used_B;

	if (new_B == 0)
		return -1;
	return (int64_t)fmin(fmax(sqrt(new_B * (double)carried_B), new_B), used_B);
}

int64_t cluster_handed_when(const struct cluster *cluster, int64_t arrived_B, int64_t end_B)
{
	double new_B = (double)cluster->protocol.unattended_new_B;
	double used_B = (double)cluster->protocol.unattended_used_B;
	double root = (sqrt(new_B + 4 * (double)end_B) - sqrt(new_B)) / 2;
	int64_t at_B;

	if (new_B == 0)
		return arrived_B;
	/* each of the three pieces of the law is an upper bound of what it must be */
	at_B = (int64_t)fmax(fmin((double)end_B - new_B, root * root), (double)end_B - used_B) - 2;
	if (at_B < arrived_B)
		at_B = arrived_B;
	while (at_B < end_B && at_B + cluster_unattended_send(cluster, at_B) < end_B)
		at_B++;
	return at_B;
}

double cluster_cpu_cost(const struct cluster *cluster, int outgoing, int incoming)
{
	const struct cluster_cost *cost = &cluster->cpu.cost;
	int o = outgoing < cost->n ? outgoing : cost->n,
	    i = incoming < cost->n ? incoming : cost->n;
	double fraction;

	if (cost->is_law) {
		fraction = outgoing * cost->outgoing + incoming * cost->incoming;
		fraction = fraction < cost->maximum ? fraction : cost->maximum;
	} else if (cost->fraction) {
		fraction = cost->fraction[o * (cost->n + 1) + i];
	} else {
		return 0;
	}
	fraction *= cost->scale;
	return fraction < cluster->cores ? fraction : cluster->cores;
}

bool cluster_has_cpu_cost(const struct cluster *cluster)
{
	return cluster->cpu.cost.is_law || cluster->cpu.cost.fraction;
}

double cluster_contention(const struct cluster *cluster, int n_busy)
{
	if (!cluster->cpu.contention)
		return 1;
	return cluster->cpu
	    .contention[(n_busy < cluster->cpu.n_contention ? n_busy : cluster->cpu.n_contention) -
			1];
}

double cluster_cost(const struct cluster_costs_by_size *costs, double plain_s, int64_t size_B)
{
	const struct cluster_cost_by_size *cost = NULL;

	if (costs->n == 0)
		return plain_s;
	for (int i = 0; i < costs->n && costs->list[i].from_B <= size_B; i++)
		cost = &costs->list[i];
	return cost ? cost->time_s + cost->per_B_s * (double)size_B : 0;
}
