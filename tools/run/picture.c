/* SPDX-License-Identifier: BSD-3-Clause */
/* A cluster as a picture in SVG: each node and switch where they are few, else a box for all of a kind. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "netmodel/topology.h"
#include "tools/run/show.h"
#include "util/units.h"

enum {
	MAX_NODES = 512,
	MAX_SWITCHES = 512,
	MAX_LINES = 20000,
	STEP = 16,
	ROW = 110,
	GRID_STEP = 5 * STEP,
	LINE = 18 /* of text */
};
#define ARC 0.15 /* of its length, how far an arc is from the line */

struct point {
	double x, y;
};

struct picture {
	const struct show *show;
	struct point *switches, *nodes;
	double width, height;
};

static void write_escaped(const char *text, FILE *file)
{
	for (; text && *text; text++) {
		const char *name = *text == '<' ? "&lt;" : *text == '&' ? "&amp;" : NULL;

		if (name)
			fputs(name, file);
		else
			fputc(*text, file);
	}
}

/* --- where things are --- */

/* Rows, the nodes below, each row as wide as that of the nodes. */
static void place_rows(struct picture *p, int n_rows, const int n_in[])
{
	const struct cluster *cluster = p->show->cluster;
	double width = STEP * fmax(cluster->n_nodes, 16);
	int s = 0;

	for (int row = 0; row < n_rows; row++)
		for (int i = 0; i < n_in[row]; i++)
			p->switches[s++] = (struct point){40 + width * (i + 0.5) / n_in[row],
							  40.0 + ROW * (n_rows - row)};
	for (int node = 0; node < cluster->n_nodes; node++)
		p->nodes[node] = (struct point){40 + width * (node + 0.5) / cluster->n_nodes,
						40.0 + ROW * (n_rows + 1)};
	p->width = width + 80;
	p->height = 80.0 + ROW * (n_rows + 1);
}

static void place_tree(struct picture *p)
{
	const struct cluster_topology *shape = &p->show->cluster->network.topology;
	int n_in[CLUSTER_MAX_DIMENSIONS], n_below = 1, width = 1;

	for (int l = 0; l < shape->down.n; l++) {
		n_below *= shape->down.at[l];
		n_in[l] = p->show->cluster->n_nodes / n_below * width;
		width *= l < shape->up.n ? shape->up.at[l] : 1;
	}
	place_rows(p, shape->down.n, n_in);
}

/* Even dimensions to the right, odd ones down, the later in larger steps. */
static void place_grid(struct picture *p)
{
	const struct cluster_numbers *sizes = &p->show->cluster->network.topology.dimensions;

	for (int s = 0; s < p->show->cluster->n_nodes; s++) {
		double at[2] = {0, 0}, step[2] = {GRID_STEP, GRID_STEP};

		for (int k = 0, rest = s; k < sizes->n; rest /= sizes->at[k++]) {
			at[k % 2] += rest % sizes->at[k] * step[k % 2];
			step[k % 2] *= sizes->at[k] + 0.5;
		}
		p->switches[s] = (struct point){60 + at[0], 120 + at[1]};
		p->nodes[s] = (struct point){p->switches[s].x + STEP, p->switches[s].y + STEP};
		p->width = fmax(p->width, p->switches[s].x + 80);
		p->height = fmax(p->height, p->switches[s].y + 80);
	}
}

/* Switches around a circle, with gaps after each `n_together`, nodes outside. */
static void place_circle(struct picture *p, int n_together)
{
	const struct show *show = p->show;
	int n = show_n_switches(show), n_groups = (n + n_together - 1) / n_together;
	double n_places = n + 1.5 * n_groups, radius = 0, turn;
	int *n_at = calloc((size_t)n, sizeof *n_at);

	radius = fmax(120, 4 * STEP * n_places / 6.2832);
	for (int s = 0; s < n; s++) {
		turn = 6.2832 * (s + 1.5 * (s / n_together)) / n_places;
		p->switches[s] =
		    (struct point){radius * (1 + cos(turn)) + 140, radius * (1 + sin(turn)) + 160};
	}
	for (int node = 0; n_at && node < show->cluster->n_nodes; node++) {
		int s = show_switch_of(show, node), k = n_at[s]++;
		double away = radius + 2 * STEP + k / 3 * STEP;

		turn = 6.2832 * (s + 1.5 * (s / n_together) + 0.3 * (k % 3 - 1)) / n_places;
		p->nodes[node] = (struct point){radius + away * cos(turn) + 140,
						radius + away * sin(turn) + 160};
	}
	free(n_at);
	p->width = 2 * radius + 280;
	p->height = 2 * radius + 320;
}

static void place_all(struct picture *p)
{
	const struct cluster_topology *shape = &p->show->cluster->network.topology;
	const int one = 1;

	if (shape->kind == CLUSTER_TOPOLOGY_STAR)
		place_rows(p, 1, &one);
	else if (shape->kind == CLUSTER_TOPOLOGY_FAT_TREE)
		place_tree(p);
	else if (shape->kind == CLUSTER_TOPOLOGY_TORUS)
		place_grid(p);
	else
		place_circle(p, shape->kind == CLUSTER_TOPOLOGY_DRAGONFLY ? shape->routers : 1);
}

/* --- what is drawn --- */

static const char *const colours[] = {"#4477aa", "#ee6677", "#228833",
				      "#ccbb44", "#66ccee", "#aa3377"};

static void write_line(struct point a, struct point b, int link_class, double width, FILE *file)
{
	fprintf(file,
		"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
		"stroke-width=\"%.2f\"/>\n",
		a.x, a.y, b.x, b.y, link_class < 0 ? "#999999" : colours[link_class % 6], width);
}

/* A line; past others on the same line of a torus as an arc. */
static void write_link(const struct picture *p, const int ends[2], int link_class, double width,
		       FILE *file)
{
	struct point a = p->switches[ends[0]], b = p->switches[ends[1]];
	bool is_torus = p->show->cluster->network.topology.kind == CLUSTER_TOPOLOGY_TORUS;
	double x = b.x - a.x, y = b.y - a.y;

	if (!is_torus || hypot(x, y) <= GRID_STEP + 1)
		write_line(a, b, link_class, width, file);
	else
		fprintf(file,
			"<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" fill=\"none\" stroke=\"%s\" "
			"stroke-width=\"%.2f\"/>\n",
			a.x, a.y, a.x + x / 2 - ARC * y, a.y + y / 2 - ARC * x, b.x, b.y,
			colours[link_class % 6], width);
}

/* As wide as their bandwidth, each pair of directions once; those that have failed are broken. */
static void write_links(const struct picture *p, FILE *file)
{
	const struct net_topology *topology = p->show->topology;
	int n = p->show->cluster->n_nodes;

	for (int node = 0; node < n; node++)
		write_line(p->nodes[node], p->switches[show_switch_of(p->show, node)], -1, 1, file);
	for (int k = 0; topology && k < topology->n_classes; k++)
		for (int l = topology->class_begin[k]; l < topology->class_begin[k + 1]; l++) {
			double width = fmin(net_topology_capacity(topology, l), 6);
			int ends[2];

			topology->ends(topology, l, ends);
			ends[0] -= n;
			ends[1] -= n;
			if (width == 0)
				fputs("<g stroke-dasharray=\"2 6\">", file);
			if (ends[0] < ends[1] || width == 0)
				write_link(p, ends, k, width > 0 ? width : 1, file);
			if (width == 0)
				fputs("</g>\n", file);
		}
}

static void write_ranks(const struct show *show, int node, FILE *file)
{
	int n = 0;

	fprintf(file, "<title>node %d", node);
	for (int rank = 0; rank < show->n_ranks && n < 64; rank++)
		if (show->node_of[rank] == node)
			fprintf(file, "%s %d", n++ ? "," : ": ranks", rank);
	fprintf(file, "%s</title>", n < show->n_on[node] ? ", …" : "");
}

static void write_places(const struct picture *p, FILE *file)
{
	const struct show *show = p->show;

	for (int s = 0; s < show_n_switches(show); s++)
		fprintf(file,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" fill=\"#333333\">"
			"<title>switch %d</title></rect>\n",
			p->switches[s].x - 6, p->switches[s].y - 6, s);
	for (int node = 0; node < show->cluster->n_nodes; node++) {
		fprintf(
		    file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\" fill=\"%s\" stroke=\"#333333\">",
		    p->nodes[node].x, p->nodes[node].y, show->n_on[node] ? "#ddaa33" : "#ffffff");
		write_ranks(show, node, file);
		fputs("</circle>\n", file);
		if (show->n_on[node])
			fprintf(file,
				"<text x=\"%.1f\" y=\"%.1f\" font-size=\"8\" "
				"text-anchor=\"middle\">%d</text>\n",
				p->nodes[node].x, p->nodes[node].y + 3, show->n_on[node]);
	}
}

/* A box for the nodes, and one for each class of links. */
static void write_boxes(const struct show *show, FILE *file)
{
	const struct net_topology *topology = show->topology;
	const struct cluster *cluster = show->cluster;
	char size[80];

	for (int k = -1; k < (topology ? topology->n_classes : 0); k++) {
		char taper[32] = "";
		struct show_class one = {.name = "nodes",
					 .n = 2 * cluster->n_nodes * cluster->network.n_nics,
					 .bandwidth_Bps = cluster->network.bandwidth_Bps,
					 .least_Bps = cluster->network.bandwidth_Bps};
		int y = 80 + 60 * (k + 1);

		if (k >= 0)
			one = show_describe_class(show, k);
		if (k >= 0)
			snprintf(taper, sizeof taper, ", taper %.3g", show_taper(show, &one));
		fprintf(
		    file,
		    "<rect x=\"40\" y=\"%d\" width=\"520\" height=\"40\" fill=\"#eeeeee\" "
		    "stroke=\"#333333\"/><text x=\"50\" y=\"%d\">%s: %d links, %s each%s</text>\n",
		    y, y + 25, one.name, one.n, show_bandwidth(size, sizeof size, &one), taper);
	}
}

static void write_head(const struct picture *p, FILE *file)
{
	const struct show *show = p->show;

	fprintf(
	    file,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
	    "height=\"%.0f\" font-family=\"sans-serif\">\n"
	    "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
	    "<text x=\"20\" y=\"30\" font-size=\"16\">",
	    p->width, p->height, p->width, p->height);
	write_escaped(show->cluster->name, file);
	fprintf(file,
		"</text>\n<text x=\"20\" y=\"52\" font-size=\"12\">%d nodes with %d core%s, %d "
		"switch%s",
		show->cluster->n_nodes, show->cluster->cores,
		show->cluster->cores == 1 ? "" : "s", show_n_switches(show),
		show_n_switches(show) == 1 ? "" : "es");
	if (show->n_ranks > 0)
		fprintf(file, "; %d ranks on %d nodes", show->n_ranks, show_n_used(show));
	fputs("</text>\n", file);
}

/* Which colour is which class, a line for each. */
static void write_legend(const struct show *show, FILE *file)
{
	char size[80];

	for (int k = 0; show->topology && k < show->topology->n_classes; k++) {
		struct show_class one = show_describe_class(show, k);

		fprintf(file, "<text x=\"20\" y=\"%d\" font-size=\"12\" fill=\"%s\">%s: %d x %s",
			72 + LINE * k, colours[k % 6], one.name, one.n,
			show_bandwidth(size, sizeof size, &one));
		if (one.n_failed > 0)
			fprintf(file, ", %d failed", one.n_failed);
		fprintf(file, ", taper %.3g</text>\n", show_taper(show, &one));
	}
}

void show_picture(const struct show *show, FILE *file)
{
	const struct net_topology *topology = show->topology;
	int n_nodes = show->cluster->n_nodes, n_switches = show_n_switches(show);
	bool is_small = n_nodes <= MAX_NODES && n_switches <= MAX_SWITCHES &&
			(!topology || topology->n_links < MAX_LINES);
	double node_y, below = topology ? (topology->n_classes - 1) * LINE : 0; /* the legend's first line */
	struct picture p = {
	    .show = show, .width = 600, .height = 160 + 60 * (topology ? topology->n_classes : 0)};

	p.switches = calloc((size_t)n_switches, sizeof *p.switches);
	p.nodes = calloc((size_t)n_nodes, sizeof *p.nodes);
	is_small = is_small && p.switches && p.nodes;
	if (is_small)
		place_all(&p);
	if (is_small)
		p.height += below;
	p.width = fmax(fmax(p.width, 600), show_node_width(show));
	node_y = p.height;
	p.height += show_node_height(show);
	write_head(&p, file);
	if (is_small) {
		write_legend(show, file);
		fprintf(file, "<g transform=\"translate(0 %.0f)\">\n", below);
		write_links(&p, file);
		write_places(&p, file);
		fputs("</g>\n", file);
	} else {
		write_boxes(show, file);
	}
	show_node(show, node_y, file);
	fputs("</svg>\n", file);
	free(p.switches);
	free(p.nodes);
}
