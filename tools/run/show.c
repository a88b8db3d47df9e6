/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/run/show.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/levels.h"
#include "netmodel/topology.h"
#include "util/outfile.h"
#include "util/units.h"
#include "tools/run/place.h"
#include "traces/json.h"

enum { MAX_LINKS = 1000000 }; /* that are listed */

static const char *const kinds[] = {[CLUSTER_TOPOLOGY_STAR] = "star",
				    [CLUSTER_TOPOLOGY_FAT_TREE] = "fat-tree",
				    [CLUSTER_TOPOLOGY_TORUS] = "torus",
				    [CLUSTER_TOPOLOGY_DRAGONFLY] = "dragonfly",
				    [CLUSTER_TOPOLOGY_GRAPH] = "graph"};
static const char *const routings[] = {[CLUSTER_ROUTING_DETERMINISTIC] = "deterministic",
				       [CLUSTER_ROUTING_ECMP] = "ecmp",
				       [CLUSTER_ROUTING_ADAPTIVE] = "adaptive",
				       [CLUSTER_ROUTING_VALIANT] = "valiant"};

int show_switch_of(const struct show *show, int node)
{
	return show->topology ? net_topology_switch_of(show->cluster, node) - show->cluster->n_nodes
			      : 0;
}

int show_n_switches(const struct show *show)
{
	return show->topology ? show->topology->n_switches : 1;
}

int show_n_used(const struct show *show)
{
	int n = 0;

	for (int node = 0; node < show->cluster->n_nodes; node++)
		n += show->n_on[node] > 0;
	return n;
}

struct show_class show_describe_class(const struct show *show, int k)
{
	const struct net_topology *topology = show->topology;
	const struct cluster *cluster = show->cluster;
	const struct cluster_topology *shape = &cluster->network.topology;
	bool has_halves = shape->kind == CLUSTER_TOPOLOGY_FAT_TREE && !shape->is_half_duplex;
	struct show_class out = {.least_Bps = INFINITY};

	topology->name_class(topology, k, out.name, sizeof out.name);
	out.n = topology->class_begin[k + 1] - topology->class_begin[k];
	for (int l = topology->class_begin[k]; l < topology->class_begin[k + 1]; l++) {
		double capacity = net_topology_capacity(topology, l);

		out.bandwidth_Bps =
		    fmax(out.bandwidth_Bps, capacity * cluster->network.bandwidth_Bps);
		if (!net_topology_is_carried(topology, l))
			out.node_Bps += capacity * cluster->network.bandwidth_Bps;
		if (capacity > 0)
			out.least_Bps =
			    fmin(out.least_Bps, capacity * cluster->network.bandwidth_Bps);
		out.n_failed += capacity == 0;
	}
	out.least_Bps = fmin(out.least_Bps, out.bandwidth_Bps);
	out.node_Bps /= (has_halves ? 2 : 1) * (double)cluster->n_nodes;
	return out;
}

double show_taper(const struct show *show, const struct show_class *link_class)
{
	return show->cluster->network.n_nics * show->cluster->network.bandwidth_Bps /
	       link_class->node_Bps;
}

const char *show_bandwidth(char *out, size_t size, const struct show_class *link_class)
{
	char most[32], least[32];

	util_format_size(most, sizeof most, link_class->bandwidth_Bps);
	util_format_size(least, sizeof least, link_class->least_Bps);
	if (strcmp(most, least) == 0)
		snprintf(out, size, "%s/s", most);
	else
		snprintf(out, size, "%s/s to %s/s", least, most);
	return out;
}

/* --- text --- */

static void write_class(const struct show *show, int k, FILE *file)
{
	struct show_class one = show_describe_class(show, k);
	char each[80], node[32];

	util_format_size(node, sizeof node, one.node_Bps);
	fprintf(file, "  %-18s %10d links, %s each, %s/s for each node: taper %.3g", one.name,
		one.n, show_bandwidth(each, sizeof each, &one), node, show_taper(show, &one));
	if (one.n_failed > 0)
		fprintf(file, ", %d failed", one.n_failed);
	fputc('\n', file);
}

static void write_levels(const struct cluster *cluster, FILE *file)
{
	const struct cluster_cores *levels = &cluster->levels;
	char each[32];

	if (levels->per_domain == 0)
		return;
	fprintf(file, "  %-18s %10d sockets with %d memory domains of %d cores", "levels of a node",
		levels->sockets, levels->domains, levels->per_domain);
	if (levels->n_memory > 0) {
		util_format_size(each, sizeof each, cluster_memory(cluster, levels->n_memory));
		fprintf(file, ", %s/s each", each);
	}
	fputc('\n', file);
}

static int write_text(const void *context, FILE *file, struct util_error *err)
{
	const struct show *show = context;
	const struct cluster *cluster = show->cluster;
	const struct cluster_topology *shape = &cluster->network.topology;
	int most = 0;
	char each[32];

	for (int node = 0; node < cluster->n_nodes; node++)
		most = show->n_on[node] > most ? show->n_on[node] : most;
	util_format_size(each, sizeof each, cluster->network.bandwidth_Bps);
	fprintf(file, "%s: %d nodes with %d core%s, %s", cluster->name ? cluster->name : "unnamed",
		cluster->n_nodes, cluster->cores, cluster->cores == 1 ? "" : "s",
		kinds[shape->kind]);
	if (show->topology)
		fprintf(file, " of %d switches, %s routing%s", show_n_switches(show),
			routings[shape->routing], shape->is_half_duplex ? ", half duplex" : "");
	fprintf(file, "\n  %-18s %10d links, %s/s each\n", "nodes",
		2 * cluster->n_nodes * cluster->network.n_nics, each);
	write_levels(cluster, file);
	for (int k = 0; show->topology && k < show->topology->n_classes; k++)
		write_class(show, k, file);
	if (show->n_ranks > 0)
		fprintf(file, "  %d ranks on %d nodes, at most %d on one\n", show->n_ranks,
			show_n_used(show), most);
	return fflush(file) ? util_error_errno(err, errno, "cannot write it") : 0;
}

/* --- JSON --- */

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static json_t *class_json(const struct show *show, int k)
{
	const struct cluster_topology *shape = &show->cluster->network.topology;
	struct show_class one = show_describe_class(show, k);
	json_t *object = json_object();

	set(object, "name", trace_json_string(one.name));
	set(object, "links", json_integer(one.n));
	set(object, "bandwidth_Bps", trace_json_number(one.bandwidth_Bps));
	set(object, "least_Bps", trace_json_number(one.least_Bps));
	set(object, "latency_s", trace_json_number(cluster_hop_latency_s(shape, k)));
	set(object, "failed", json_integer(one.n_failed));
	set(object, "node_Bps", trace_json_number(one.node_Bps));
	set(object, "taper", trace_json_number(show_taper(show, &one)));
	return object;
}

/* [class, from, to] of each that has not failed; null: they are too many. */
static json_t *links_json(const struct show *show)
{
	const struct net_topology *topology = show->topology;
	int n = show->cluster->n_nodes;
	json_t *array;

	if (topology && topology->n_links - 2 * n > MAX_LINKS)
		return json_null();
	array = json_array();
	for (int k = 0; topology && k < topology->n_classes; k++)
		for (int l = topology->class_begin[k]; l < topology->class_begin[k + 1]; l++) {
			int ends[2];

			if (net_topology_capacity(topology, l) == 0)
				continue;
			topology->ends(topology, l, ends);
			json_array_append_new(array,
					      json_pack("[i,i,i]", k, ends[0] - n, ends[1] - n));
		}
	return array;
}

static json_t *numbers_json(int n, const int numbers[])
{
	json_t *array = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(array, json_integer(numbers[i]));
	return array;
}

static json_t *describe(const struct show *show)
{
	const struct cluster *cluster = show->cluster;
	const struct cluster_topology *shape = &cluster->network.topology;
	json_t *root = json_object(), *classes = json_array(), *switches = json_array();

	for (int k = 0; show->topology && k < show->topology->n_classes; k++)
		json_array_append_new(classes, class_json(show, k));
	for (int node = 0; node < cluster->n_nodes; node++)
		json_array_append_new(switches, json_integer(show_switch_of(show, node)));
	set(root, "name", trace_json_string(cluster->name));
	set(root, "topology", json_string(kinds[shape->kind]));
	set(root, "routing", json_string(routings[shape->routing]));
	set(root, "nodes", json_integer(cluster->n_nodes));
	set(root, "cores_per_node", json_integer(cluster->cores));
	if (cluster->levels.per_domain)
		set(root, "levels",
		    json_pack(
			"{s:i,s:i,s:i,s:o}", "sockets", cluster->levels.sockets,
			"domains_per_socket", cluster->levels.domains, "cores_per_domain",
			cluster->levels.per_domain, "memory_Bps",
			trace_json_number(cluster_memory(cluster, cluster->levels.n_memory))));
	set(root, "latency_s", trace_json_number(cluster->network.latency_s));
	set(root, "nics", json_integer(cluster->network.n_nics));
	set(root, "bandwidth_Bps", trace_json_number(cluster->network.bandwidth_Bps));
	set(root, "switches", json_integer(show_n_switches(show)));
	set(root, "classes", classes);
	set(root, "switch_of_node", switches);
	set(root, "node_of_rank", numbers_json(show->n_ranks, show->node_of));
	set(root, "links", links_json(show));
	return root;
}

static int write_json(const void *context, FILE *file, struct util_error *err)
{
	json_t *root = describe(context);
	int failed = json_dumpf(root, file, JSON_INDENT(1) | JSON_REAL_PRECISION(17));

	json_decref(root);
	return failed || fputc('\n', file) == EOF || fflush(file)
		   ? util_error_errno(err, errno ? errno : EIO, "cannot write it")
		   : 0;
}

static int write_picture(const void *context, FILE *file, struct util_error *err)
{
	show_picture(context, file);
	return fflush(file) ? util_error_errno(err, errno, "cannot write the picture") : 0;
}

/* --- the option --- */

static int write_to(const struct show *show, const char *path, struct util_error *err)
{
	const char *end = strrchr(path, '.');

	if (strcmp(path, "-") == 0)
		return util_outfile_write(path, write_text, show, err);
	if (end && strcmp(end, ".json") == 0)
		return util_outfile_write(path, write_json, show, err);
	if (end && strcmp(end, ".svg") == 0)
		return util_outfile_write(path, write_picture, show, err);
	return util_refuse(err, "found \"%s\", wanted a file .svg or .json, or - for text", path);
}

static int place(const struct run_options *o, struct show *show, int node_of[],
		 struct util_error *err)
{
	int failed, most = 1;

	if (o->n_ranks == 0)
		return 0;
	failed = run_place(o->placement, show->cluster, o->cpus_per_rank, o->n_ranks, node_of, err);
	if (failed)
		return util_error_prepend(err, "--placement");
	for (int rank = 0; rank < o->n_ranks; rank++) {
		int n = ++show->n_on[node_of[rank]];

		most = n > most ? n : most;
	}
	show->n_cpus = o->cpus_per_rank ? o->cpus_per_rank : show->cluster->cores / most;
	show->n_cpus = show->n_cpus > 0 ? show->n_cpus : 1;
	return run_place_check_cpus(show->cluster, o->cpus_per_rank, o->n_ranks, node_of, err);
}

static int show_it(const struct run_options *o, const struct cluster *cluster,
		   struct util_error *err)
{
	bool is_star = cluster->network.topology.kind == CLUSTER_TOPOLOGY_STAR;
	struct net_topology *topology = NULL;
	int failed = is_star ? 0 : net_topology_create(cluster, &topology, err);
	int *node_of = calloc((size_t)o->n_ranks + 1, sizeof *node_of);
	struct show show = {.cluster = cluster,
			    .topology = topology,
			    .node_of = node_of,
			    .n_on = calloc((size_t)cluster->n_nodes, sizeof(int)),
			    .n_ranks = o->n_ranks};

	if (!failed && (!node_of || !show.n_on))
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	if (!failed)
		failed = place(o, &show, node_of, err);
	if (!failed)
		failed = write_to(&show, o->show_cluster, err);
	free(show.n_on);
	free(node_of);
	net_topology_destroy(topology);
	return failed;
}

int run_show_cluster(struct run_options *o)
{
	struct cluster *cluster = NULL;
	struct util_error err;
	int failed = run_options_find_cluster(o, &err);

	if (!failed)
		failed =
		    cluster_load_with(o->cluster, o->n_overrides, o->overrides, &cluster, &err);
	if (!failed && show_it(o, cluster, &err))
		failed = util_error_prepend(&err, "--show-cluster");
	cluster_destroy(cluster);
	if (failed)
		fprintf(stderr, "mpisim-run: %s\n", err.text);
	return failed ? 2 : 0;
}
