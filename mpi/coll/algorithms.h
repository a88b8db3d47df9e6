/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COLL_ALGORITHMS_H
#define MPI_COLL_ALGORITHMS_H

#include "mpi/coll/operation.h"
#include "util/error.h"

/*
 * The algorithms, one file each, and the choice among them. The first one in the table that does an
 * operation at all is its plain linear one, which the others are tested against. mpi/coll/README.md
 * says where they come from.
 */
extern const struct mpi_coll_algorithm mpi_coll_barrier_linear, mpi_coll_barrier_dissemination;
extern const struct mpi_coll_algorithm mpi_coll_bcast_linear, mpi_coll_bcast_binomial,
    mpi_coll_bcast_scatter_ring;
extern const struct mpi_coll_algorithm mpi_coll_gather_linear, mpi_coll_gather_binomial;
extern const struct mpi_coll_algorithm mpi_coll_scatter_linear, mpi_coll_scatter_binomial;
extern const struct mpi_coll_algorithm mpi_coll_allgather_linear, mpi_coll_allgather_ring,
    mpi_coll_allgather_recursive_doubling, mpi_coll_allgather_bruck;
extern const struct mpi_coll_algorithm mpi_coll_alltoall_linear, mpi_coll_alltoall_scattered,
    mpi_coll_alltoall_pairwise;
extern const struct mpi_coll_algorithm mpi_coll_reduce_linear, mpi_coll_reduce_binomial;
extern const struct mpi_coll_algorithm mpi_coll_allreduce_linear, mpi_coll_allreduce_reduce_bcast,
    mpi_coll_allreduce_recursive_doubling, mpi_coll_allreduce_rabenseifner;
extern const struct mpi_coll_algorithm mpi_coll_reduce_scatter_linear,
    mpi_coll_reduce_scatter_reduce_scatterv, mpi_coll_reduce_scatter_pairwise;
extern const struct mpi_coll_algorithm mpi_coll_scan_linear, mpi_coll_scan_recursive_doubling;

/* Rounds that compound algorithms use as stages. */
bool mpi_coll_bcast_linear_round(struct mpi_rank *me, struct mpi_coll *coll);
bool mpi_coll_bcast_binomial_round(struct mpi_rank *me, struct mpi_coll *coll);
bool mpi_coll_reduce_linear_round(struct mpi_rank *me, struct mpi_coll *coll);
bool mpi_coll_reduce_binomial_round(struct mpi_rank *me, struct mpi_coll *coll);
bool mpi_coll_scatter_linear_round(struct mpi_rank *me, struct mpi_coll *coll);
bool mpi_coll_gather_binomial_round(struct mpi_rank *me, struct mpi_coll *coll);
bool mpi_coll_barrier_dissemination_round(struct mpi_rank *me, struct mpi_coll *coll);
/* Items of all blocks of a reduce-scatter, as one. */
MPI_Count mpi_coll_reduce_scatter_items(const struct mpi_coll *coll);

/* For operations that have but one: among neighbours, and on intercommunicators (NULL: not
 * defined). */
extern const struct mpi_coll_algorithm mpi_coll_neighbor_linear;
extern const struct mpi_coll_algorithm *const mpi_coll_inter_algorithms[N_COLL_KINDS];

/* All the others, ending with NULL. */
extern const struct mpi_coll_algorithm *const mpi_coll_algorithms[];

/* "allreduce" and the like; the kind of a name, or -1. */
const char *mpi_coll_kind_name(enum mpi_coll_kind kind);
int mpi_coll_kind_find(const char *name);
/* The algorithm of that name for `kind`, or NULL. */
const struct mpi_coll_algorithm *mpi_coll_algorithm_find(enum mpi_coll_kind kind, const char *name);

/*
 * Algorithms that the user asked for, one per operation. An operation that the asked-for one cannot
 * do (see `fits`) is done by our choice.
 */
struct mpi_coll_selection {
	const struct mpi_coll_algorithm *chosen[N_COLL_KINDS]; /* NULL: our choice */
};
/*
 * Adds "allreduce=reduce_bcast,bcast=linear" to a selection. Errors: UTIL_EINPUT for a malformed
 * list, an unknown operation or algorithm (the sentence lists the known ones); the selection is
 * unchanged then.
 */
int mpi_coll_select(struct mpi_coll_selection *selection, const char *list, struct util_error *err);

/* Whether an algorithm can do this operation. */
bool mpi_coll_algorithm_fits(const struct mpi_coll_algorithm *algorithm,
			     const struct mpi_coll *coll);
/*
 * The algorithm for this operation: the selected one if it can do it (`selection` may be NULL),
 * else our choice. Equal on all ranks, never NULL. O(1).
 */
const struct mpi_coll_algorithm *mpi_coll_choose(const struct mpi_coll_selection *selection,
						 const struct mpi_coll *coll);

#endif
