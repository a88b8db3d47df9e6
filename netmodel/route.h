/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NETMODEL_ROUTE_H
#define NETMODEL_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/cluster.h"

/*
 * Which links a transfer crosses. Links are numbered: node i has link i (out of it) and link
 * n_nodes + i (into it); those from 2 n_nodes on lie between switches, class by class. A route is a
 * list of different links, the source's first, the destination's last. The star has no others: it is
 * no topology, and costs nothing.
 */
struct net_topology {
	int n_links; /* those of the nodes included */
	int longest; /* most links of a route, > 2 */
	int n_classes;
	int class_begin[CLUSTER_MAX_DIMENSIONS + 1]; /* class k: links class_begin[k] up to
							class_begin[k + 1] */
	/* Fills links[longest] with the route between different nodes; how many there are, >= 2.
	 * `choice` says which one of several: any number. */
	int (*route)(const struct net_topology *topology, int source_node, int dest_node,
		     uint64_t choice, bool is_detour, int links[]);
	bool has_detours; /* longer routes, by way of others */
	/* Half duplex: of each link from class_begin[0] on the one that carries what it would; NULL:
	 * itself. */
	int *carriers;
	/* The two ends of a link: a node, or n_nodes + a switch. */
	void (*ends)(const struct net_topology *topology, int link, int ends[2]);
	int n_switches;
	/* Writes what the links of a class are, for reports. */
	void (*name_class)(const struct net_topology *topology, int link_class, char *out,
			   size_t size);
	/* Writes what link >= 2 n_nodes is. */
	void (*name)(const struct net_topology *topology, int link, char *out, size_t size);
};

#endif
