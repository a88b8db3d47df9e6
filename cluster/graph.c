/* SPDX-License-Identifier: BSD-3-Clause */
#include "cluster/graph.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/placement.h"
#include "util/array.h"
#include "util/lines.h"
#include "util/map.h"
#include "util/units.h"

enum { MAX_WORDS = 8, MAX_SWITCHES = 65536, MAX_PARALLEL = 1000 };

struct reader {
	const char *path;
	int line, n_nodes;
	struct cluster_graph *graph;
	struct util_map numbers; /* struct named, by name */
	struct port_count {	 /* of a switch */
		int limit, used; /* limit 0: any */
		int line;
	} * ports;
};

struct named {
	const char *name; /* of the graph */
	int number;
};

#define FAIL(reader, err, ...) (util_refuse(err, __VA_ARGS__), place_error(reader, err))

static int place_error(const struct reader *reader, struct util_error *err)
{
	return util_error_prepend(err, "%s:%d", reader->path, reader->line);
}

static int no_memory(struct util_error *err)
{
	return util_error_set(err, UTIL_ENOMEM, "out of memory for a graph of links");
}

static bool is_named(const void *item, const void *wanted)
{
	return strcmp(((const struct named *)item)->name, wanted) == 0;
}

static int number_of(const struct reader *reader, const char *name)
{
	const struct named *found =
	    util_map_find_equal(&reader->numbers, util_hash(name, strlen(name), 0), is_named, name);

	return found ? found->number : -1;
}

static int read_count(const struct reader *reader, const char *what, const char *text, int max,
		      int *out, struct util_error *err)
{
	int64_t value;

	if (util_parse_int(text, 1, max, &value, err)) {
		util_error_prepend(err, "%s", what);
		return place_error(reader, err);
	}
	*out = (int)value;
	return 0;
}

/* --- switch NAME [ports N] [nodes LIST] --- */

static int attach(struct reader *reader, int s, const char *list, struct util_error *err)
{
	int first, last, repeat;

	while (*list) {
		if (cluster_place_next(&list, reader->n_nodes, &first, &last, &repeat, err))
			return place_error(reader, err);
		for (int node = first; node <= last; node++) {
			int *of = &reader->graph->switch_of[node];

			if (*of >= 0)
				return FAIL(reader, err,
					    "found node %d, which switch %s has already, wanted "
					    "each node once",
					    node, reader->graph->names[*of]);
			*of = s;
			reader->ports[s].used++;
		}
	}
	return 0;
}

static int add_switch(struct reader *reader, const char *name, struct util_error *err)
{
	struct cluster_graph *graph = reader->graph;
	int s = graph->n_switches;
	struct named *named;

	if (number_of(reader, name) >= 0)
		return FAIL(reader, err, "found switch %s again, wanted each once", name);
	if (s == MAX_SWITCHES)
		return FAIL(reader, err, "found more than %d switches", MAX_SWITCHES);
	named = malloc(sizeof *named);
	if (!named || !util_array_room(&graph->names, (size_t)s, sizeof *graph->names) ||
	    !util_array_room(&reader->ports, (size_t)s, sizeof *reader->ports) ||
	    !(graph->names[s] = strdup(name))) {
		free(named);
		return no_memory(err);
	}
	graph->n_switches++;
	reader->ports[s] = (struct port_count){.line = reader->line};
	*named = (struct named){graph->names[s], s};
	if (!util_map_put(&reader->numbers, util_hash(name, strlen(name), 0), named))
		return 0;
	free(named);
	return no_memory(err);
}

static int read_switch(struct reader *reader, char *const words[], int n, struct util_error *err)
{
	int s = reader->graph->n_switches, rc = add_switch(reader, words[1], err);

	for (int i = 2; i + 1 < n && !rc; i += 2) {
		if (strcmp(words[i], "ports") == 0)
			rc = read_count(reader, "ports", words[i + 1], 1000000,
					&reader->ports[s].limit, err);
		else if (strcmp(words[i], "nodes") == 0)
			rc = attach(reader, s, words[i + 1], err);
		else
			rc = FAIL(reader, err, "found \"%s\", wanted ports or nodes", words[i]);
	}
	return rc;
}

/* --- link NAME NAME [count N] [bandwidth 25GB/s] --- */

static int add_cables(struct reader *reader, struct cluster_cable cable, int count,
		      struct util_error *err)
{
	struct cluster_graph *graph = reader->graph;

	for (int i = 0; i < count; i++) {
		if (!util_array_room(&graph->cables, (size_t)graph->n_cables,
				     sizeof *graph->cables))
			return no_memory(err);
		graph->cables[graph->n_cables++] = cable;
	}
	for (int end = 0; end < 2; end++)
		reader->ports[cable.ends[end]].used += count;
	return 0;
}

static int read_link(struct reader *reader, char *const words[], int n, struct util_error *err)
{
	struct cluster_cable cable = {.bandwidth_Bps = 0};
	int count = 1, rc = 0;

	for (int end = 0; end < 2; end++) {
		cable.ends[end] = number_of(reader, words[1 + end]);
		if (cable.ends[end] < 0)
			return FAIL(reader, err,
				    "found a link of \"%s\", wanted a switch of a line before",
				    words[1 + end]);
	}
	if (cable.ends[0] == cable.ends[1])
		return FAIL(reader, err,
			    "found a link from switch %s to itself, wanted two switches", words[1]);
	for (int i = 3; i + 1 < n && !rc; i += 2) {
		if (strcmp(words[i], "count") == 0)
			rc = read_count(reader, "count", words[i + 1], MAX_PARALLEL, &count, err);
		else if (strcmp(words[i], "bandwidth") != 0)
			rc = FAIL(reader, err, "found \"%s\", wanted count or bandwidth", words[i]);
		else if (util_parse_bandwidth_Bps(words[i + 1], &cable.bandwidth_Bps, err))
			rc = place_error(reader, err);
		else if (!(cable.bandwidth_Bps >= 1))
			rc = FAIL(reader, err, "found bandwidth %s, wanted at least 1 B/s",
				  words[i + 1]);
	}
	return rc ? rc : add_cables(reader, cable, count, err);
}

/* --- the file --- */

static int read_line(struct reader *reader, char *line, struct util_error *err)
{
	char *words[MAX_WORDS + 1], *rest = NULL;
	int n = 0;

	line[strcspn(line, "#\n")] = '\0';
	for (char *word = strtok_r(line, " \t\r", &rest); word && n <= MAX_WORDS;
	     word = strtok_r(NULL, " \t\r", &rest))
		words[n++] = word;
	if (n == 0)
		return 0;
	if (strcmp(words[0], "switch") == 0 && n % 2 == 0)
		return read_switch(reader, words, n, err);
	if (strcmp(words[0], "link") == 0 && n >= 3 && n % 2 == 1 && n <= MAX_WORDS)
		return read_link(reader, words, n, err);
	return FAIL(reader, err,
		    "found \"%s\" with %d words behind it, wanted \"switch NAME [ports N] [nodes "
		    "LIST]\" or \"link NAME NAME [count N] [bandwidth 25GB/s]\"",
		    words[0], n - 1);
}

static int check_ports(struct reader *reader, struct util_error *err)
{
	for (int s = 0; s < reader->graph->n_switches; s++) {
		const struct port_count *ports = &reader->ports[s];

		reader->line = ports->line;
		if (ports->limit > 0 && ports->used > ports->limit)
			return FAIL(reader, err,
				    "found %d nodes and links on switch %s, wanted at most its %d "
				    "ports",
				    ports->used, reader->graph->names[s], ports->limit);
	}
	return 0;
}

/* The smallest number of all that are connected, with the path to it made shorter. */
static int root_of(int root[], int s)
{
	while (root[s] != s)
		s = root[s] = root[root[s]];
	return s;
}

static int check_ways(const struct reader *reader, struct util_error *err)
{
	const struct cluster_graph *graph = reader->graph;
	int *root = malloc(((size_t)graph->n_switches + 1) * sizeof *root), rc = 0;

	if (!root)
		return no_memory(err);
	for (int s = 0; s < graph->n_switches; s++)
		root[s] = s;
	for (int c = 0; c < graph->n_cables; c++)
		root[root_of(root, graph->cables[c].ends[0])] =
		    root_of(root, graph->cables[c].ends[1]);
	for (int node = 0; node < reader->n_nodes && !rc; node++) {
		int s = graph->switch_of[node];

		if (s < 0)
			rc = util_refuse(err,
					 "%s: found no switch with node %d, wanted each of the "
					 "cluster's %d nodes on one",
					 reader->path, node, reader->n_nodes);
		else if (root_of(root, s) != root_of(root, graph->switch_of[0]))
			rc = util_refuse(err,
					 "%s: found no way from node 0 on switch %s to node %d on "
					 "switch %s, wanted links between all",
					 reader->path, graph->names[graph->switch_of[0]], node,
					 graph->names[s]);
	}
	free(root);
	return rc;
}

/* How far it is to the furthest switch; *furthest: which one. By rounds over all links. */
static int search(const struct cluster_graph *graph, int from, int distance[], int *furthest)
{
	int n_hops = 0;
	bool has_grown = true;

	for (int s = 0; s < graph->n_switches; s++)
		distance[s] = s == from ? 0 : -1;
	*furthest = from;
	for (int round = 0; has_grown; round++) {
		has_grown = false;
		for (int c = 0; c < 2 * graph->n_cables; c++) {
			const int *ends = graph->cables[c / 2].ends;
			int to = ends[1 - c % 2];

			if (distance[ends[c % 2]] != round || distance[to] >= 0)
				continue;
			distance[to] = n_hops = round + 1;
			*furthest = to;
			has_grown = true;
		}
	}
	return n_hops;
}

static int measure(struct cluster_graph *graph, struct util_error *err)
{
	int *distance = malloc((size_t)graph->n_switches * sizeof *distance), furthest;

	if (!distance)
		return no_memory(err);
	search(graph, graph->switch_of[0], distance, &furthest);
	graph->n_hops = search(graph, furthest, distance, &furthest);
	free(distance);
	return 0;
}

static int read_lines(struct reader *reader, struct util_lines *lines, struct util_error *err)
{
	int rc = 0;

	while (util_lines_next(lines, &rc, err)) {
		reader->line = lines->number;
		rc = read_line(reader, lines->text, err);
	}
	if (!rc)
		rc = check_ports(reader, err);
	if (!rc)
		rc = check_ways(reader, err);
	return rc ? rc : measure(reader->graph, err);
}

int cluster_graph_read(const char *path, int n_nodes, struct cluster_graph **out,
		       struct util_error *err)
{
	struct reader reader = {.path = path, .n_nodes = n_nodes};
	struct util_lines lines;
	int rc = util_lines_open(&lines, path, "the graph", err);

	if (rc)
		return rc;
	reader.graph = calloc(1, sizeof *reader.graph);
	if (reader.graph)
		reader.graph->switch_of = malloc((size_t)n_nodes * sizeof(int));
	if (!reader.graph || !reader.graph->switch_of) {
		rc = no_memory(err);
	} else {
		memset(reader.graph->switch_of, -1, (size_t)n_nodes * sizeof(int));
		rc = read_lines(&reader, &lines, err);
	}
	util_lines_close(&lines);
	util_map_finish_items(&reader.numbers);
	free(reader.ports);
	if (rc)
		cluster_graph_destroy(reader.graph);
	else
		*out = reader.graph;
	return rc;
}

void cluster_graph_destroy(struct cluster_graph *graph)
{
	if (!graph)
		return;
	for (int s = 0; s < graph->n_switches; s++)
		free(graph->names[s]);
	free(graph->names);
	free(graph->switch_of);
	free(graph->cables);
	free(graph);
}
