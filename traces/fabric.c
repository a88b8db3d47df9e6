/* SPDX-License-Identifier: BSD-3-Clause */
#include "traces/fabric.h"

#include <stdlib.h>

#include "netmodel/route.h"
#include "netmodel/topology.h"
#include "traces/json.h"
#include "util/error.h"
#include "util/units.h"

enum { MAX_ROWS = 8 };

struct ranked { /* a link that was used, or a memory domain */
	double lost_s, utilisation, bytes;
	int link, node; /* node -1: of the fabric; else `link` is its domain */
};

static int compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->lost_s != y->lost_s)
		return x->lost_s < y->lost_s ? 1 : -1;
	if (x->utilisation != y->utilisation)
		return x->utilisation < y->utilisation ? 1 : -1;
	return x->node != y->node ? x->node - y->node : x->link - y->link;
}

static struct ranked look_at(const struct net_model *model, int link, double time_s)
{
	struct net_link_use use = net_model_link_use(model, link);
	double most_B = use.bandwidth_Bps * time_s;

	return (struct ranked){.lost_s = use.lost_s,
			       .utilisation = most_B > 0 ? use.carried_B / most_B : 0,
			       .bytes = use.carried_B,
			       .link = link,
			       .node = -1};
}

static void add_one(struct trace_fabric_class *out, const struct ranked *one)
{
	out->bytes += one->bytes;
	out->mean += one->utilisation / out->n_links;
	out->most = one->utilisation > out->most ? one->utilisation : out->most;
}

/* Sums a class up, and appends what was used of it. */
static int add_class(const struct net_model *model, double time_s, int k,
		     struct trace_fabric_class *out, struct ranked used[])
{
	const struct net_topology *topology = net_model_topology(model);
	int n = 0;

	topology->name_class(topology, k, out->name, sizeof out->name);
	for (int l = topology->class_begin[k]; l < topology->class_begin[k + 1]; l++)
		out->n_links += !net_topology_is_carried(topology, l);
	for (int l = topology->class_begin[k]; l < topology->class_begin[k + 1]; l++) {
		struct ranked one = look_at(model, l, time_s);

		if (net_topology_is_carried(topology, l))
			continue;
		add_one(out, &one);
		if (one.bytes > 0)
			used[n++] = one;
	}
	return n;
}

/* The same of the memory of all nodes. */
static int add_memory(const struct net_model *model, int n_nodes, double time_s,
		      struct trace_fabric_class *out, struct ranked used[])
{
	int n_domains = net_model_n_domains(model), n = 0;

	snprintf(out->name, sizeof out->name, "memory domains");
	out->n_links = n_nodes * n_domains;
	for (int i = 0; i < out->n_links; i++) {
		int node = i / n_domains, domain = i % n_domains;
		struct net_memory_use use = net_model_memory_use(model, node, domain);
		double most_B = use.bandwidth_Bps * time_s;
		struct ranked one = {.lost_s = use.lost_s,
				     .utilisation = most_B > 0 ? use.carried_B / most_B : 0,
				     .bytes = use.carried_B,
				     .link = domain,
				     .node = node};

		add_one(out, &one);
		if (one.bytes > 0)
			used[n++] = one;
	}
	return n;
}

static int keep_first(struct trace_fabric *fabric, const struct net_topology *topology,
		      const struct ranked used[], int n)
{
	fabric->n_used = n;
	fabric->n_links = n < TRACE_FABRIC_LINKS ? n : TRACE_FABRIC_LINKS;
	fabric->links = calloc((size_t)fabric->n_links + 1, sizeof *fabric->links);
	if (!fabric->links)
		return UTIL_ENOMEM;
	for (int i = 0; i < fabric->n_links; i++) {
		struct trace_fabric_link *link = &fabric->links[i];

		link->link = used[i].node < 0 ? used[i].link : -1;
		link->node = used[i].node;
		link->domain = used[i].node < 0 ? -1 : used[i].link;
		if (used[i].node < 0)
			topology->name(topology, used[i].link, link->name, sizeof link->name);
		else
			snprintf(link->name, sizeof link->name, "node %d, memory domain %d",
				 used[i].node, used[i].link);
		link->bytes = used[i].bytes;
		link->utilisation = used[i].utilisation;
		link->lost_s = used[i].lost_s;
	}
	return 0;
}

int trace_fabric_create(const struct net_model *model, int n_nodes, double time_s,
			struct trace_fabric **out)
{
	const struct net_topology *topology = net_model_topology(model);
	int n_memories = n_nodes * net_model_n_domains(model), n = 0, failed;
	struct trace_fabric *fabric;
	struct ranked *used;

	*out = NULL;
	if (!topology && n_memories == 0)
		return 0;
	fabric = calloc(1, sizeof *fabric);
	used =
	    calloc((size_t)(topology ? topology->n_links : 0) + (size_t)n_memories, sizeof *used);
	failed = fabric && used ? 0 : UTIL_ENOMEM;
	for (int k = 0; topology && k < topology->n_classes && !failed; k++)
		n += add_class(model, time_s, k, &fabric->classes[fabric->n_classes++], used + n);
	if (n_memories > 0 && !failed)
		n += add_memory(model, n_nodes, time_s, &fabric->classes[fabric->n_classes++],
				used + n);
	if (!failed) {
		qsort(used, (size_t)n, sizeof *used, compare);
		failed = keep_first(fabric, topology, used, n);
	}
	free(used);
	if (failed)
		trace_fabric_destroy(fabric);
	else
		*out = fabric;
	return failed;
}

void trace_fabric_destroy(struct trace_fabric *fabric)
{
	if (fabric)
		free(fabric->links);
	free(fabric);
}

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

json_t *trace_fabric_json(const struct trace_fabric *fabric)
{
	json_t *root = json_object(), *classes = json_array(), *links = json_array();

	for (int k = 0; k < fabric->n_classes; k++) {
		const struct trace_fabric_class *one = &fabric->classes[k];
		json_t *object = json_object();

		set(object, "name", trace_json_string(one->name));
		set(object, "links", json_integer(one->n_links));
		set(object, "bytes", trace_json_number(one->bytes));
		set(object, "mean_utilisation", trace_json_number(one->mean));
		set(object, "most_utilisation", trace_json_number(one->most));
		json_array_append_new(classes, object);
	}
	for (int i = 0; i < fabric->n_links; i++) {
		const struct trace_fabric_link *link = &fabric->links[i];
		json_t *object = json_object();

		set(object, "name", trace_json_string(link->name));
		set(object, "bytes", trace_json_number(link->bytes));
		set(object, "utilisation", trace_json_number(link->utilisation));
		set(object, "lost_s", trace_json_number(link->lost_s));
		json_array_append_new(links, object);
	}
	set(root, "classes", classes);
	set(root, "links", links);
	return root;
}

static void write_row(const char *name, double bytes, double utilisation, double lost_s, FILE *file)
{
	char size[32];

	util_format_size(size, sizeof size, bytes);
	fprintf(file, "  %-44s %10s %7.1f %% %16s\n", name, size, 100 * utilisation,
		lost_s < 0 ? "" : util_time_text(lost_s).text);
}

void trace_fabric_text(const struct trace_fabric *fabric, FILE *file)
{
	fprintf(file, "\n%-46s %10s %9s %16s\n", "links between switches, memory", "volume", "used",
		"lost to sharing");
	for (int k = 0; k < fabric->n_classes; k++) {
		const struct trace_fabric_class *one = &fabric->classes[k];
		char name[96];

		snprintf(name, sizeof name, "%s (mean of %d)", one->name, one->n_links);
		write_row(name, one->bytes, one->mean, -1, file);
	}
	for (int i = 0; i < fabric->n_links && i < MAX_ROWS; i++)
		write_row(fabric->links[i].name, fabric->links[i].bytes,
			  fabric->links[i].utilisation, fabric->links[i].lost_s, file);
	if (fabric->n_used > MAX_ROWS)
		fprintf(file, "  and %d more\n", fabric->n_used - MAX_ROWS);
}
