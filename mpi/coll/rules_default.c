/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The default profile: few algorithms for all cluster sizes. Thresholds are MPICH's (R. Thakur et
 * al., see README.md) where that library has one.
 */
#include "mpi/coll/profile.h"

#define ANY 0
/*
 * Trees for blocks of less than this: above, the copies through inner ranks cost more than the
 * messages they save. A round value of ours, in the range that libraries use.
 */
#define TREE_BLOCK_B 6001
/*
 * Algorithms with as many rounds as ranks are for fewer ranks than this: with more the rounds'
 * latencies are seconds, and messages that n ranks send in n rounds too many to simulate.
 */
#define MANY_RANKS 8192

static const struct mpi_coll_rule barrier_rules[] = {{ANY, ANY, 0, &mpi_coll_barrier_dissemination},
						     {0}};
static const struct mpi_coll_rule bcast_rules[] = {
    {8, ANY, 0, &mpi_coll_bcast_binomial},
    {MANY_RANKS, 524288, 0, &mpi_coll_bcast_binomial},
    {MANY_RANKS, ANY, 0, &mpi_coll_bcast_scatter_ring},
    {ANY, 524288, 0, &mpi_coll_bcast_binomial},
    {ANY, ANY, 0, &mpi_coll_bcast_scatter_recursive_doubling},
    {ANY, ANY, 0, &mpi_coll_bcast_binomial},
    {0}};
static const struct mpi_coll_rule gather_rules[] = {
    {ANY, TREE_BLOCK_B, 0, &mpi_coll_gather_binomial}, {ANY, ANY, 0, &mpi_coll_gather_linear}, {0}};
static const struct mpi_coll_rule gatherv_rules[] = {{ANY, ANY, 0, &mpi_coll_gather_linear}, {0}};
static const struct mpi_coll_rule scatter_rules[] = {
    {ANY, TREE_BLOCK_B, 0, &mpi_coll_scatter_binomial},
    {ANY, ANY, 0, &mpi_coll_scatter_linear},
    {0}};
static const struct mpi_coll_rule scatterv_rules[] = {{ANY, ANY, 0, &mpi_coll_scatter_linear}, {0}};
static const struct mpi_coll_rule allgather_rules[] = {
    {MANY_RANKS, 81920, 0, &mpi_coll_allgather_recursive_doubling},
    {MANY_RANKS, 81920, 0, &mpi_coll_allgather_bruck},
    {MANY_RANKS, ANY, 0, &mpi_coll_allgather_ring},
    {ANY, ANY, 0, &mpi_coll_allgather_recursive_doubling},
    {ANY, ANY, 0, &mpi_coll_allgather_bruck},
    {0}};
static const struct mpi_coll_rule allgatherv_rules[] = {
    {MANY_RANKS, ANY, 0, &mpi_coll_allgather_ring},
    {ANY, ANY, 0, &mpi_coll_allgatherv_recursive_doubling},
    {ANY, ANY, 0, &mpi_coll_allgatherv_bruck},
    {0}};
static const struct mpi_coll_rule alltoall_rules[] = {
    {ANY, 32769, 0, &mpi_coll_alltoall_scattered}, {ANY, ANY, 0, &mpi_coll_alltoall_pairwise}, {0}};
static const struct mpi_coll_rule alltoallv_rules[] = {{ANY, ANY, 0, &mpi_coll_alltoall_scattered},
						       {0}};
static const struct mpi_coll_rule reduce_rules[] = {{ANY, ANY, 0, &mpi_coll_reduce_binomial}, {0}};
static const struct mpi_coll_rule allreduce_rules[] = {
    {ANY, 2049, 0, &mpi_coll_allreduce_recursive_doubling},
    {ANY, ANY, 0, &mpi_coll_allreduce_rabenseifner},
    {ANY, ANY, 0, &mpi_coll_allreduce_recursive_doubling},
    {0}};
static const struct mpi_coll_rule reduce_scatter_rules[] = {
    {MANY_RANKS, 524288, RULE_COMMUTES, &mpi_coll_reduce_scatter_recursive_halving},
    {MANY_RANKS, ANY, RULE_COMMUTES, &mpi_coll_reduce_scatter_pairwise},
    {ANY, ANY, RULE_COMMUTES, &mpi_coll_reduce_scatter_recursive_halving},
    {ANY, ANY, 0, &mpi_coll_reduce_scatter_reduce_scatterv},
    {0}};
static const struct mpi_coll_rule scan_rules[] = {{ANY, ANY, 0, &mpi_coll_scan_recursive_doubling},
						  {0}};

const struct mpi_coll_profile mpi_coll_profile_default = {
    .name = "default",
    .title = "mpisim's own",
    .rules = {[COLL_BARRIER] = barrier_rules,
	      [COLL_BCAST] = bcast_rules,
	      [COLL_GATHER] = gather_rules,
	      [COLL_GATHERV] = gatherv_rules,
	      [COLL_SCATTER] = scatter_rules,
	      [COLL_SCATTERV] = scatterv_rules,
	      [COLL_ALLGATHER] = allgather_rules,
	      [COLL_ALLGATHERV] = allgatherv_rules,
	      [COLL_ALLTOALL] = alltoall_rules,
	      [COLL_ALLTOALLV] = alltoallv_rules,
	      [COLL_ALLTOALLW] = alltoallv_rules,
	      [COLL_REDUCE] = reduce_rules,
	      [COLL_ALLREDUCE] = allreduce_rules,
	      [COLL_REDUCE_SCATTER] = reduce_scatter_rules,
	      [COLL_REDUCE_SCATTER_BLOCK] = reduce_scatter_rules,
	      [COLL_SCAN] = scan_rules,
	      [COLL_EXSCAN] = scan_rules},
    .by_total = MPI_COLL_KIND(COLL_ALLGATHER) | MPI_COLL_KIND(COLL_REDUCE_SCATTER) |
		MPI_COLL_KIND(COLL_REDUCE_SCATTER_BLOCK),
};
