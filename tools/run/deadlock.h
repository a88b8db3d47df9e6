/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_DEADLOCK_H
#define TOOLS_RUN_DEADLOCK_H

#include <stdbool.h>

/*
 * The wait-for graph. A blocked rank waits for every one of its peers (a receive from a given rank,
 * a barrier), or for any one of them (MPI_ANY_SOURCE, MPI_Waitany).
 */
enum run_state {
	RUN_BLOCKED, /* goes on when its peers do; without peers never */
	RUN_ENDED,   /* will never act again */
	RUN_GOES_ON, /* waits for no rank */
};

struct run_waits {
	enum run_state state;
	bool any;	  /* one of the peers is enough */
	const int *peers; /* [n_peers] ranks; NULL: ranks 0 … n_peers-1 but itself */
	int n_peers;
};

/*
 * Finds a cycle in the graph of `n_ranks` ranks: ranks[0] waits for ranks[1], …, the last for
 * ranks[0]. Only ranks that can never go on count: one that waits for any is stuck when all its
 * peers are. The cycle starts at its lowest rank; among those reachable the search takes ranks and
 * peers in order, so equal graphs give equal cycles. Writes at most n_ranks entries to `cycle`.
 * Returns their number, 0: there is none (a rank waits for one that has ended), -1: out of memory.
 * O(ranks + edges).
 */
int run_find_cycle(int n_ranks, const struct run_waits waits[], int cycle[]);

#endif
