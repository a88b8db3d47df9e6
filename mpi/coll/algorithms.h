/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COLL_ALGORITHMS_H
#define MPI_COLL_ALGORITHMS_H

#include <stdio.h>

#include "mpi/coll/operation.h"
#include "cluster/cluster.h"
#include "util/error.h"

/*
 * The algorithms, one file each, and the choice among them. The first one in the table that does an
 * operation at all is its plain linear one, which the others are tested against. mpi/coll/README.md
 * says where they come from.
 */
extern const struct mpi_coll_algorithm mpi_coll_barrier_linear, mpi_coll_barrier_dissemination,
    mpi_coll_barrier_recursive_doubling, mpi_coll_barrier_double_ring, mpi_coll_barrier_tree,
    mpi_coll_barrier_two_proc;
extern const struct mpi_coll_algorithm mpi_coll_bcast_linear, mpi_coll_bcast_binomial,
    mpi_coll_bcast_scatter_ring, mpi_coll_bcast_scatter_recursive_doubling, mpi_coll_bcast_pipeline,
    mpi_coll_bcast_chain, mpi_coll_bcast_binary, mpi_coll_bcast_split_binary,
    mpi_coll_bcast_knomial;
extern const struct mpi_coll_algorithm mpi_coll_gather_linear, mpi_coll_gather_binomial,
    mpi_coll_gather_sequential, mpi_coll_gather_linear_sync;
extern const struct mpi_coll_algorithm mpi_coll_scatter_linear, mpi_coll_scatter_binomial,
    mpi_coll_scatter_sequential;
extern const struct mpi_coll_algorithm mpi_coll_allgather_linear, mpi_coll_allgather_ring,
    mpi_coll_allgather_recursive_doubling, mpi_coll_allgather_bruck,
    mpi_coll_allgather_neighbor_exchange, mpi_coll_allgather_two_proc;
extern const struct mpi_coll_algorithm mpi_coll_allgatherv_bruck,
    mpi_coll_allgatherv_recursive_doubling, mpi_coll_allgatherv_gather_bcast;
extern const struct mpi_coll_algorithm mpi_coll_alltoall_linear, mpi_coll_alltoall_scattered,
    mpi_coll_alltoall_pairwise, mpi_coll_alltoall_bruck, mpi_coll_alltoall_linear_sync,
    mpi_coll_alltoall_two_proc;
extern const struct mpi_coll_algorithm mpi_coll_reduce_linear, mpi_coll_reduce_binomial,
    mpi_coll_reduce_pipeline, mpi_coll_reduce_chain, mpi_coll_reduce_binary,
    mpi_coll_reduce_in_order_binary, mpi_coll_reduce_rabenseifner;
extern const struct mpi_coll_algorithm mpi_coll_allreduce_linear, mpi_coll_allreduce_reduce_bcast,
    mpi_coll_allreduce_nonoverlapping, mpi_coll_allreduce_recursive_doubling,
    mpi_coll_allreduce_rabenseifner, mpi_coll_allreduce_ring, mpi_coll_allreduce_segmented_ring;
extern const struct mpi_coll_algorithm mpi_coll_barrier_hierarchical, mpi_coll_bcast_hierarchical,
    mpi_coll_bcast_hierarchical_root_node, mpi_coll_reduce_hierarchical,
    mpi_coll_reduce_hierarchical_root_node, mpi_coll_allreduce_hierarchical;
extern const struct mpi_coll_algorithm mpi_coll_reduce_scatter_linear,
    mpi_coll_reduce_scatter_reduce_scatterv, mpi_coll_reduce_scatter_nonoverlapping,
    mpi_coll_reduce_scatter_pairwise, mpi_coll_reduce_scatter_recursive_halving,
    mpi_coll_reduce_scatter_recursive_doubling, mpi_coll_reduce_scatter_ring,
    mpi_coll_reduce_scatter_butterfly, mpi_coll_reduce_scatter_noncommutative;
extern const struct mpi_coll_algorithm mpi_coll_scan_linear, mpi_coll_scan_recursive_doubling;

/* What algorithms ask of an operation. */
bool mpi_coll_commutes(const struct mpi_coll *coll);
bool mpi_coll_is_power_of_two(const struct mpi_coll *coll); /* the number of ranks */
bool mpi_coll_is_pair(const struct mpi_coll *coll);

/* Rounds that compound algorithms use as stages. */
bool mpi_coll_bcast_linear_round(struct mpi_rank *me, struct mpi_coll *coll);
bool mpi_coll_bcast_binomial_round(struct mpi_rank *me, struct mpi_coll *coll);
bool mpi_coll_reduce_linear_round(struct mpi_rank *me, struct mpi_coll *coll);
bool mpi_coll_reduce_binomial_round(struct mpi_rank *me, struct mpi_coll *coll);
bool mpi_coll_scatter_linear_round(struct mpi_rank *me, struct mpi_coll *coll);
bool mpi_coll_scatter_sequential_round(struct mpi_rank *me, struct mpi_coll *coll);
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
 * The user's choice: a profile of rules, and algorithms asked for, one per operation, with the size
 * of their segments. An operation that the asked-for one cannot do (see `fits`) is done by what the
 * profile says.
 */
struct mpi_coll_selection {
	const struct mpi_coll_algorithm *chosen[N_COLL_KINDS]; /* NULL: the profile's */
	int64_t segment_B[N_COLL_KINDS];		       /* of `chosen`; 0: none */
	enum cluster_coll_profile profile;
	struct mpi_coll_barriers *barriers; /* borrowed; NULL: nobody asks */
};

/*
 * Where the program calls MPI_Barrier, by places in its file. Places whose calls belong to one barrier
 * are one group, named by the first of them.
 */
enum { MPI_COLL_MAX_BARRIERS = 64, MPI_COLL_SEEN_BARRIERS = 4096 };
struct mpi_coll_barriers {
	uint64_t places[MPI_COLL_MAX_BARRIERS]; /* [n] */
	int groups[MPI_COLL_MAX_BARRIERS];
	int ranks[MPI_COLL_MAX_BARRIERS]; /* one that calls it */
	int n;
	struct {
		uint64_t key; /* communicator and number on it; 0: none */
		int place;
	} seen[MPI_COLL_SEEN_BARRIERS]; /* barriers that some rank has called, the last ones */
	int left_out; /* 1 + group whose calls do nothing; 0: none */
};
/*
 * Adds "allreduce=reduce_bcast,bcast=pipeline:64KiB" to a selection. Errors: UTIL_EINPUT for a
 * malformed list, an unknown operation or algorithm (the sentence lists the known ones), a size
 * that is none or that the algorithm has no use for; the selection is unchanged then.
 */
int mpi_coll_select(struct mpi_coll_selection *selection, const char *list, struct util_error *err);
/* What the section `collectives` of a cluster file asks for. The same errors, with the key. */
int mpi_coll_select_cluster(struct mpi_coll_selection *out, const struct cluster *cluster,
			    struct util_error *err);
/* All operations with their algorithms, and the profiles, for --coll help. */
void mpi_coll_print_help(FILE *file);
/* The rules of all profiles, for --coll rules. */
void mpi_coll_print_rules(FILE *file);

/* Whether the choice for this operation has to know which ranks share a node. */
bool mpi_coll_asks_for_nodes(const struct mpi_coll_selection *selection,
			     const struct mpi_coll *coll);
/* Whether an algorithm can do this operation. */
bool mpi_coll_algorithm_fits(const struct mpi_coll_algorithm *algorithm,
			     const struct mpi_coll *coll);
/*
 * The algorithm for this operation: the selected one if it can do it (`selection` may be NULL),
 * else what the profile says (the default one without a selection). Equal on all ranks, never NULL.
 * Cost: the rules of the operation, some tens.
 */
const struct mpi_coll_algorithm *mpi_coll_choose(const struct mpi_coll_selection *selection,
						 const struct mpi_coll *coll);
/* The segments that were asked for with the algorithm; 0: none. */
MPI_Count mpi_coll_choose_segment_B(const struct mpi_coll_selection *selection,
				    enum mpi_coll_kind kind,
				    const struct mpi_coll_algorithm *algorithm);

#endif
