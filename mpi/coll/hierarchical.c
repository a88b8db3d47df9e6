/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On nodes with several ranks each: within the nodes and among their leaders, the first rank of
 * each, every part done by what would be chosen for it there. As MPICH does (`composition` in its
 * device ch4). The forms root_node give the root's node its own part, first or last, where the
 * others pass the data through that node's leader.
 */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/part.h"

static bool has_levels(const struct mpi_coll *coll)
{
	return coll->nodes && mpi_nodes_have_levels(coll->nodes, coll->size);
}

/* Contributions are folded by nodes, whose ranks need not follow each other. */
static bool has_levels_and_commutes(const struct mpi_coll *coll)
{
	return has_levels(coll) && coll->op->is_commutative;
}

/* This rank's node is that of the root. */
static bool is_on_root_node(const struct mpi_coll *coll)
{
	const int *node = coll->nodes->node;

	return node[coll->comm->rank] == node[coll->given.root];
}

static int leader_of_root(const struct mpi_coll *coll)
{
	return coll->nodes->leaders[coll->nodes->node[coll->given.root]];
}

static bool is_alone(const struct mpi_coll *coll)
{
	return coll->size == 1;
}

/* One message from the rank in the communicator to the other. */
static bool pass(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block from,
		 struct mpi_coll_block to, int source, int dest)
{
	if (coll->step == 1 || source == dest)
		return true;
	if (coll->rank == source)
		mpi_coll_send(me, coll, from, dest);
	else if (coll->rank == dest)
		mpi_coll_recv(me, coll, to, source);
	return coll->n_posted == 0;
}

/* --- barrier --- */

static void choose_barrier(struct mpi_rank *me, struct mpi_coll *coll)
{
	mpi_coll_part_choose(me, coll, COLL_BARRIER);
}

/* A byte of no meaning lets the node go on. */
static void choose_release(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block byte = mpi_coll_bytes(me, mpi_coll_scratch(me, coll, 1), 1);

	coll->call.root = 0;
	coll->call.recv =
	    (struct mpi_coll_side){.buf = byte.buf, .count = byte.count, .type = byte.type};
	mpi_coll_part_choose(me, coll, COLL_BCAST);
}

const struct mpi_coll_algorithm mpi_coll_barrier_hierarchical = {
    .name = "hierarchical",
    .kinds = MPI_COLL_KIND(COLL_BARRIER),
    .needs_nodes = true,
    .fits = has_levels,
    .stages = {{choose_barrier, mpi_coll_part_round, SCOPE_NODE},
	       {choose_barrier, mpi_coll_part_round, SCOPE_LEADERS},
	       {choose_release, mpi_coll_part_round, SCOPE_NODE}},
};

/* --- broadcast --- */

static bool pass_to_leader(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block data = mpi_coll_whole(&coll->call.recv);

	return pass(me, coll, data, data, coll->given.root, leader_of_root(coll));
}

static void choose_bcast_of_leaders(struct mpi_rank *me, struct mpi_coll *coll)
{
	coll->call.root = coll->nodes->node[coll->given.root];
	mpi_coll_part_choose(me, coll, COLL_BCAST);
}

static void choose_bcast_of_node(struct mpi_rank *me, struct mpi_coll *coll)
{
	coll->call.root = 0;
	mpi_coll_part_choose(me, coll, COLL_BCAST);
}

const struct mpi_coll_algorithm mpi_coll_bcast_hierarchical = {
    .name = "hierarchical",
    .kinds = MPI_COLL_KIND(COLL_BCAST),
    .needs_nodes = true,
    .fits = has_levels,
    .stages = {{NULL, pass_to_leader},
	       {choose_bcast_of_leaders, mpi_coll_part_round, SCOPE_LEADERS},
	       {choose_bcast_of_node, mpi_coll_part_round, SCOPE_NODE}},
};

/* Before the leaders only where their leader has to get the data from the root. */
static bool is_served_first(const struct mpi_coll *coll)
{
	return is_on_root_node(coll) && coll->nodes->place[coll->given.root] > 0;
}

static void choose_bcast_first(struct mpi_rank *me, struct mpi_coll *coll)
{
	coll->part = NULL;
	coll->call.root = coll->nodes->place[coll->given.root];
	if (is_served_first(coll))
		mpi_coll_part_choose(me, coll, COLL_BCAST);
}

static void choose_bcast_last(struct mpi_rank *me, struct mpi_coll *coll)
{
	coll->part = NULL;
	if (!is_served_first(coll))
		choose_bcast_of_node(me, coll);
}

const struct mpi_coll_algorithm mpi_coll_bcast_hierarchical_root_node = {
    .name = "hierarchical_root_node",
    .kinds = MPI_COLL_KIND(COLL_BCAST),
    .needs_nodes = true,
    .fits = has_levels,
    .stages = {{choose_bcast_first, mpi_coll_part_round, SCOPE_NODE},
	       {choose_bcast_of_leaders, mpi_coll_part_round, SCOPE_LEADERS},
	       {choose_bcast_last, mpi_coll_part_round, SCOPE_NODE}},
};

/* --- reductions --- */

/* Where a leader collects: the result's buffer where it has one. */
static char *collecting_buffer(struct mpi_rank *me, struct mpi_coll *coll, bool has_result)
{
	return has_result ? coll->given.recv.buf
			  : mpi_coll_scratch_like(me, coll, mpi_coll_whole(&coll->given.send));
}

/* A reduction of `from` to rank `root` of the scope, at `to` there. */
static void choose_reduce(struct mpi_rank *me, struct mpi_coll *coll, char *from, char *to,
			  int root)
{
	coll->call.root = root;
	coll->call.send = coll->given.send;
	coll->call.send.buf = from;
	coll->call.recv = (struct mpi_coll_side){.buf = NULL};
	if (coll->rank == root) {
		coll->call.recv = coll->call.send;
		coll->call.recv.buf = to;
	}
	mpi_coll_part_choose(me, coll, COLL_REDUCE);
}

/* To the leader, who finds the sum in coll->partial; one that is alone has it already. */
static void choose_reduce_in_node(struct mpi_rank *me, struct mpi_coll *coll)
{
	bool has_result = coll->kind == COLL_ALLREDUCE || coll->comm->rank == coll->given.root;

	coll->part = NULL;
	coll->partial = coll->given.send.buf;
	if (is_alone(coll))
		return;
	if (coll->rank == 0)
		coll->partial = collecting_buffer(me, coll, has_result);
	choose_reduce(me, coll, coll->given.send.buf, coll->partial, 0);
}

static void choose_reduce_to_rank_0(struct mpi_rank *me, struct mpi_coll *coll)
{
	char *to = NULL;

	if (coll->rank == 0)
		to = collecting_buffer(me, coll, coll->given.root == 0);
	choose_reduce(me, coll, coll->partial, to, 0);
	if (coll->rank == 0)
		coll->partial = to;
}

static bool pass_to_root(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block from = mpi_coll_whole(&coll->given.send);

	return pass(me, coll, mpi_coll_block_at(from, coll->partial),
		    mpi_coll_whole(&coll->given.recv), 0, coll->given.root);
}

const struct mpi_coll_algorithm mpi_coll_reduce_hierarchical = {
    .name = "hierarchical",
    .kinds = MPI_COLL_KIND(COLL_REDUCE),
    .needs_nodes = true,
    .fits = has_levels_and_commutes,
    .stages = {{choose_reduce_in_node, mpi_coll_part_round, SCOPE_NODE},
	       {choose_reduce_to_rank_0, mpi_coll_part_round, SCOPE_LEADERS},
	       {NULL, pass_to_root}},
};

static void choose_reduce_elsewhere(struct mpi_rank *me, struct mpi_coll *coll)
{
	coll->part = NULL;
	coll->partial = coll->given.send.buf;
	if (!is_on_root_node(coll))
		choose_reduce_in_node(me, coll);
}

/* The root's node contributes but its leader's data. */
static void choose_reduce_to_root_node(struct mpi_rank *me, struct mpi_coll *coll)
{
	int root = coll->nodes->node[coll->given.root];
	char *to = NULL;

	if (coll->rank == root)
		to = collecting_buffer(me, coll, coll->comm->rank == coll->given.root);
	choose_reduce(me, coll, coll->partial, to, root);
	if (coll->rank == root)
		coll->partial = to;
}

static void choose_reduce_at_root_node(struct mpi_rank *me, struct mpi_coll *coll)
{
	coll->part = NULL;
	if (is_on_root_node(coll) && !is_alone(coll))
		choose_reduce(me, coll, coll->partial, coll->given.recv.buf,
			      coll->nodes->place[coll->given.root]);
}

const struct mpi_coll_algorithm mpi_coll_reduce_hierarchical_root_node = {
    .name = "hierarchical_root_node",
    .kinds = MPI_COLL_KIND(COLL_REDUCE),
    .needs_nodes = true,
    .fits = has_levels_and_commutes,
    .stages = {{choose_reduce_elsewhere, mpi_coll_part_round, SCOPE_NODE},
	       {choose_reduce_to_root_node, mpi_coll_part_round, SCOPE_LEADERS},
	       {choose_reduce_at_root_node, mpi_coll_part_round, SCOPE_NODE}},
};

static void choose_allreduce_of_leaders(struct mpi_rank *me, struct mpi_coll *coll)
{
	coll->call.send = coll->given.send;
	coll->call.send.buf = coll->partial;
	coll->call.recv = coll->given.recv;
	mpi_coll_part_choose(me, coll, COLL_ALLREDUCE);
}

static void choose_bcast_of_result(struct mpi_rank *me, struct mpi_coll *coll)
{
	coll->call.recv = coll->given.recv;
	choose_bcast_of_node(me, coll);
}

const struct mpi_coll_algorithm mpi_coll_allreduce_hierarchical = {
    .name = "hierarchical",
    .kinds = MPI_COLL_KIND(COLL_ALLREDUCE),
    .needs_nodes = true,
    .fits = has_levels_and_commutes,
    .stages = {{choose_reduce_in_node, mpi_coll_part_round, SCOPE_NODE},
	       {choose_allreduce_of_leaders, mpi_coll_part_round, SCOPE_LEADERS},
	       {choose_bcast_of_result, mpi_coll_part_round, SCOPE_NODE}},
};
