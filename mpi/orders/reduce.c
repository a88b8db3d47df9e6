/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Persistent sets: the choices of one rank alone are enough where nothing that others do without it
 * adds to them. What others choose then commutes with it, and is tried after.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi/orders/orders.h"
#include "mpi/p2p/blocked.h"
#include "mpi/p2p/endpoint.h"

struct waits {	    /* of one rank: whom it may go on through */
	int *peers; /* [n]; NULL: anybody */
	int n;
	bool has_choice, is_over;
};

static struct waits *describe(struct mpi_orders *orders)
{
	int n_ranks = orders->world->n_ranks;
	struct waits *all = calloc((size_t)n_ranks, sizeof *all);

	for (int i = 0; all && i < n_ranks; i++) {
		struct mpi_rank *me = &orders->world->ranks[i];
		struct mpi_blocked blocked;

		all[i].is_over = me->pd->has_ended;
		all[i].has_choice = orders->ranks[i].question != NULL;
		mpi_blocked_describe(me, &blocked);
		all[i].peers = blocked.waits_for;
		all[i].n = blocked.n;
	}
	for (int i = 0; all && i < orders->n_enabled; i++)
		all[orders->enabled[i].rank].has_choice = true;
	return all;
}

static bool may_go_on(const struct waits *w, int n_ranks, const bool is_active[])
{
	if (!w->peers) {
		for (int i = 0; i < n_ranks; i++)
			if (is_active[i])
				return true;
		return false;
	}
	for (int i = 0; i < w->n; i++)
		if (is_active[w->peers[i]])
			return true;
	return false;
}

/* Who may act before `rank` does; how many. */
static int find_active(const struct waits all[], int n_ranks, int rank, bool is_active[])
{
	int n = 0;
	bool has_grown = true;

	for (int i = 0; i < n_ranks; i++)
		n += is_active[i] = i != rank && all[i].has_choice;
	while (has_grown) {
		has_grown = false;
		for (int i = 0; i < n_ranks; i++)
			if (i != rank && !is_active[i] && !all[i].is_over &&
			    may_go_on(&all[i], n_ranks, is_active)) {
				is_active[i] = has_grown = true;
				n++;
			}
	}
	return n;
}

static bool has_candidate(const struct mpi_orders *orders, const struct mpi_request *recv,
			  int source)
{
	for (int i = 0; i < orders->n_enabled; i++) {
		const struct mpi_decision *d = &orders->enabled[i];

		if (d->rank == recv->owner->rank && d->kind == MPI_CHOICE_RECV &&
		    d->ordinal == recv->ordinal && d->source == source)
			return true;
	}
	return false;
}

/* No active rank can send what a wildcard could take besides the candidates that it has. */
static bool is_covered(const struct mpi_orders *orders, const struct mpi_request *recv,
		       const bool is_active[])
{
	for (int i = 0; i < mpi_comm_n_peers(recv->comm); i++) {
		int peer = mpi_comm_peer(recv->comm, i);

		if (is_active[peer] && !has_candidate(orders, recv, peer))
			return false;
	}
	return true;
}

static bool is_persistent(const struct mpi_orders *orders, int rank, int n_active,
			  const bool is_active[])
{
	const struct mpi_endpoint *endpoint = orders->world->ranks[rank].endpoint;

	if (n_active == 0)
		return true;
	for (int i = 0; i < orders->n_enabled; i++)
		if (orders->enabled[i].rank == rank && orders->enabled[i].kind == MPI_CHOICE_LOCK)
			return false;
	if (orders->ranks[rank].question || endpoint->wait.kind == MPI_WAIT_MESSAGE)
		return false;
	for (const struct mpi_request *r = endpoint->posted.first; r; r = r->link.next)
		if (r->peer == MPI_ANY_SOURCE && !is_covered(orders, r, is_active))
			return false;
	return true;
}

static void keep_only(struct mpi_orders *orders, int rank)
{
	int n = 0;

	for (int i = 0; i < orders->n_enabled; i++)
		if (orders->enabled[i].rank == rank)
			orders->enabled[n++] = orders->enabled[i];
	orders->n_enabled = n;
}

void mpi_orders_reduce(struct mpi_orders *orders)
{
	int n_ranks = orders->world->n_ranks, last = -1;
	struct waits *all = describe(orders);
	bool *is_active = calloc((size_t)n_ranks, sizeof *is_active);

	for (int i = 0; all && is_active && i < orders->n_enabled; i++) {
		int rank = orders->enabled[i].rank;

		if (rank == last)
			continue;
		last = rank;
		if (is_persistent(orders, rank, find_active(all, n_ranks, rank, is_active),
				  is_active)) {
			keep_only(orders, rank);
			break;
		}
	}
	for (int i = 0; all && i < n_ranks; i++)
		free(all[i].peers);
	free(all);
	free(is_active);
}
