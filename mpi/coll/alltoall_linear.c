/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything at once, or in batches that bound what is under way. Each rank starts with its
 * neighbours, so that no rank is everybody's first.
 */
#include <limits.h>

#include "mpi/coll/algorithms.h"

/* MPICH's MPIR_CVAR_ALLTOALL_THROTTLE. */
#define BATCH 32

/* Receives from the ranks at distance first … end-1 above, sends to those below. */
static void exchange(struct mpi_rank *me, struct mpi_coll *coll, int first, int end)
{
	int n = coll->size;

	mpi_coll_reserve(me, coll, 2 * (end - first));
	for (int i = first; i < end; i++) {
		int source = (coll->rank + i) % n;
		struct mpi_coll_block block = mpi_coll_block(&coll->call.recv, source);

		if (mpi_coll_block_size_B(block) > 0)
			mpi_coll_recv(me, coll, block, source);
	}
	for (int i = first; i < end; i++) {
		int dest = (coll->rank + n - i) % n;
		struct mpi_coll_block block = mpi_coll_block(&coll->call.send, dest);

		if (mpi_coll_block_size_B(block) > 0)
			mpi_coll_send(me, coll, block, dest);
	}
}

static bool run_batch(struct mpi_rank *me, struct mpi_coll *coll, int batch)
{
	int n = coll->size;
	int64_t first = 1 + (int64_t)coll->step * batch, end = first + batch;

	if (coll->step == 0)
		mpi_coll_copy(me, coll, mpi_coll_block(&coll->call.send, coll->rank),
			      mpi_coll_block(&coll->call.recv, coll->rank));
	if (first >= n)
		return true;
	exchange(me, coll, (int)first, end < n ? (int)end : n);
	return false;
}

static bool run_all(struct mpi_rank *me, struct mpi_coll *coll)
{
	return run_batch(me, coll, INT_MAX);
}

static bool run_scattered(struct mpi_rank *me, struct mpi_coll *coll)
{
	return run_batch(me, coll, BATCH);
}

#define ALL_KINDS                                                       \
	(MPI_COLL_KIND(COLL_ALLTOALL) | MPI_COLL_KIND(COLL_ALLTOALLV) | \
	 MPI_COLL_KIND(COLL_ALLTOALLW))

const struct mpi_coll_algorithm mpi_coll_alltoall_linear = {
    .name = "linear",
    .kinds = ALL_KINDS,
    .stages = {{NULL, run_all}},
};

const struct mpi_coll_algorithm mpi_coll_alltoall_scattered = {
    .name = "scattered",
    .kinds = ALL_KINDS,
    .stages = {{NULL, run_scattered}},
};

/* Open MPI's name where the number of requests under way is not limited. */
const struct mpi_coll_algorithm mpi_coll_alltoall_linear_sync = {
    .name = "linear_sync",
    .kinds = MPI_COLL_KIND(COLL_ALLTOALL),
    .stages = {{NULL, run_all}},
};
