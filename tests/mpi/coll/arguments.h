/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MPI_COLL_ARGUMENTS_H
#define TESTS_MPI_COLL_ARGUMENTS_H

#include "mpi/coll/algorithms.h"
#include "mpi/coll/operation.h"
#include "tests/mpi/solo.h"

/* Arguments of collectives of N ranks, for tests of what is refused and of what happens. */
#define N 3

static int buffer_a[64], buffer_b[64];
static const int counts[N] = {1, 2, 3}, displs[N] = {0, 1, 3};
static const MPI_Datatype int_types[N] = {MPI_INT, MPI_INT, MPI_INT};

/* Arguments that are right for every operation of N ranks: counts and types are in both forms. */
static inline struct mpi_coll_args valid(enum mpi_coll_kind kind)
{
	bool is_scatterv = kind == COLL_SCATTERV;
	bool is_alltoall = kind == COLL_ALLTOALLV || kind == COLL_ALLTOALLW;
	struct mpi_coll_side_args side = {.count = 2,
					  .type = MPI_INT,
					  .counts = {.narrow = counts},
					  .displs = {.narrow = displs},
					  .types = int_types,
					  .has_types = kind == COLL_ALLTOALLW};
	struct mpi_coll_args args = {.kind = kind,
				     .send = side,
				     .recv = side,
				     .op = MPI_SUM,
				     .root = 1,
				     .comm = MPI_COMM_WORLD};

	args.send.buf = buffer_a;
	args.recv.buf = buffer_b;
	args.send.has_counts = is_scatterv || is_alltoall;
	args.recv.has_counts = is_alltoall || kind == COLL_GATHERV || kind == COLL_ALLGATHERV ||
			       kind == COLL_REDUCE_SCATTER;
	return args;
}

static inline bool has_root(int kind)
{
	return (kind >= COLL_BCAST && kind <= COLL_SCATTERV) || kind == COLL_REDUCE;
}

static inline bool is_scatter(int kind)
{
	return kind == COLL_SCATTER || kind == COLL_SCATTERV;
}

#endif
