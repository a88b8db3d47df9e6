/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_SHOW_H
#define TOOLS_RUN_SHOW_H

#include "netmodel/route.h"
#include "tools/run/options.h"

/* --show-cluster: what the cluster file describes, and where ranks are; nothing runs. */

struct show {
	const struct cluster *cluster;
	const struct net_topology *topology; /* NULL: the star */
	const int *node_of;		     /* [n_ranks] */
	int *n_on;			     /* [n_nodes] ranks on each */
	int n_ranks;
	int n_cpus; /* cores that each holds */
};

/* Returns the exit status. */
int run_show_cluster(struct run_options *options);
/* The switch that a node hangs on, from 0. */
int show_switch_of(const struct show *show, int node);
int show_n_switches(const struct show *show);
/* Nodes with ranks. */
int show_n_used(const struct show *show);
struct show_class { /* links of a class */
	char name[64];
	int n, n_failed;
	double bandwidth_Bps; /* of the widest, beside other jobs */
	double least_Bps;     /* of the narrowest that has not failed */
	double node_Bps;      /* of all of them, in one direction, for each node */
};
struct show_class show_describe_class(const struct show *show, int link_class);
/* What a node can send, over its share of the class. */
double show_taper(const struct show *show, const struct show_class *link_class);
/* "1 GB/s", or "1 GB/s to 2 GB/s". */
const char *show_bandwidth(char *out, size_t size, const struct show_class *link_class);
/* tools/run/picture.c */
void show_picture(const struct show *show, FILE *file);
/* tools/run/picture_node.c: the cores of a node by level, from `y` on; 0 pixels where the file names no
 * levels. */
double show_node_width(const struct show *show);
double show_node_height(const struct show *show);
void show_node(const struct show *show, double y, FILE *file);

#endif
