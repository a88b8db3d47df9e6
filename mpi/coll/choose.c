/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of algorithms, and which one does an operation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/coll/algorithms.h"

const struct mpi_coll_algorithm *const mpi_coll_algorithms[] = {
    &mpi_coll_barrier_linear,
    &mpi_coll_barrier_dissemination,
    &mpi_coll_bcast_linear,
    &mpi_coll_bcast_binomial,
    &mpi_coll_bcast_scatter_ring,
    &mpi_coll_gather_linear,
    &mpi_coll_gather_binomial,
    &mpi_coll_scatter_linear,
    &mpi_coll_scatter_binomial,
    &mpi_coll_allgather_linear,
    &mpi_coll_allgather_ring,
    &mpi_coll_allgather_recursive_doubling,
    &mpi_coll_allgather_bruck,
    &mpi_coll_alltoall_linear,
    &mpi_coll_alltoall_scattered,
    &mpi_coll_alltoall_pairwise,
    &mpi_coll_reduce_linear,
    &mpi_coll_reduce_binomial,
    &mpi_coll_allreduce_linear,
    &mpi_coll_allreduce_reduce_bcast,
    &mpi_coll_allreduce_recursive_doubling,
    &mpi_coll_allreduce_rabenseifner,
    &mpi_coll_reduce_scatter_linear,
    &mpi_coll_reduce_scatter_reduce_scatterv,
    &mpi_coll_reduce_scatter_pairwise,
    &mpi_coll_scan_linear,
    &mpi_coll_scan_recursive_doubling,
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

/* "linear, ring" in `text`, cut off when there are more than it holds. */
static void list_algorithms(enum mpi_coll_kind kind, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; mpi_coll_algorithms[i] && used < size; i++)
		if (mpi_coll_algorithms[i]->kinds & MPI_COLL_KIND(kind))
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
						 mpi_coll_algorithms[i]->name);
}

static void list_kinds(char *text, size_t size)
{
	size_t used = 0;

	for (int kind = 0; kind < N_COLL_KINDS && used < size; kind++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", kind ? ", " : "",
					 kind_names[kind]);
}

/* One "operation=algorithm"; `entry` is changed. */
static int select_entry(struct mpi_coll_selection *selection, char *entry, struct util_error *err)
{
	char *equals = strchr(entry, '=');
	char known[512];
	int kind;

	if (!equals)
		return util_error_set(
		    err, UTIL_EINPUT,
		    "found \"%s\", wanted OPERATION=ALGORITHM, e.g. bcast=binomial", entry);
	*equals = '\0';
	kind = mpi_coll_kind_find(entry);
	if (kind < 0) {
		list_kinds(known, sizeof known);
		return util_error_set(err, UTIL_EINPUT, "no collective \"%s\"; there are: %s",
				      entry, known);
	}
	selection->chosen[kind] = mpi_coll_algorithm_find(kind, equals + 1);
	if (!selection->chosen[kind]) {
		list_algorithms(kind, known, sizeof known);
		return util_error_set(err, UTIL_EINPUT, "no algorithm \"%s\" for %s; there are: %s",
				      equals + 1, entry, known);
	}
	return 0;
}

int mpi_coll_select(struct mpi_coll_selection *selection, const char *list, struct util_error *err)
{
	struct mpi_coll_selection wanted = *selection;
	char *copy = strdup(list), *rest = copy, *entry;
	int code = 0;

	if (!copy)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a list of algorithms");
	while (code == 0 && (entry = strsep(&rest, ",")))
		code = select_entry(&wanted, entry, err);
	free(copy);
	if (code == 0)
		*selection = wanted;
	return code;
}

/* Bytes that every rank contributes, where that is one number and equal on all ranks. */
static MPI_Count block_size_B(const struct mpi_coll *coll)
{
	const struct mpi_coll_call *given = &coll->given;

	if (coll->kind == COLL_SCATTER)
		return mpi_coll_block_size_B(mpi_coll_whole(&given->recv));
	return mpi_coll_block_size_B(mpi_coll_whole(&given->send));
}

/*
 * Trees for blocks up to this size: above, the copies through inner ranks cost more than the
 * messages they save. A round value of ours, in the range that libraries use.
 */
#define TREE_BLOCK_MAX_B 6000
/*
 * MPICH's thresholds (R. Thakur et al., see README.md): total size, block size, message size and
 * number of ranks.
 */
#define ALLGATHER_SHORT_B 81920
#define ALLTOALL_MEDIUM_B 32768
#define ALLREDUCE_SHORT_B 2048
#define BCAST_LONG_B 524288
#define BCAST_LONG_MIN_RANKS 8

bool mpi_coll_algorithm_fits(const struct mpi_coll_algorithm *algorithm,
			     const struct mpi_coll *coll)
{
	return algorithm->kinds & MPI_COLL_KIND(coll->kind) &&
	       (!algorithm->fits || algorithm->fits(coll));
}

static const struct mpi_coll_algorithm *default_bcast(const struct mpi_coll *coll)
{
	MPI_Count size_B = mpi_coll_block_size_B(mpi_coll_whole(&coll->given.recv));

	return size_B >= BCAST_LONG_B && coll->size >= BCAST_LONG_MIN_RANKS
		   ? &mpi_coll_bcast_scatter_ring
		   : &mpi_coll_bcast_binomial;
}

static const struct mpi_coll_algorithm *default_allgather(const struct mpi_coll *coll)
{
	if (block_size_B(coll) * coll->size >= ALLGATHER_SHORT_B)
		return &mpi_coll_allgather_ring;
	if (mpi_coll_algorithm_fits(&mpi_coll_allgather_recursive_doubling, coll))
		return &mpi_coll_allgather_recursive_doubling;
	return &mpi_coll_allgather_bruck;
}

static const struct mpi_coll_algorithm *default_allreduce(const struct mpi_coll *coll)
{
	if (block_size_B(coll) > ALLREDUCE_SHORT_B &&
	    mpi_coll_algorithm_fits(&mpi_coll_allreduce_rabenseifner, coll))
		return &mpi_coll_allreduce_rabenseifner;
	return &mpi_coll_allreduce_recursive_doubling;
}

static const struct mpi_coll_algorithm *default_reduce_scatter(const struct mpi_coll *coll)
{
	return coll->op->is_commutative ? &mpi_coll_reduce_scatter_pairwise
					: &mpi_coll_reduce_scatter_reduce_scatterv;
}

static const struct mpi_coll_algorithm *default_of(const struct mpi_coll *coll)
{
	switch (coll->kind) {
	case COLL_BARRIER:
		return &mpi_coll_barrier_dissemination;
	case COLL_BCAST:
		return default_bcast(coll);
	case COLL_GATHER:
		return block_size_B(coll) <= TREE_BLOCK_MAX_B ? &mpi_coll_gather_binomial
							      : &mpi_coll_gather_linear;
	case COLL_GATHERV:
		return &mpi_coll_gather_linear;
	case COLL_SCATTER:
		return block_size_B(coll) <= TREE_BLOCK_MAX_B ? &mpi_coll_scatter_binomial
							      : &mpi_coll_scatter_linear;
	case COLL_SCATTERV:
		return &mpi_coll_scatter_linear;
	case COLL_ALLGATHER:
		return default_allgather(coll);
	case COLL_ALLTOALL:
		return block_size_B(coll) <= ALLTOALL_MEDIUM_B ? &mpi_coll_alltoall_scattered
							       : &mpi_coll_alltoall_pairwise;
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
		return &mpi_coll_alltoall_scattered;
	case COLL_REDUCE:
		return &mpi_coll_reduce_binomial;
	case COLL_ALLREDUCE:
		return default_allreduce(coll);
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return default_reduce_scatter(coll);
	case COLL_SCAN:
	case COLL_EXSCAN:
		return &mpi_coll_scan_recursive_doubling;
	default:
		return &mpi_coll_allgather_ring; /* COLL_ALLGATHERV */
	}
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
	case COLL_BCAST:
		return mpi_coll_block_size_B(mpi_coll_whole(&coll->given.recv)) == 0;
	default:
		return block_size_B(coll) == 0;
	}
}

const struct mpi_coll_algorithm *mpi_coll_choose(const struct mpi_coll_selection *selection,
						 const struct mpi_coll *coll)
{
	const struct mpi_coll_algorithm *chosen;

	if (coll->kind >= N_COLL_KINDS)
		return &mpi_coll_neighbor_linear;
	if (coll->remote_size)
		return mpi_coll_inter_algorithms[coll->kind];
	chosen = selection ? selection->chosen[coll->kind] : NULL;
	if (is_empty(coll))
		return &nothing;
	if (chosen && mpi_coll_algorithm_fits(chosen, coll))
		return chosen;
	return default_of(coll);
}
