/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COLL_ARGS_H
#define MPI_COLL_ARGS_H

#include <mpi.h>
#include <stdbool.h>

#include "mpi/core/arguments.h"

/*
 * The arguments of a collective as the application gave them, in one shape for all of them: the
 * entry points (mpi/abi/entries.py writes them) fill it, mpi_coll_resolve checks it.
 */
enum mpi_coll_kind {
	COLL_BARRIER,
	COLL_BCAST,
	COLL_GATHER,
	COLL_GATHERV,
	COLL_SCATTER,
	COLL_SCATTERV,
	COLL_ALLGATHER,
	COLL_ALLGATHERV,
	COLL_ALLTOALL,
	COLL_ALLTOALLV,
	COLL_ALLTOALLW,
	COLL_REDUCE,
	COLL_ALLREDUCE,
	COLL_REDUCE_SCATTER,
	COLL_REDUCE_SCATTER_BLOCK,
	COLL_SCAN,
	COLL_EXSCAN,
	N_COLL_KINDS, /* of those among all ranks of a communicator */
	/* among neighbours in a topology */
	COLL_NEIGHBOR_ALLGATHER = N_COLL_KINDS,
	COLL_NEIGHBOR_ALLGATHERV,
	COLL_NEIGHBOR_ALLTOALL,
	COLL_NEIGHBOR_ALLTOALLV,
	COLL_NEIGHBOR_ALLTOALLW,
	N_COLL_ALL_KINDS,
};

/*
 * What a collective reads or writes: one `count`, or `counts` and `displs`, or these and `types`.
 */
struct mpi_coll_side_args {
	const void *buf;
	MPI_Count count;
	struct mpi_counts counts, displs;
	MPI_Datatype type;
	const MPI_Datatype *types;
	bool has_counts, has_types; /* which form the function has; the arrays may yet be NULL */
};

/* Broadcasts use `recv`; reductions have their count(s) and datatype in `recv`. */
struct mpi_coll_args {
	enum mpi_coll_kind kind;
	struct mpi_coll_side_args send, recv;
	MPI_Op op;
	int root;
	MPI_Comm comm;
	MPI_Info info; /* persistent forms; no key is known */
};

/* What every MPI_X, MPI_Ix and MPI_X_init does with its arguments; returns what MPI_X returns. */
int mpi_coll_call_blocking(struct mpi_rank *me, const struct mpi_coll_args *args);
int mpi_coll_call_nonblocking(struct mpi_rank *me, const struct mpi_coll_args *args,
			      MPI_Request *request);
int mpi_coll_call_persistent(struct mpi_rank *me, const struct mpi_coll_args *args,
			     MPI_Request *request);

#endif
