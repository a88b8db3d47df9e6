/* SPDX-License-Identifier: BSD-3-Clause */
/* Which algorithm does an operation. */
#include "mpi/coll/profile.h"

const struct mpi_coll_profile *const mpi_coll_profiles[] = {
    [CLUSTER_COLL_DEFAULT] = &mpi_coll_profile_default,
    [CLUSTER_COLL_OPENMPI] = &mpi_coll_profile_openmpi,
    [CLUSTER_COLL_MPICH] = &mpi_coll_profile_mpich,
    [CLUSTER_COLL_IDEAL] = &mpi_coll_profile_ideal,
    NULL,
};

/* Bytes that every rank contributes, where that is one number and equal on all ranks. */
static MPI_Count block_size_B(const struct mpi_coll *coll)
{
	const struct mpi_coll_call *given = &coll->given;

	if (coll->kind == COLL_SCATTER || coll->kind == COLL_BCAST)
		return mpi_coll_block_size_B(mpi_coll_whole(&given->recv));
	return mpi_coll_block_size_B(mpi_coll_whole(&given->send));
}

/* Of the blocks of a side whose counts all ranks know. */
static int64_t sum_B(const struct mpi_coll *coll, const struct mpi_coll_side *side)
{
	int64_t n = 0;

	for (int i = 0; i < coll->size; i++)
		n += mpi_counts_at(side->counts, i);
	return n * side->type->size_B;
}

/* The size that the rules of the profile compare; 0 for operations whose ranks know no common one.
 */
static int64_t rule_size_B(const struct mpi_coll_profile *profile, const struct mpi_coll *coll)
{
	bool is_total = profile->by_total & MPI_COLL_KIND(coll->kind);

	switch (coll->kind) {
	case COLL_BARRIER:
	case COLL_GATHERV:
	case COLL_SCATTERV:
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
		return 0;
	case COLL_ALLGATHERV:
		return sum_B(coll, &coll->given.recv) / (is_total ? 1 : coll->size);
	case COLL_REDUCE_SCATTER:
		return sum_B(coll, &coll->given.send) / (is_total ? 1 : coll->size);
	default:
		return block_size_B(coll) * (is_total ? coll->size : 1);
	}
}

bool mpi_coll_asks_for_nodes(const struct mpi_coll_selection *selection,
			     const struct mpi_coll *coll)
{
	const struct mpi_coll_algorithm *chosen;

	if (!selection || coll->kind >= N_COLL_KINDS || coll->remote_size)
		return false;
	chosen = selection->chosen[coll->kind];
	return (chosen && chosen->needs_nodes) ||
	       mpi_coll_profiles[selection->profile]->by_node & MPI_COLL_KIND(coll->kind);
}

bool mpi_coll_algorithm_fits(const struct mpi_coll_algorithm *algorithm,
			     const struct mpi_coll *coll)
{
	if (coll->is_part && algorithm->stages[1].round)
		return false; /* a stage is one round function */
	return algorithm->kinds & MPI_COLL_KIND(coll->kind) &&
	       (!algorithm->fits || algorithm->fits(coll));
}

static bool holds(const struct mpi_coll_rule *rule, const struct mpi_coll *coll, int64_t size_B)
{
	if ((rule->ranks_below && coll->size >= rule->ranks_below) ||
	    (rule->below_B && size_B >= rule->below_B))
		return false;
	if (rule->conditions & RULE_COMMUTES && !coll->op->is_commutative)
		return false;
	if (rule->conditions & RULE_NOT_COMMUTES && coll->op->is_commutative)
		return false;
	if (rule->conditions & RULE_POWER_OF_TWO && coll->size & (coll->size - 1))
		return false;
	return !(rule->conditions & RULE_PREDEFINED) || coll->op->is_predefined;
}

static const struct mpi_coll_algorithm *substitute(const struct mpi_coll_profile *profile,
						   const struct mpi_coll_algorithm *algorithm,
						   const struct mpi_coll *coll)
{
	const struct mpi_coll_substitute *s = profile->substitutes;

	for (; s && s->algorithm; s++)
		if (s->algorithm == algorithm && mpi_coll_algorithm_fits(s->instead, coll))
			return s->instead;
	return NULL;
}

/* The last rule of every operation holds for all, so there is always an answer. */
static const struct mpi_coll_algorithm *apply_rules(const struct mpi_coll_profile *profile,
						    const struct mpi_coll *coll)
{
	const struct mpi_coll_rule *rule = profile->rules[coll->kind];
	const struct mpi_coll_algorithm *found = NULL;
	int64_t size_B = -1; /* of vector forms it is a sum over all ranks: only if a rule asks */

	for (; !found; rule++) {
		if (rule->below_B && size_B < 0)
			size_B = rule_size_B(profile, coll);
		if (!holds(rule, coll, size_B))
			continue;
		found = mpi_coll_algorithm_fits(rule->algorithm, coll)
			    ? rule->algorithm
			    : substitute(profile, rule->algorithm, coll);
	}
	return found;
}

static bool end_at_once(struct mpi_rank *me, struct mpi_coll *coll)
{
	return true;
}

static const struct mpi_coll_algorithm nothing = {.name = "nothing",
						  .stages = {{NULL, end_at_once}}};

/* Whether all ranks know that no rank has any data: then libraries send no messages either. */
static bool is_empty(const struct mpi_coll *coll)
{
	switch (coll->kind) {
	case COLL_BARRIER:
	case COLL_GATHERV:
	case COLL_SCATTERV:
	case COLL_ALLGATHERV:
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
	case COLL_REDUCE_SCATTER:
		return false;
	default:
		return block_size_B(coll) == 0;
	}
}

static const struct mpi_coll_profile *profile_for(const struct mpi_coll_selection *selection,
						  const struct mpi_coll *coll)
{
	enum cluster_coll_profile profile = selection ? selection->profile : CLUSTER_COLL_DEFAULT;

	/* stages of other algorithms are made of messages */
	return mpi_coll_profiles[coll->is_part && profile == CLUSTER_COLL_IDEAL
				     ? CLUSTER_COLL_DEFAULT
				     : profile];
}

const struct mpi_coll_algorithm *mpi_coll_choose(const struct mpi_coll_selection *selection,
						 const struct mpi_coll *coll)
{
	const struct mpi_coll_algorithm *chosen;

	if (coll->kind >= N_COLL_KINDS)
		return &mpi_coll_neighbor_linear;
	if (coll->remote_size)
		return mpi_coll_inter_algorithms[coll->kind];
	if (is_empty(coll))
		return &nothing;
	chosen = selection ? selection->chosen[coll->kind] : NULL;
	if (chosen && mpi_coll_algorithm_fits(chosen, coll))
		return chosen;
	return apply_rules(profile_for(selection, coll), coll);
}

MPI_Count mpi_coll_choose_segment_B(const struct mpi_coll_selection *selection,
				    enum mpi_coll_kind kind,
				    const struct mpi_coll_algorithm *algorithm)
{
	return selection && kind < N_COLL_KINDS && selection->chosen[kind] == algorithm
		   ? selection->segment_B[kind]
		   : 0;
}
