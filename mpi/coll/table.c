/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of algorithms and their names. */
#include <string.h>

#include "mpi/coll/ideal.h"
#include "mpi/coll/algorithms.h"
#include "mpi/coll/tree.h"

const struct mpi_coll_algorithm *const mpi_coll_algorithms[] = {
    &mpi_coll_barrier_linear,
    &mpi_coll_barrier_dissemination,
    &mpi_coll_barrier_recursive_doubling,
    &mpi_coll_barrier_double_ring,
    &mpi_coll_barrier_tree,
    &mpi_coll_barrier_two_proc,
    &mpi_coll_barrier_hierarchical,
    &mpi_coll_bcast_linear,
    &mpi_coll_bcast_binomial,
    &mpi_coll_bcast_scatter_ring,
    &mpi_coll_bcast_scatter_recursive_doubling,
    &mpi_coll_bcast_pipeline,
    &mpi_coll_bcast_chain,
    &mpi_coll_bcast_binary,
    &mpi_coll_bcast_split_binary,
    &mpi_coll_bcast_knomial,
    &mpi_coll_bcast_hierarchical,
    &mpi_coll_bcast_hierarchical_root_node,
    &mpi_coll_gather_linear,
    &mpi_coll_gather_binomial,
    &mpi_coll_gather_sequential,
    &mpi_coll_gather_linear_sync,
    &mpi_coll_scatter_linear,
    &mpi_coll_scatter_binomial,
    &mpi_coll_scatter_sequential,
    &mpi_coll_allgather_linear,
    &mpi_coll_allgather_ring,
    &mpi_coll_allgather_recursive_doubling,
    &mpi_coll_allgather_bruck,
    &mpi_coll_allgather_neighbor_exchange,
    &mpi_coll_allgather_two_proc,
    &mpi_coll_allgatherv_bruck,
    &mpi_coll_allgatherv_recursive_doubling,
    &mpi_coll_allgatherv_gather_bcast,
    &mpi_coll_alltoall_linear,
    &mpi_coll_alltoall_scattered,
    &mpi_coll_alltoall_pairwise,
    &mpi_coll_alltoall_bruck,
    &mpi_coll_alltoall_linear_sync,
    &mpi_coll_alltoall_two_proc,
    &mpi_coll_reduce_linear,
    &mpi_coll_reduce_binomial,
    &mpi_coll_reduce_pipeline,
    &mpi_coll_reduce_chain,
    &mpi_coll_reduce_binary,
    &mpi_coll_reduce_in_order_binary,
    &mpi_coll_reduce_rabenseifner,
    &mpi_coll_reduce_hierarchical,
    &mpi_coll_reduce_hierarchical_root_node,
    &mpi_coll_allreduce_linear,
    &mpi_coll_allreduce_reduce_bcast,
    &mpi_coll_allreduce_nonoverlapping,
    &mpi_coll_allreduce_recursive_doubling,
    &mpi_coll_allreduce_rabenseifner,
    &mpi_coll_allreduce_ring,
    &mpi_coll_allreduce_segmented_ring,
    &mpi_coll_allreduce_hierarchical,
    &mpi_coll_reduce_scatter_linear,
    &mpi_coll_reduce_scatter_reduce_scatterv,
    &mpi_coll_reduce_scatter_nonoverlapping,
    &mpi_coll_reduce_scatter_pairwise,
    &mpi_coll_reduce_scatter_recursive_halving,
    &mpi_coll_reduce_scatter_recursive_doubling,
    &mpi_coll_reduce_scatter_ring,
    &mpi_coll_reduce_scatter_butterfly,
    &mpi_coll_reduce_scatter_noncommutative,
    &mpi_coll_scan_linear,
    &mpi_coll_scan_recursive_doubling,
    &mpi_coll_ideal,
    NULL,
};

static const char *const kind_names[N_COLL_ALL_KINDS] = {
    [COLL_BARRIER] = "barrier",
    [COLL_BCAST] = "bcast",
    [COLL_GATHER] = "gather",
    [COLL_GATHERV] = "gatherv",
    [COLL_SCATTER] = "scatter",
    [COLL_SCATTERV] = "scatterv",
    [COLL_ALLGATHER] = "allgather",
    [COLL_ALLGATHERV] = "allgatherv",
    [COLL_ALLTOALL] = "alltoall",
    [COLL_ALLTOALLV] = "alltoallv",
    [COLL_ALLTOALLW] = "alltoallw",
    [COLL_REDUCE] = "reduce",
    [COLL_ALLREDUCE] = "allreduce",
    [COLL_REDUCE_SCATTER] = "reduce_scatter",
    [COLL_REDUCE_SCATTER_BLOCK] = "reduce_scatter_block",
    [COLL_SCAN] = "scan",
    [COLL_EXSCAN] = "exscan",
    [COLL_NEIGHBOR_ALLGATHER] = "neighbor_allgather",
    [COLL_NEIGHBOR_ALLGATHERV] = "neighbor_allgatherv",
    [COLL_NEIGHBOR_ALLTOALL] = "neighbor_alltoall",
    [COLL_NEIGHBOR_ALLTOALLV] = "neighbor_alltoallv",
    [COLL_NEIGHBOR_ALLTOALLW] = "neighbor_alltoallw",
};

const char *mpi_coll_kind_name(enum mpi_coll_kind kind)
{
	return kind_names[kind];
}

int mpi_coll_kind_find(const char *name)
{
	for (int kind = 0; kind < N_COLL_KINDS; kind++)
		if (strcmp(kind_names[kind], name) == 0)
			return kind;
	return -1;
}

const struct mpi_coll_algorithm *mpi_coll_algorithm_find(enum mpi_coll_kind kind, const char *name)
{
	for (int i = 0; mpi_coll_algorithms[i]; i++)
		if (mpi_coll_algorithms[i]->kinds & MPI_COLL_KIND(kind) &&
		    strcmp(mpi_coll_algorithms[i]->name, name) == 0)
			return mpi_coll_algorithms[i];
	return NULL;
}

bool mpi_coll_commutes(const struct mpi_coll *coll)
{
	return coll->op->is_commutative;
}

bool mpi_coll_is_power_of_two(const struct mpi_coll *coll)
{
	return mpi_coll_power_of_two(coll->size) == coll->size;
}

bool mpi_coll_is_pair(const struct mpi_coll *coll)
{
	return coll->size == 2;
}
