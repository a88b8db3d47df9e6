/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NETMODEL_MEMORY_H
#define NETMODEL_MEMORY_H

#include "netmodel/private.h"

/*
 * The memory domains of nodes and what draws on them: computations, and the copies by which messages
 * move within a node (docs/model.md §4). For clusters that say so (cluster_shares_memory); of the
 * others computations are compute.c's, and such a message is a delay.
 */
struct net_memory;

/* Errors: UTIL_ENOMEM. */
int net_memory_create(struct net_model *model);
void net_memory_destroy(struct net_memory *memory); /* NULL is fine */
/* A computation that is set up begins to draw: `memory_B` in all. */
void net_memory_compute(struct net_compute *compute, const struct net_place *place,
			double memory_B);
/* A copy that is set up, with its delay and its work. */
void net_memory_copy(struct net_transfer *transfer, const struct net_place *from,
		     const struct net_place *to, struct net_duration duration);
/* The node's flows came or went, or have more or less CPU: their speeds from now on. */
void net_memory_update(struct net_model *model, int node);

#endif
