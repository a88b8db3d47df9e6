/* SPDX-License-Identifier: BSD-3-Clause */
/* The first node with ranks: its sockets, memory domains and cores. */
#include <math.h>

#include "cluster/levels.h"
#include "tools/run/show.h"
#include "util/units.h"

enum { CORE = 14, GAP = 8, IN_ROW = 8, MAX_CORES = 512 };

/* Of a domain, in pixels. */
static int domain_width(const struct cluster_cores *levels)
{
	return (levels->per_domain < IN_ROW ? levels->per_domain : IN_ROW) * CORE + GAP;
}

static int domain_height(const struct cluster_cores *levels)
{
	return (levels->per_domain + IN_ROW - 1) / IN_ROW * CORE + GAP;
}

static bool is_drawn(const struct show *show)
{
	return show->cluster->levels.per_domain > 0 && show->cluster->cores <= MAX_CORES;
}

double show_node_width(const struct show *show)
{
	const struct cluster_cores *levels = &show->cluster->levels;

	return is_drawn(show) ? 40 + levels->sockets * (levels->domains * (domain_width(levels) + GAP) + 2 * GAP)
			      : 0;
}

double show_node_height(const struct show *show)
{
	return is_drawn(show) ? domain_height(&show->cluster->levels) + 60 : 0;
}

/* The rank that holds a core of the node; -1: none. */
static int rank_on(const struct show *show, int node, int core)
{
	for (int rank = 0, n = 0; rank < show->n_ranks; rank++) {
		int first;

		if (show->node_of[rank] != node)
			continue;
		first = cluster_core_of(show->cluster, n++, show->n_cpus);
		if (core >= first && core < first + show->n_cpus)
			return rank;
	}
	return -1;
}

static void write_rect(double x, double y, double width, double height, const char *fill,
		       const char *title, FILE *file)
{
	fprintf(file,
		"<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" fill=\"%s\" "
		"stroke=\"#333333\"><title>%s</title></rect>\n",
		x, y, width, height, fill, title);
}

static void write_domain(const struct show *show, int node, int domain, double x, double y, FILE *file)
{
	const struct cluster_cores *levels = &show->cluster->levels;
	char title[96];

	snprintf(title, sizeof title, "memory domain %d", domain);
	write_rect(x, y, domain_width(levels), domain_height(levels), "#ffffff", title, file);
	for (int i = 0; i < levels->per_domain; i++) {
		int core = domain * levels->per_domain + i, rank = rank_on(show, node, core);
		double at_x = x + GAP / 2 + i % IN_ROW * CORE, at_y = y + GAP / 2 + i / IN_ROW * CORE;

		snprintf(title, sizeof title, rank < 0 ? "core %d" : "core %d: rank %d", core, rank);
		write_rect(at_x, at_y, CORE - 2, CORE - 2, rank < 0 ? "#eeeeee" : "#ddaa33", title,
			   file);
	}
}

void show_node(const struct show *show, double y, FILE *file)
{
	const struct cluster_cores *levels = &show->cluster->levels;
	double x = 20, width = levels->domains * (domain_width(levels) + GAP) + GAP;
	int node = 0;
	char memory[48] = "", held[64] = "", title[32];

	if (!is_drawn(show))
		return;
	while (show->n_ranks > 0 && show->n_on[node] == 0)
		node++;
	if (levels->n_memory > 0) {
		util_format_size(title, sizeof title, cluster_memory(show->cluster, levels->n_memory));
		snprintf(memory, sizeof memory, ", %s/s each", title);
	}
	if (show->n_ranks > 0)
		snprintf(held, sizeof held, "; yellow: cores of its %d rank%s, %d each",
			 show->n_on[node], show->n_on[node] == 1 ? "" : "s", show->n_cpus);
	fprintf(file,
		"<text x=\"20\" y=\"%.0f\" font-size=\"12\">node %d: sockets with %d memory domain%s%s%s</text>\n",
		y + 14, node, levels->domains, levels->domains == 1 ? "" : "s", memory, held);
	for (int s = 0; s < levels->sockets; s++, x += width + GAP) {
		snprintf(title, sizeof title, "socket %d", s);
		write_rect(x, y + 22, width, domain_height(levels) + 2 * GAP, "#dddddd", title, file);
		for (int d = 0; d < levels->domains; d++)
			write_domain(show, node, s * levels->domains + d,
				     x + GAP + d * (domain_width(levels) + GAP), y + 22 + GAP, file);
	}
}
