/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What MPICH 4.0 chooses between blocking algorithms, on several ranks per node the compositions of
 * its device ch4: the default values of its variables MPIR_CVAR_BCAST_SHORT_MSG_SIZE,
 * _LONG_MSG_SIZE and _MIN_PROCS, _ALLGATHER_SHORT_MSG_SIZE and _LONG_MSG_SIZE,
 * _ALLTOALL_SHORT_MSG_SIZE and _MEDIUM_MSG_SIZE, _REDUCE_SHORT_MSG_SIZE, _ALLREDUCE_SHORT_MSG_SIZE
 * and _REDUCE_SCATTER_COMMUTATIVE_LONG_MSG_SIZE.
 */
#include "mpi/coll/profile.h"

#define ANY 0

static const struct mpi_coll_rule barrier_rules[] = {{ANY, ANY, 0, &mpi_coll_barrier_hierarchical},
						     {ANY, ANY, 0, &mpi_coll_barrier_dissemination},
						     {0}};
static const struct mpi_coll_rule bcast_rules[] = {
    {8, ANY, 0, &mpi_coll_bcast_hierarchical},
    {8, ANY, 0, &mpi_coll_bcast_binomial},
    {ANY, 12288, 0, &mpi_coll_bcast_hierarchical},
    {ANY, 12288, 0, &mpi_coll_bcast_binomial},
    {ANY, 524288, RULE_POWER_OF_TWO, &mpi_coll_bcast_hierarchical_root_node},
    {ANY, 524288, 0, &mpi_coll_bcast_scatter_recursive_doubling},
    {ANY, ANY, 0, &mpi_coll_bcast_scatter_ring},
    {0}};
static const struct mpi_coll_rule gather_rules[] = {{ANY, ANY, 0, &mpi_coll_gather_binomial}, {0}};
static const struct mpi_coll_rule gatherv_rules[] = {{ANY, ANY, 0, &mpi_coll_gather_linear}, {0}};
static const struct mpi_coll_rule scatter_rules[] = {{ANY, ANY, 0, &mpi_coll_scatter_binomial},
						     {0}};
static const struct mpi_coll_rule scatterv_rules[] = {{ANY, ANY, 0, &mpi_coll_scatter_linear}, {0}};
static const struct mpi_coll_rule allgather_rules[] = {
    {ANY, 524288, 0, &mpi_coll_allgather_recursive_doubling},
    {ANY, 81920, 0, &mpi_coll_allgather_bruck},
    {ANY, ANY, 0, &mpi_coll_allgather_ring},
    {0}};
static const struct mpi_coll_rule allgatherv_rules[] = {
    {ANY, 524288, 0, &mpi_coll_allgatherv_recursive_doubling},
    {ANY, 81920, 0, &mpi_coll_allgatherv_bruck},
    {ANY, ANY, 0, &mpi_coll_allgather_ring},
    {0}};
static const struct mpi_coll_rule alltoall_rules[] = {{8, 32769, 0, &mpi_coll_alltoall_scattered},
						      {ANY, 257, 0, &mpi_coll_alltoall_bruck},
						      {ANY, 32769, 0, &mpi_coll_alltoall_scattered},
						      {ANY, ANY, 0, &mpi_coll_alltoall_pairwise},
						      {0}};
static const struct mpi_coll_rule alltoallv_rules[] = {{ANY, ANY, 0, &mpi_coll_alltoall_scattered},
						       {0}};
static const struct mpi_coll_rule reduce_rules[] = {
    {ANY, 2049, 0, &mpi_coll_reduce_hierarchical_root_node},
    {ANY, 2049, 0, &mpi_coll_reduce_binomial},
    {ANY, ANY, 0, &mpi_coll_reduce_hierarchical},
    {ANY, ANY, RULE_PREDEFINED, &mpi_coll_reduce_rabenseifner},
    {ANY, ANY, 0, &mpi_coll_reduce_binomial},
    {0}};
static const struct mpi_coll_rule allreduce_rules[] = {
    {ANY, ANY, 0, &mpi_coll_allreduce_hierarchical},
    {ANY, 2049, 0, &mpi_coll_allreduce_recursive_doubling},
    {ANY, ANY, RULE_PREDEFINED, &mpi_coll_allreduce_rabenseifner},
    {ANY, ANY, 0, &mpi_coll_allreduce_recursive_doubling},
    {0}};
static const struct mpi_coll_rule reduce_scatter_rules[] = {
    {ANY, 524288, RULE_COMMUTES, &mpi_coll_reduce_scatter_recursive_halving},
    {ANY, ANY, RULE_COMMUTES, &mpi_coll_reduce_scatter_pairwise},
    {ANY, ANY, 0, &mpi_coll_reduce_scatter_noncommutative},
    {ANY, ANY, 0, &mpi_coll_reduce_scatter_recursive_doubling},
    {0}};
static const struct mpi_coll_rule scan_rules[] = {{ANY, ANY, 0, &mpi_coll_scan_recursive_doubling},
						  {0}};

const struct mpi_coll_profile mpi_coll_profile_mpich = {
    .name = "mpich",
    .title = "MPICH 4.0",
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
    .by_total = MPI_COLL_KIND(COLL_ALLGATHER) | MPI_COLL_KIND(COLL_ALLGATHERV) |
		MPI_COLL_KIND(COLL_REDUCE_SCATTER) | MPI_COLL_KIND(COLL_REDUCE_SCATTER_BLOCK),
    .by_node = MPI_COLL_KIND(COLL_BARRIER) | MPI_COLL_KIND(COLL_BCAST) |
	       MPI_COLL_KIND(COLL_REDUCE) | MPI_COLL_KIND(COLL_ALLREDUCE),
};
