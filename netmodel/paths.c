/* SPDX-License-Identifier: BSD-3-Clause */
#include "netmodel/paths.h"

#include <stdlib.h>
#include <string.h>

#include "netmodel/topology.h"

enum { FAR = 255 };
#define MAX_DISTANCES_B 2e9

struct net_paths {
	int n_switches;
	int *first;	 /* [n_switches + 1] places in `out`, by the switch that links leave */
	int *links, *to; /* what they are, and the switches where they end */
	int *row;	 /* [n_switches] of distances to it; -1: it has no nodes */
	unsigned char *distance; /* [rows][n_switches] */
	int longest;
};

static int no_memory(struct util_error *err)
{
	return util_error_set(err, UTIL_ENOMEM, "out of memory for ways between switches");
}

static bool is_up(const struct net_topology *topology, const double speeds[], int link)
{
	return !speeds || speeds[link - topology->class_begin[0]] > 0;
}

/* Sorts the links by the switch that they leave. */
static int list_links(struct net_paths *paths, const struct net_topology *topology, int n_nodes,
		      const double speeds[])
{
	int begin = topology->class_begin[0], n = topology->n_links - begin, ends[2];
	int *at = calloc((size_t)paths->n_switches + 1, sizeof *at);

	paths->first = calloc((size_t)paths->n_switches + 1, sizeof(int));
	paths->links = malloc(((size_t)n + 1) * sizeof(int));
	paths->to = malloc(((size_t)n + 1) * sizeof(int));
	if (!at || !paths->first || !paths->links || !paths->to) {
		free(at);
		return UTIL_ENOMEM;
	}
	for (int l = begin; l < begin + n; l++) {
		topology->ends(topology, l, ends);
		paths->first[ends[0] - n_nodes + 1] += is_up(topology, speeds, l);
	}
	for (int s = 0; s < paths->n_switches; s++)
		at[s + 1] = paths->first[s + 1] += paths->first[s];
	for (int l = begin; l < begin + n; l++) {
		topology->ends(topology, l, ends);
		if (!is_up(topology, speeds, l))
			continue;
		paths->links[at[ends[0] - n_nodes]] = l;
		paths->to[at[ends[0] - n_nodes]++] = ends[1] - n_nodes;
	}
	free(at);
	return 0;
}

/* Breadth first, against the links: those that lead to `to` have their opposites. */
static void measure(struct net_paths *paths, int to, const int *from_first, const int *from,
		    int queue[])
{
	unsigned char *distance =
	    paths->distance + (size_t)paths->row[to] * (size_t)paths->n_switches;
	int n = 0;

	memset(distance, FAR, (size_t)paths->n_switches);
	distance[to] = 0;
	queue[n++] = to;
	for (int i = 0; i < n; i++) {
		int s = queue[i];

		for (int k = from_first[s]; k < from_first[s + 1]; k++)
			if (distance[from[k]] == FAR && distance[s] < FAR - 1) {
				distance[from[k]] = (unsigned char)(distance[s] + 1);
				queue[n++] = from[k];
			}
	}
	for (int s = 0; s < paths->n_switches; s++)
		if (distance[s] != FAR && paths->row[s] >= 0 && distance[s] > paths->longest)
			paths->longest = distance[s];
}

/* The switches from which links lead to each. */
static int turn_around(const struct net_paths *paths, int **out_first, int **out_from)
{
	int n = paths->first[paths->n_switches];
	int *first = calloc((size_t)paths->n_switches + 2, sizeof *first);
	int *from = malloc(((size_t)n + 1) * sizeof *from);

	*out_first = first;
	*out_from = from;
	if (!first || !from)
		return UTIL_ENOMEM;
	for (int k = 0; k < n; k++)
		first[paths->to[k] + 2]++;
	for (int s = 0; s < paths->n_switches; s++)
		first[s + 2] += first[s + 1];
	for (int s = 0; s < paths->n_switches; s++)
		for (int k = paths->first[s]; k < paths->first[s + 1]; k++)
			from[first[paths->to[k] + 1]++] = s;
	return 0;
}

static int measure_all(struct net_paths *paths, int n_rows)
{
	int *first = NULL, *from = NULL, rc = turn_around(paths, &first, &from);
	int *queue = malloc((size_t)paths->n_switches * sizeof *queue);

	paths->distance = malloc((size_t)n_rows * (size_t)paths->n_switches);
	if (!queue || !paths->distance)
		rc = UTIL_ENOMEM;
	for (int s = 0; s < paths->n_switches && !rc; s++)
		if (paths->row[s] >= 0)
			measure(paths, s, first, from, queue);
	free(queue);
	free(first);
	free(from);
	return rc;
}

static int check_reached(const struct net_paths *paths, const struct cluster *cluster,
			 struct util_error *err)
{
	int n = cluster->n_nodes, from = net_topology_switch_of(cluster, 0) - n;
	const unsigned char *back =
	    paths->distance + (size_t)paths->row[from] * (size_t)paths->n_switches;

	for (int node = 0; node < n; node++) {
		int s = net_topology_switch_of(cluster, node) - n;

		if (back[s] == FAR ||
		    paths->distance[(size_t)paths->row[s] * (size_t)paths->n_switches +
				    (size_t)from] == FAR)
			return util_refuse(err,
					   "network.topology: found no way between node 0 and node "
					   "%d (of less than %d links), wanted links between all",
					   node, FAR);
	}
	return 0;
}

static int number_rows(struct net_paths *paths, const struct cluster *cluster)
{
	int n = 0;

	memset(paths->row, -1, (size_t)paths->n_switches * sizeof(int));
	for (int node = 0; node < cluster->n_nodes; node++) {
		int s = net_topology_switch_of(cluster, node) - cluster->n_nodes;

		if (paths->row[s] < 0)
			paths->row[s] = n++;
	}
	return n;
}

int net_paths_create(const struct net_topology *topology, const struct cluster *cluster,
		     const double speeds[], struct net_paths **out, struct util_error *err)
{
	struct net_paths *paths = calloc(1, sizeof *paths);
	int rc, n_rows = 0;

	if (!paths)
		return no_memory(err);
	paths->n_switches = topology->n_switches;
	paths->row = malloc((size_t)topology->n_switches * sizeof(int));
	if (paths->row)
		n_rows = number_rows(paths, cluster);
	if ((double)n_rows * paths->n_switches > MAX_DISTANCES_B)
		rc = util_refuse(err,
				 "network.topology: found %d switches, wanted fewer for a graph or "
				 "failed links",
				 paths->n_switches);
	else if (!paths->row || list_links(paths, topology, cluster->n_nodes, speeds) ||
		 measure_all(paths, n_rows))
		rc = no_memory(err);
	else
		rc = check_reached(paths, cluster, err);
	if (rc)
		net_paths_destroy(paths);
	else
		*out = paths;
	return rc;
}

void net_paths_destroy(struct net_paths *paths)
{
	if (!paths)
		return;
	free(paths->first);
	free(paths->links);
	free(paths->to);
	free(paths->row);
	free(paths->distance);
	free(paths);
}

int net_paths_longest(const struct net_paths *paths)
{
	return paths->longest;
}

/* As in a tree (netmodel/topology.c): on the first half of the way each switch takes its part of the
 * choice, on the second half they take the same parts in turn. */
int net_paths_find(const struct net_paths *paths, int from, int to, uint64_t choice, int links[])
{
	const unsigned char *distance =
	    paths->distance + (size_t)paths->row[to] * (size_t)paths->n_switches;
	int n = distance[from];
	uint64_t parts[FAR], width = 1;

	for (int h = 0; h < n; h++) {
		int n_ways = 0, k = paths->first[from], left;

		for (int i = k; i < paths->first[from + 1]; i++)
			n_ways += distance[paths->to[i]] < distance[from];
		parts[h] = 2 * h < n ? width : parts[n - 1 - h];
		left = (int)(choice / parts[h] % (uint64_t)n_ways);
		width *= (uint64_t)n_ways;
		width = width > UINT32_MAX ? UINT32_MAX : width;
		while (distance[paths->to[k]] >= distance[from] || left-- > 0)
			k++;
		links[h] = paths->links[k];
		from = paths->to[k];
	}
	return n;
}
