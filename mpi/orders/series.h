/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_ORDERS_SERIES_H
#define MPI_ORDERS_SERIES_H

#include "mpi/core/rank.h"

/*
 * A series: a rank sends one message of the same size to each other rank of a communicator, from one
 * place in the program, or receives one from each. It does by hand what a collective does. A run in
 * which one series is `turned` calls the collective instead: its root with the last send of the
 * series, or its first receive; the others in their calls.
 */
enum mpi_series_kind {
	MPI_SERIES_BCAST,
	MPI_SERIES_SCATTER,
	MPI_SERIES_GATHER,
	MPI_SERIES_N_KINDS
};

enum { MPI_MAX_SERIES = 16, MPI_SERIES_MAX_OTHERS = 7 };

struct mpi_series_place { /* of a call, in the program's file; one rank that makes it */
	uint64_t place;
	const char *function;
	int rank;
};

struct mpi_series {
	enum mpi_series_kind kind;
	uint32_t context;				       /* of the communicator */
	int root, tag;					       /* root: of MPI_COMM_WORLD */
	int n_messages;					       /* of one series */
	uint64_t n;					       /* how often it happens */
	struct mpi_series_place hub;			       /* the root's calls */
	struct mpi_series_place others[MPI_SERIES_MAX_OTHERS]; /* [n_others] that meet them */
	int n_others;
};

struct mpi_all_series { /* shared by the processes that look */
	struct mpi_series list[MPI_MAX_SERIES];
	int n;
	int turned; /* 1 + series; 0: none */
};

/* Of a world, private to its process. */
struct mpi_series_run {
	const struct mpi_all_series *all; /* borrowed */
	char *data;    /* of the root, under way: a block for each rank of the communicator */
	size_t size_B; /* of a block */
	int n_done;    /* messages of the series */
};

/* world->series for a run of `all`; NULL: out of memory. */
struct mpi_series_run *mpi_series_run_create(const struct mpi_all_series *all);
/* config->substitute of such a run. */
void *mpi_series_substitute(const char *name);

#endif
