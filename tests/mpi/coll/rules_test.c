/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rules of the profiles: at their thresholds, and every one of them is reached below its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/coll/algorithms.h"
#include "mpi/coll/profile.h"

#define MANY 10000 /* ranks, where a rule is for any number */
#define LONG (INT64_C(1) << 40)

static MPI_Count counts[MANY];
static struct mpi_datatype byte = {.size_B = 1, .extent_B = 1, .is_contiguous = true};

/*
 * An operation of `n` ranks whose rules compare `size_B`, or where equal blocks do not add up to
 * that, a little less, or with `rounds_up` more.
 */
static struct mpi_coll operation(const struct mpi_coll_profile *profile, enum mpi_coll_kind kind,
				 int n, int64_t size_B, struct mpi_op *op, bool rounds_up)
{
	bool is_total = profile->by_total & MPI_COLL_KIND(kind);
	struct mpi_coll_side side = {
	    .count = is_total ? (size_B + (rounds_up ? n - 1 : 0)) / n : size_B, .type = &byte};
	struct mpi_coll coll = {.kind = kind, .size = n, .op = op};

	coll.given.send = coll.given.recv = side;
	if (kind == COLL_ALLGATHERV || kind == COLL_REDUCE_SCATTER) {
		for (int i = 0; i < n; i++)
			counts[i] = is_total ? size_B / n + (i < size_B % n) : size_B;
		coll.given.recv.counts.wide = coll.given.send.counts.wide = counts;
	}
	return coll;
}

/* `nodes`: who shares a node; NULL: nobody. */
static const char *chosen_on(const struct mpi_nodes *nodes, enum cluster_coll_profile profile,
			     enum mpi_coll_kind kind, int n, int64_t size_B, struct mpi_op *op,
			     bool rounds_up)
{
	struct mpi_coll_selection selection = {.profile = profile};
	struct mpi_coll coll =
	    operation(mpi_coll_profiles[profile], kind, n, size_B, op, rounds_up);

	coll.nodes = nodes;
	return mpi_coll_choose(&selection, &coll)->name;
}

static const char *chosen(enum cluster_coll_profile profile, enum mpi_coll_kind kind, int n,
			  int64_t size_B, struct mpi_op *op, bool rounds_up)
{
	return chosen_on(NULL, profile, kind, n, size_B, op, rounds_up);
}

static struct mpi_op sum = {.is_commutative = true, .is_predefined = true};
static struct mpi_op of_user = {.is_commutative = true};
static struct mpi_op in_order = {.is_commutative = false};

struct threshold {
	enum mpi_coll_kind kind;
	struct mpi_op *op;
	int n;
	int64_t size_B; /* of the first that is not `below` any more */
	const char *below, *from;
};

static void check_thresholds(enum cluster_coll_profile profile, const struct threshold *t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(
		    chosen(profile, t[i].kind, t[i].n, t[i].size_B - 1, t[i].op, false),
		    t[i].below);
		assert_string_equal(chosen(profile, t[i].kind, t[i].n, t[i].size_B, t[i].op, true),
				    t[i].from);
	}
}

#define CHECK(profile, list) check_thresholds(profile, list, sizeof list / sizeof list[0])

/* The default values of its variables MPIR_CVAR_…, by what each is documented to do. */
static void mpich_switches_where_its_variables_say(void **state)
{
	static const struct threshold list[] = {
	    {COLL_BCAST, NULL, 8, 12288, "binomial", "scatter_recursive_doubling"},
	    {COLL_BCAST, NULL, 8, 524288, "scatter_recursive_doubling", "scatter_ring"},
	    {COLL_BCAST, NULL, 9, 12288, "binomial", "scatter_ring"},
	    {COLL_BCAST, NULL, 7, 524288, "binomial", "binomial"},
	    {COLL_ALLGATHER, NULL, 16, 524288, "recursive_doubling", "ring"},
	    {COLL_ALLGATHER, NULL, 15, 81920, "bruck", "ring"},
	    {COLL_ALLGATHERV, NULL, 16, 524288, "recursive_doubling", "ring"},
	    {COLL_ALLGATHERV, NULL, 15, 81920, "bruck", "ring"},
	    {COLL_ALLTOALL, NULL, 8, 257, "bruck", "scattered"},
	    {COLL_ALLTOALL, NULL, 7, 257, "scattered", "scattered"},
	    {COLL_ALLTOALL, NULL, 8, 32769, "scattered", "pairwise"},
	    {COLL_REDUCE, &sum, 8, 2049, "binomial", "rabenseifner"},
	    {COLL_REDUCE, &of_user, 8, 2049, "binomial", "binomial"},
	    {COLL_REDUCE, &sum, 4096, 4096, "binomial", "rabenseifner"}, /* an item per rank */
	    {COLL_ALLREDUCE, &sum, 8, 2049, "recursive_doubling", "rabenseifner"},
	    {COLL_ALLREDUCE, &of_user, 8, 2049, "recursive_doubling", "recursive_doubling"},
	    {COLL_REDUCE_SCATTER, &sum, 8, 524288, "recursive_halving", "pairwise"},
	    {COLL_REDUCE_SCATTER, &in_order, 8, 8, "recursive_doubling", "noncommutative"},
	    {COLL_REDUCE_SCATTER, &in_order, 7, 7, "recursive_doubling", "recursive_doubling"},
	    {COLL_REDUCE_SCATTER_BLOCK, &sum, 8, 524281, "recursive_halving", "pairwise"},
	    {COLL_REDUCE_SCATTER_BLOCK, &in_order, 8, 16, "noncommutative", "noncommutative"},
	    {COLL_GATHER, NULL, 8, 1 << 20, "binomial", "binomial"},
	    {COLL_SCATTERV, NULL, 8, 1 << 20, "linear", "linear"},
	    {COLL_SCAN, &sum, 8, 1 << 20, "recursive_doubling", "recursive_doubling"},
	};

	CHECK(CLUSTER_COLL_MPICH, list);
}

static void open_mpi_switches_where_its_rules_do(void **state)
{
	static const struct threshold list[] = {
	    {COLL_BCAST, NULL, 2, 32, "pipeline", "binary"},
	    {COLL_BCAST, NULL, 3, 1024, "knomial", "linear"},
	    {COLL_BCAST, NULL, 4, 64, "binary", "binomial"},
	    {COLL_BCAST, NULL, 7, 1048576, "linear", "pipeline"},
	    {COLL_BCAST, NULL, 31, 1048576, "binomial", "scatter_ring"},
	    {COLL_BCAST, NULL, 16, 1048576, "binomial", "scatter_recursive_doubling"},
	    {COLL_BCAST, NULL, 256, 32768, "split_binary", "knomial"},
	    {COLL_REDUCE, &sum, 2, 8, "rabenseifner", "binary"},
	    {COLL_REDUCE, &sum, 4, 4096, "binary", "pipeline"},
	    {COLL_REDUCE, &sum, 4, 262144, "binomial", "linear"},
	    {COLL_REDUCE, &sum, 300, 8192, "binomial", "in_order_binary"},
	    {COLL_REDUCE, &in_order, 8, 1024, "in_order_binary", "linear"},
	    {COLL_REDUCE, &in_order, 4, 1024, "linear", "linear"},
	    {COLL_ALLREDUCE, &sum, 4, 16, "ring", "recursive_doubling"},
	    {COLL_ALLREDUCE, &sum, 4, 8192, "recursive_doubling", "rabenseifner"},
	    {COLL_ALLREDUCE, &sum, 16, 64, "segmented_ring", "recursive_doubling"},
	    {COLL_ALLREDUCE, &sum, 20, 20, "recursive_doubling", "segmented_ring"},
	    {COLL_ALLREDUCE, &sum, 128, 131072, "nonoverlapping", "recursive_doubling"},
	    {COLL_ALLREDUCE, &sum, 5000, 32768, "recursive_doubling", "ring"},
	    {COLL_ALLREDUCE, &in_order, 2, 131072, "recursive_doubling", "linear"},
	    {COLL_ALLREDUCE, &in_order, 8, 1048576, "recursive_doubling", "nonoverlapping"},
	    {COLL_ALLGATHER, NULL, 8, 4096, "recursive_doubling", "recursive_doubling"},
	    {COLL_ALLGATHER, NULL, 9, 4096, "bruck", "bruck"},
	    {COLL_ALLGATHER, NULL, 2, 4096, "two_proc", "two_proc"},
	    {COLL_ALLGATHER, NULL, 32, 1024, "recursive_doubling", "neighbor_exchange"},
	    {COLL_ALLGATHER, NULL, 33, 1024, "bruck", "ring"},
	    {COLL_ALLGATHERV, NULL, 8, 1024, "gather_bcast", "bruck"},
	    {COLL_ALLGATHERV, NULL, 4, 8192, "ring", "neighbor_exchange"},
	    {COLL_ALLGATHERV, NULL, 2, 2048, "ring", "two_proc"},
	    {COLL_ALLTOALL, NULL, 2, 2, "pairwise", "two_proc"},
	    {COLL_ALLTOALL, NULL, 16, 4, "linear_sync", "bruck"},
	    {COLL_ALLTOALL, NULL, 64, 262144, "linear", "pairwise"},
	    {COLL_GATHER, NULL, 4, 262144, "sequential", "linear_sync"},
	    {COLL_SCATTER, NULL, 64, 512, "binomial", "linear"},
	    {COLL_REDUCE_SCATTER, &sum, 4, 262144, "recursive_halving", "ring"},
	    {COLL_REDUCE_SCATTER, &in_order, 4, 262144, "nonoverlapping", "nonoverlapping"},
	    {COLL_REDUCE_SCATTER_BLOCK, &sum, 4, 32, "recursive_doubling", "butterfly"},
	    {COLL_EXSCAN, &sum, 8, 1024, "linear", "linear"},
	};

	CHECK(CLUSTER_COLL_OPENMPI, list);
}

static void open_mpi_switches_by_the_number_of_ranks(void **state)
{
	static const struct {
		enum mpi_coll_kind kind;
		int n; /* the first that is not `below` any more */
		const char *below, *from;
	} list[] = {
	    {COLL_BARRIER, 4, "recursive_doubling", "linear"},
	    {COLL_BARRIER, 8, "linear", "recursive_doubling"},
	    {COLL_BARRIER, 64, "recursive_doubling", "dissemination"},
	    {COLL_BARRIER, 256, "dissemination", "tree"},
	    {COLL_BARRIER, 512, "tree", "dissemination"},
	    {COLL_BARRIER, 1024, "dissemination", "tree"},
	    {COLL_BARRIER, 4096, "tree", "dissemination"},
	    {COLL_ALLTOALLV, 4, "pairwise", "linear"},
	    {COLL_ALLTOALLV, 64, "linear", "pairwise"},
	    {COLL_ALLTOALLV, 8192, "linear", "pairwise"},
	    {COLL_ALLTOALLW, 8192, "linear", "pairwise"},
	};

	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
		assert_string_equal(
		    chosen(CLUSTER_COLL_OPENMPI, list[i].kind, list[i].n - 1, 8, &sum, false),
		    list[i].below);
		assert_string_equal(
		    chosen(CLUSTER_COLL_OPENMPI, list[i].kind, list[i].n, 8, &sum, false),
		    list[i].from);
	}
}

static void mpich_works_within_nodes_first(void **state)
{
	static const struct mpi_nodes two = {.n_nodes = 2}, one = {.n_nodes = 1};
	static const struct {
		enum mpi_coll_kind kind;
		struct mpi_op *op;
		int n;
		int64_t size_B;
		const char *on_two, *on_one;
	} list[] = {
	    {COLL_BARRIER, NULL, 8, 0, "hierarchical", "dissemination"},
	    {COLL_BCAST, NULL, 7, 1 << 20, "hierarchical", "binomial"},
	    {COLL_BCAST, NULL, 8, 12287, "hierarchical", "binomial"},
	    {COLL_BCAST, NULL, 8, 12288, "hierarchical_root_node", "scatter_recursive_doubling"},
	    {COLL_BCAST, NULL, 12, 12288, "scatter_ring", "scatter_ring"},
	    {COLL_BCAST, NULL, 8, 524288, "scatter_ring", "scatter_ring"},
	    {COLL_REDUCE, &sum, 8, 2048, "hierarchical_root_node", "binomial"},
	    {COLL_REDUCE, &sum, 8, 2049, "hierarchical", "rabenseifner"},
	    {COLL_REDUCE, &in_order, 8, 2048, "binomial", "binomial"},
	    {COLL_ALLREDUCE, &sum, 8, 1 << 20, "hierarchical", "rabenseifner"},
	    {COLL_ALLREDUCE, &in_order, 8, 8, "recursive_doubling", "recursive_doubling"},
	    {COLL_ALLGATHER, NULL, 8, 8, "recursive_doubling", "recursive_doubling"},
	};

	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
		assert_string_equal(chosen_on(&two, CLUSTER_COLL_MPICH, list[i].kind, list[i].n,
					      list[i].size_B, list[i].op, false),
				    list[i].on_two);
		assert_string_equal(chosen_on(&one, CLUSTER_COLL_MPICH, list[i].kind, list[i].n,
					      list[i].size_B, list[i].op, false),
				    list[i].on_one);
	}
}

static void the_present_default_is_kept(void **state)
{
	static const struct threshold list[] = {
	    {COLL_BCAST, NULL, 8, 524288, "binomial", "scatter_ring"},
	    {COLL_GATHER, NULL, 8, 6001, "binomial", "linear"},
	    {COLL_ALLGATHER, NULL, 8, 81920, "recursive_doubling", "ring"},
	    {COLL_ALLTOALL, NULL, 8, 32769, "scattered", "pairwise"},
	    {COLL_ALLREDUCE, &sum, 8, 2049, "recursive_doubling", "rabenseifner"},
	    {COLL_ALLGATHERV, NULL, 8, 81920, "ring", "ring"},
	};

	CHECK(CLUSTER_COLL_DEFAULT, list);
	assert_string_equal(
	    chosen(CLUSTER_COLL_DEFAULT, COLL_REDUCE_SCATTER, 8, 100, &in_order, false),
	    "reduce_scatterv");
}

/* --- all rules --- */

static struct mpi_op *op_for(const struct mpi_coll_rule *rule)
{
	return rule->conditions & RULE_NOT_COMMUTES ? &in_order : &sum;
}

/* Just below a rule's bounds it is obeyed, where its algorithm can do the operation. */
static void check_rule(const struct mpi_coll_profile *profile, enum cluster_coll_profile number,
		       enum mpi_coll_kind kind, const struct mpi_coll_rule *rule)
{
	int n = rule->ranks_below ? rule->ranks_below - 1 : MANY;
	int64_t size_B = rule->below_B ? rule->below_B - 1 : LONG;
	const char *found;
	struct mpi_coll coll;

	coll = operation(profile, kind, n, size_B, op_for(rule), false);
	if (!mpi_coll_algorithm_fits(rule->algorithm, &coll))
		return;
	found = chosen(number, kind, n, size_B, op_for(rule), false);
	if (strcmp(found, rule->algorithm->name) != 0 && rule[1].algorithm)
		fail_msg("%s, %s of %d ranks, %lld B: found %s, wanted %s", profile->name,
			 mpi_coll_kind_name(kind), n, (long long)size_B, found,
			 rule->algorithm->name);
}

static void every_rule_is_obeyed_just_below_its_bounds(void **state)
{
	for (int p = 0; mpi_coll_profiles[p]; p++)
		for (int kind = 0; kind < N_COLL_KINDS; kind++)
			for (const struct mpi_coll_rule *rule = mpi_coll_profiles[p]->rules[kind];
			     rule->algorithm; rule++)
				check_rule(mpi_coll_profiles[p], p, kind, rule);
}

static void every_profile_has_an_algorithm_that_fits(void **state)
{
	struct mpi_op *const ops[] = {&sum, &of_user, &in_order};

	for (int p = 0; mpi_coll_profiles[p]; p++)
		for (int kind = 0; kind < N_COLL_KINDS; kind++)
			for (int n = 1; n <= 70; n++)
				for (int64_t size_B = 1; size_B <= 1 << 22; size_B *= 4) {
					struct mpi_coll_selection selection = {.profile = p};
					struct mpi_coll coll =
					    operation(mpi_coll_profiles[p], kind, n, size_B,
						      ops[n % 3], true);

					assert_true(mpi_coll_algorithm_fits(
					    mpi_coll_choose(&selection, &coll), &coll));
				}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(mpich_switches_where_its_variables_say),
	    cmocka_unit_test(open_mpi_switches_where_its_rules_do),
	    cmocka_unit_test(open_mpi_switches_by_the_number_of_ranks),
	    cmocka_unit_test(mpich_works_within_nodes_first),
	    cmocka_unit_test(the_present_default_is_kept),
	    cmocka_unit_test(every_rule_is_obeyed_just_below_its_bounds),
	    cmocka_unit_test(every_profile_has_an_algorithm_that_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
