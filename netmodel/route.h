/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NETMODEL_ROUTE_H
#define NETMODEL_ROUTE_H

/*
 * Which links a transfer crosses. Links are numbered: node i has link i (out of it) and link
 * n_nodes + i (into it); those from 2 n_nodes on lie between switches. A route is a list of different
 * links, the source's first, the destination's last. The star has no others: it is no topology, and
 * costs nothing.
 */
struct net_topology {
	int n_links; /* those of the nodes included */
	int longest; /* most links of a route, > 2 */
	/* Fills links[longest] with the route between different nodes; how many there are, >= 2. Called
	 * once for a transfer, at its start. */
	int (*route)(const struct net_topology *topology, int source_node, int dest_node,
		     int links[]);
};

#endif
