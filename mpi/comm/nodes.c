/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/comm/nodes.h"

#include <stdlib.h>

#include "mpi/comm/group.h"

static int node_of(const struct mpi_rank *me, const struct mpi_group *group, int index)
{
	return me->world->ranks[mpi_group_world_rank(group, index)].pd->node;
}

/* Numbers the nodes and the places on them. `numbers`: of each node of the cluster, -1 before. */
static bool number(const struct mpi_rank *me, const struct mpi_group *group,
		   struct mpi_nodes *nodes, int *numbers, int *n_on)
{
	for (int i = 0; i < group->size; i++) {
		int *n = &numbers[node_of(me, group, i)];

		if (*n < 0)
			*n = nodes->n_nodes++;
		nodes->node[i] = *n;
		nodes->place[i] = n_on[*n]++;
	}
	nodes->first = malloc(((size_t)nodes->n_nodes + 1) * sizeof *nodes->first);
	nodes->leaders = malloc((size_t)nodes->n_nodes * sizeof *nodes->leaders);
	return nodes->first && nodes->leaders;
}

static void list_members(const struct mpi_group *group, struct mpi_nodes *nodes, const int *n_on)
{
	nodes->first[0] = 0;
	for (int n = 0; n < nodes->n_nodes; n++)
		nodes->first[n + 1] = nodes->first[n] + n_on[n];
	for (int i = 0; i < group->size; i++) {
		nodes->members[nodes->first[nodes->node[i]] + nodes->place[i]] = i;
		if (nodes->place[i] == 0)
			nodes->leaders[nodes->node[i]] = i;
	}
}

static struct mpi_nodes *create(const struct mpi_rank *me, const struct mpi_group *group)
{
	struct mpi_nodes *nodes = calloc(1, sizeof *nodes);
	int *numbers, *n_on, n_cluster = 0;
	bool is_done;

	if (!nodes)
		return NULL;
	for (int i = 0; i < group->size; i++)
		if (node_of(me, group, i) >= n_cluster)
			n_cluster = node_of(me, group, i) + 1;
	nodes->node = malloc(3 * (size_t)group->size * sizeof *nodes->node);
	numbers = malloc((size_t)n_cluster * sizeof *numbers);
	n_on = calloc((size_t)n_cluster, sizeof *n_on);
	is_done = nodes->node && numbers && n_on;
	if (is_done) {
		nodes->place = nodes->node + group->size;
		nodes->members = nodes->place + group->size;
		for (int i = 0; i < n_cluster; i++)
			numbers[i] = -1;
		is_done = number(me, group, nodes, numbers, n_on);
	}
	if (is_done)
		list_members(group, nodes, n_on);
	free(numbers);
	free(n_on);
	if (is_done)
		return nodes;
	mpi_nodes_destroy(nodes);
	return NULL;
}

const struct mpi_nodes *mpi_group_nodes(struct mpi_rank *me, struct mpi_group *group)
{
	if (!group->nodes)
		group->nodes = create(me, group);
	if (!group->nodes)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for the nodes of %d ranks",
			group->size);
	return group->nodes;
}

void mpi_nodes_destroy(struct mpi_nodes *nodes)
{
	if (!nodes)
		return;
	free(nodes->node);
	free(nodes->first);
	free(nodes->leaders);
	free(nodes);
}
