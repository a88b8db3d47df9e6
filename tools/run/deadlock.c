// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/deadlock.h"

#include <stdlib.h>
#include <string.h>

enum mark { MARK_STUCK, MARK_FREE, MARK_ON_PATH, MARK_DONE };

struct search {
	int n_ranks;
	const struct run_waits *waits;
	unsigned char *mark; /* [n_ranks] */
	int *path, *next; /* [n_ranks]: ranks on the path, and for each rank the next peer to look
			     at */
};

static int peer_of(const struct run_waits *waits, int i)
{
	return waits->peers ? waits->peers[i] : i;
}

/* Enough of its peers can go on. */
static bool can_go_on(const struct search *search, int rank)
{
	const struct run_waits *w = &search->waits[rank];
	int n_free = 0, n_others = 0;

	if (w->state != RUN_BLOCKED || w->n_peers == 0)
		return w->state == RUN_GOES_ON;
	for (int i = 0; i < w->n_peers; i++) {
		int peer = peer_of(w, i);

		if (!w->peers && peer == rank)
			continue;
		n_others++;
		n_free += search->mark[peer] == MARK_FREE;
	}
	return w->any ? n_free > 0 : n_free == n_others;
}

/* Whoever is not freed by repeating this is stuck. */
static void mark_free(struct search *search)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (int rank = 0; rank < search->n_ranks; rank++)
			if (search->mark[rank] == MARK_STUCK && can_go_on(search, rank)) {
				search->mark[rank] = MARK_FREE;
				changed = true;
			}
	}
}

/* The next stuck peer of `rank` that the search has not finished with; -1: none. */
static int next_peer(struct search *search, int rank)
{
	const struct run_waits *w = &search->waits[rank];

	while (search->next[rank] < w->n_peers) {
		int peer = peer_of(w, search->next[rank]++);
		enum mark mark = search->mark[peer];

		if (!w->peers && peer == rank)
			continue;
		if (search->waits[peer].state == RUN_BLOCKED &&
		    (mark == MARK_STUCK || mark == MARK_ON_PATH))
			return peer;
	}
	return -1;
}

/* Depth first from `start` without recursion. Returns the place on the path where the cycle begins,
 * its end in *length; -1: none. */
static int search_from(struct search *search, int start, int *length)
{
	int n = 0;

	search->path[n++] = start;
	search->mark[start] = MARK_ON_PATH;
	while (n > 0) {
		int rank = search->path[n - 1];
		int peer = next_peer(search, rank);

		if (peer < 0) {
			search->mark[rank] = MARK_DONE;
			n--;
		} else if (search->mark[peer] == MARK_ON_PATH) {
			int first = n - 1;

			while (search->path[first] != peer)
				first--;
			*length = n;
			return first;
		} else {
			search->mark[peer] = MARK_ON_PATH;
			search->path[n++] = peer;
		}
	}
	return -1;
}

static int find(struct search *search, int cycle[])
{
	mark_free(search);
	for (int start = 0; start < search->n_ranks; start++) {
		int length = 0, first, n, lowest = 0;

		if (search->waits[start].state != RUN_BLOCKED || search->mark[start] != MARK_STUCK)
			continue;
		first = search_from(search, start, &length);
		if (first < 0)
			continue;
		n = length - first;
		for (int i = 1; i < n; i++)
			if (search->path[first + i] < search->path[first + lowest])
				lowest = i;
		for (int i = 0; i < n; i++)
			cycle[i] = search->path[first + (lowest + i) % n];
		return n;
	}
	return 0;
}

int run_find_cycle(int n_ranks, const struct run_waits waits[], int cycle[])
{
	size_t n = n_ranks > 0 ? (size_t)n_ranks : 1;
	struct search search = {
		.n_ranks = n_ranks,
		.waits = waits,
		.mark = calloc(n, sizeof *search.mark),
		.path = calloc(n, sizeof *search.path),
		.next = calloc(n, sizeof *search.next),
	};
	int found = -1;

	if (search.mark && search.path && search.next)
		found = find(&search, cycle);
	free(search.mark);
	free(search.path);
	free(search.next);
	return found;
}
