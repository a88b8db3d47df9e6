/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_PLACES_H
#define CALIBRATE_PLACES_H

#include "benchmarks.h"

struct rank_place {
	int node;
	int socket, domain; /* within the node; -1: not bound to one */
};

/* Where all ranks are. */
struct places {
	int rank, n_ranks, n_nodes;
	struct rank_place *of; /* [n_ranks] */
};

/* Of all ranks. */
void places_find(struct places *places);
void places_finish(struct places *places);
/* Which rank this one is of so many at the place, whose first half are partners of the second; -1: of
 * none, or there are not that many. Rank 0 always has a part in it. */
int places_key(const struct places *places, enum place place, int n_ranks);
/* How many pairs there are. */
int places_count(const struct places *places, enum place place);

/* levels_system.c, levels_simulated.c: of this rank; -1: not bound to one. */
void levels_find(struct rank_place *place);

#endif
