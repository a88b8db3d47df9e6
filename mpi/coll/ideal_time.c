/* SPDX-License-Identifier: BSD-3-Clause */
/* How long collectives by formula take: docs/collectives.md, "Ideal". */
#include <stdlib.h>

#include "cluster/levels.h"
#include "mpi/coll/ideal.h"
#include "netmodel/model.h"
#include "netmodel/topology.h"
#include "util/error.h"

static bool is_one_node(const struct mpi_ideal_traffic *t)
{
	return t->nodes->n_nodes == 1;
}

static int unit_of(const struct mpi_ideal *ideal, int rank)
{
	return is_one_node(&ideal->traffic) ? rank : ideal->traffic.nodes->node[rank];
}

void mpi_ideal_traffic_init(struct mpi_rank *me, const struct mpi_coll *coll,
			    struct mpi_ideal *ideal)
{
	struct mpi_ideal_traffic *t = &ideal->traffic;

	t->nodes = mpi_group_nodes(me, coll->comm->group);
	t->n_units = is_one_node(t) ? coll->size : t->nodes->n_nodes;
	for (int i = 0; i < t->nodes->n_nodes; i++) {
		int n = t->nodes->first[i + 1] - t->nodes->first[i];

		t->largest = n > t->largest ? n : t->largest;
	}
}

void mpi_ideal_traffic_finish(struct mpi_ideal_traffic *traffic)
{
	free(traffic->out_B);
	free(traffic->in_B);
}

static int need_links(struct mpi_ideal_traffic *t)
{
	if (!t->out_B)
		t->out_B = calloc((size_t)t->n_units, sizeof *t->out_B);
	if (!t->in_B)
		t->in_B = calloc((size_t)t->n_units, sizeof *t->in_B);
	return t->out_B && t->in_B ? 0 : UTIL_ENOMEM;
}

static int64_t sent_to(const struct mpi_coll *coll, int rank)
{
	return mpi_coll_block_size_B(mpi_coll_block(&coll->call.send, rank));
}

/* All to all, or all from the root: what is for ranks behind other links. */
static int add_scattered(const struct mpi_coll *coll, struct mpi_ideal *ideal)
{
	struct mpi_ideal_traffic *t = &ideal->traffic;
	int own = unit_of(ideal, coll->rank);

	if (need_links(t))
		return UTIL_ENOMEM;
	for (int i = 0; i < coll->size; i++) {
		int unit = unit_of(ideal, i);

		if (unit == own)
			continue;
		t->out_B[own] += sent_to(coll, i);
		t->in_B[unit] += sent_to(coll, i);
	}
	return 0;
}

/* Everybody gets it, or only the root. */
static int add_gathered(const struct mpi_coll *coll, struct mpi_ideal *ideal, bool is_for_all)
{
	struct mpi_ideal_traffic *t = &ideal->traffic;
	int64_t size_B = ideal->slots[coll->rank].size_B;
	int own = unit_of(ideal, coll->rank);

	if (is_for_all) {
		if (need_links(t))
			return UTIL_ENOMEM;
		t->out_B[own] += size_B;
		t->through_B += size_B;
	} else if (own != unit_of(ideal, ideal->root)) {
		t->through_B += size_B;
	}
	return 0;
}

/* Known to the first rank already: which of the result belongs where. */
static int add_reduced_blocks(const struct mpi_coll *coll, struct mpi_ideal *ideal)
{
	struct mpi_ideal_traffic *t = &ideal->traffic;

	if (t->out_B)
		return 0;
	if (need_links(t))
		return UTIL_ENOMEM;
	for (int i = 0; i < coll->size; i++) {
		MPI_Count count = coll->given.send.count;

		if (mpi_counts_are_set(coll->given.send.counts))
			count = mpi_counts_at(coll->given.send.counts, i);
		t->out_B[unit_of(ideal, i)] += count * coll->given.send.type->size_B;
		t->through_B += count * coll->given.send.type->size_B;
	}
	return 0;
}

int mpi_ideal_traffic_add(const struct mpi_coll *coll, struct mpi_ideal *ideal)
{
	struct mpi_ideal_traffic *t = &ideal->traffic;
	int64_t size_B = ideal->slots[coll->rank].size_B;

	switch (coll->kind) {
	case COLL_BARRIER:
		return 0;
	case COLL_GATHER:
	case COLL_GATHERV:
		return add_gathered(coll, ideal, false);
	case COLL_ALLGATHER:
	case COLL_ALLGATHERV:
		return add_gathered(coll, ideal, true);
	case COLL_SCATTER:
	case COLL_SCATTERV:
		return coll->rank == ideal->root ? add_scattered(coll, ideal) : 0;
	case COLL_ALLTOALL:
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
		return add_scattered(coll, ideal);
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return add_reduced_blocks(coll, ideal);
	default:
		t->through_B = size_B > t->through_B ? size_B : t->through_B;
		return 0;
	}
}

/* All that is there but what the unit with the least of it has already. */
static int64_t all_but_smallest(const struct mpi_ideal_traffic *t)
{
	int64_t least = INT64_MAX;

	for (int i = 0; i < t->n_units; i++)
		if (t->out_B[i] < least)
			least = t->out_B[i];
	return t->through_B - least;
}

static int64_t busiest_link(const struct mpi_ideal_traffic *t)
{
	int64_t most = 0;

	for (int i = 0; i < t->n_units; i++) {
		most = t->out_B[i] > most ? t->out_B[i] : most;
		most = t->in_B[i] > most ? t->in_B[i] : most;
	}
	return most;
}

static int64_t size_of(const struct mpi_ideal *ideal)
{
	const struct mpi_ideal_traffic *t = &ideal->traffic;

	switch (ideal->kind) {
	case COLL_ALLGATHER:
	case COLL_ALLGATHERV:
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return all_but_smallest(t);
	case COLL_SCATTER: /* the root's */
	case COLL_SCATTERV:
	case COLL_ALLTOALL:
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
		return busiest_link(t);
	case COLL_ALLREDUCE:
		return 2 * (t->through_B - t->through_B / t->n_units);
	default:
		return t->through_B;
	}
}

/* ceil(log2 n) */
static int n_rounds(int n)
{
	int rounds = 0;

	while (n > 1 << rounds)
		rounds++;
	return rounds;
}

struct sim_cause_formula mpi_ideal_formula(const struct mpi_ideal *ideal)
{
	const struct mpi_ideal_traffic *t = &ideal->traffic;

	return (struct sim_cause_formula){
	    .n_transfers = is_one_node(t) ? 0 : n_rounds(t->n_units),
	    .n_intra_transfers = n_rounds(is_one_node(t) ? t->n_units : t->largest),
	    .size_B = size_of(ideal),
	    .is_within_node = is_one_node(t),
	};
}

static double transfer_s(const struct cluster *cluster, bool is_within, int64_t size_B)
{
	int level = is_within ? cluster_n_levels(cluster) - 1 : NET_BETWEEN_NODES;
	struct net_minimum minimum = net_transfer_minimum(cluster, level, size_B);

	return minimum.latency_s + minimum.bandwidth_s +
	       (is_within ? 0 : net_topology_most_delay_s(cluster));
}

sim_time_ps mpi_ideal_time(const struct mpi_rank *me, const struct sim_cause_formula *formula)
{
	const struct cluster *cluster = me->world->pd->cluster;
	double overhead_s = cluster->protocol.send_overhead_s + cluster->protocol.recv_overhead_s;
	double bytes_s = transfer_s(cluster, formula->is_within_node, formula->size_B) -
			 transfer_s(cluster, formula->is_within_node, 0);

	return sim_time_from_s(formula->n_transfers * (overhead_s + transfer_s(cluster, false, 0)) +
			       formula->n_intra_transfers *
				   (overhead_s + transfer_s(cluster, true, 0)) +
			       (bytes_s > 0 ? bytes_s : 0));
}
