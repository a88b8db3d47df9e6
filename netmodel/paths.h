/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NETMODEL_PATHS_H
#define NETMODEL_PATHS_H

#include <stdint.h>

#include "netmodel/route.h"
#include "util/error.h"

/* Shortest ways over links between switches, for fabrics of any shape: graphs, and those of which
 * links have failed. A byte for each pair of a switch with nodes and a switch. */
struct net_paths;

/*
 * `speeds`: of each link from 2 n_nodes on, 0: it has failed; NULL: none has. Errors: UTIL_EINPUT:
 * a node is not reached, or there are too many switches; UTIL_ENOMEM.
 */
int net_paths_create(const struct net_topology *topology, const struct cluster *cluster,
		     const double speeds[], struct net_paths **out, struct util_error *err);
void net_paths_destroy(struct net_paths *paths); /* NULL is fine */
/* The most links of a way. */
int net_paths_longest(const struct net_paths *paths);
/* Fills in the links of a shortest way between two switches, `choice` says which; their number. */
int net_paths_find(const struct net_paths *paths, int from, int to, uint64_t choice, int links[]);

#endif
