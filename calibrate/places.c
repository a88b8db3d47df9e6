/* SPDX-License-Identifier: BSD-3-Clause */
/* Which ranks are pairs at a place. */
#include "places.h"

#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

void places_find(struct places *places)
{
	struct rank_place here;
	MPI_Comm node;
	int first;

	MPI_Comm_rank(MPI_COMM_WORLD, &places->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &places->n_ranks);
	places->of = calloc((size_t)places->n_ranks, sizeof(*places->of));
	if (!places->of) {
		fprintf(stderr, "mpisim-calibrate: out of memory\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	levels_find(&here);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Allreduce(&places->rank, &first, 1, MPI_INT, MPI_MIN, node);
	MPI_Comm_free(&node);
	here.node = first;
	MPI_Allgather(&here, 3, MPI_INT, places->of, 3, MPI_INT, MPI_COMM_WORLD);
	/* nodes are numbered in the order of their first ranks */
	places->n_nodes = 0;
	for (int k = 0; k < places->n_ranks; k++) {
		first = places->of[k].node;
		places->of[k].node = first == k ? places->n_nodes++ : places->of[first].node;
	}
}

void places_finish(struct places *places)
{
	free(places->of);
	places->of = NULL;
}

/* The side of a pair that a rank is on, 0 or 1; -1: it has no part. `n` [2]: how many are on each so
 * far. */
static int side_of(const struct places *places, enum place place, int rank, const int *n)
{
	const struct rank_place *first = &places->of[0], *it = &places->of[rank];
	bool is_bound = it->socket >= 0 && it->domain >= 0 && first->domain >= 0,
	     is_node = it->node == first->node, is_domain = is_node && it->domain == first->domain;

	switch (place) {
	case PLACE_DOMAIN:
		return is_bound && is_domain ? n[0] > n[1] : -1;
	case PLACE_SOCKET:
		return !is_bound || !is_node || it->socket != first->socket ? -1 : !is_domain;
	case PLACE_NODE:
		return !is_bound || !is_node	     ? -1
		       : is_domain		     ? 0
		       : it->socket != first->socket ? 1
						     : -1;
	case PLACE_NODES:
		return it->node < 2 ? it->node : -1;
	case PLACE_ACROSS:
		for (int k = 0; k < rank; k++)
			if (places->of[k].node == it->node)
				return -1;
		return places->n_nodes < 4		    ? -1
		       : it->node < places->n_nodes / 2	    ? 0
		       : it->node < places->n_nodes / 2 * 2 ? 1
							    : -1;
	default:
		return -1;
	}
}

/* How many pairs there are, and which rank of the first `most` this one is; -1: of none. */
static int count(const struct places *places, enum place place, int most, int *key)
{
	int n[2] = {0, 0};

	*key = -1;
	for (int k = 0; k < places->n_ranks; k++) {
		int side = side_of(places, place, k, n);

		if (side >= 0 && k == places->rank && n[side] < most)
			*key = side * most + n[side];
		if (side >= 0)
			n[side]++;
	}
	return n[0] < n[1] ? n[0] : n[1];
}

int places_count(const struct places *places, enum place place)
{
	int key;

	return count(places, place, 0, &key);
}

int places_key(const struct places *places, enum place place, int n_ranks)
{
	int key;

	if (place == PLACE_ANYWHERE)
		return places->rank < n_ranks && n_ranks <= places->n_ranks ? places->rank : -1;
	return n_ranks % 2 == 0 && count(places, place, n_ranks / 2, &key) >= n_ranks / 2 ? key
											  : -1;
}
