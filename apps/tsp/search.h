/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_TSP_SEARCH_H
#define APPS_TSP_SEARCH_H

#include <stdint.h>

/*
 * Depth-first branch and bound for the travelling salesman, without MPI. Cities are numbered from 0, tours start and end at city 0, lengths are integers, so
 * that the shortest length is the same whoever finds it first.
 */
enum { TSP_MIN_CITIES = 4, TSP_MAX_CITIES = 20 };

struct tsp {
	int n;
	int distance[TSP_MAX_CITIES][TSP_MAX_CITIES];
	int nearest[TSP_MAX_CITIES][TSP_MAX_CITIES]; /* the other cities, nearest first: [n - 1] */
	int cheapest[TSP_MAX_CITIES];                /* distance to the nearest */
	int best;                                    /* length of the best tour known to this rank */
	uint64_t n_nodes;                            /* expanded here so far */
	/* called now and then, and when `best` has fallen; may lower `best` */
	void (*poll)(struct tsp *tsp);
	void (*improved)(struct tsp *tsp);
	void *context;                               /* the caller's */
	double node_time_s;                          /* charged per expanded node; 0: nothing is charged */
	uint64_t n_charged;
};

/* n random cities on a square of 10 000 x 10 000, from the seed; `best` from the nearest-neighbour tour. */
void tsp_init(struct tsp *tsp, int n, uint64_t seed);

/* A task is the subtree of tours that begin 0, a, b. Their number, and the exhaustive search of one. */
int tsp_n_tasks(const struct tsp *tsp);
void tsp_search(struct tsp *tsp, int task);

#endif
