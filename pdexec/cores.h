/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_CORES_H
#define PDEXEC_CORES_H

#include <stdbool.h>

#include "pdexec/rank.h"

/* How many cores each rank of a job holds of which `n_ranks` ranks are on `node_of` [n_ranks]: as
 * world->config says, or as many as all can have, at least 1. O(ranks + nodes). */
int pd_cores_share(const struct pd_world *world, const int node_of[], int n_ranks);

/* The cores that a rank holds: ranks of a node have them in their order, or as the cluster binds
 * them (cluster/levels.h). */
static inline struct net_place pd_cores_of(const struct pd_rank *rank)
{
	return (struct net_place){rank->node, rank->core, rank->program->n_cpus};
}
/* The lowest level that two ranks of a node have in common; NET_BETWEEN_NODES. */
int pd_level_between(const struct pd_rank *a, const struct pd_rank *b);

/*
 * Libraries of a program whose ranks hold `n` cores are being loaded, until `n` is 0: those that
 * look for processors then find as many as the program does, and threads of OpenMP that wait sleep.
 */
void pd_cores_of_program(int n);
bool pd_cores_is_loading(void);

#endif
