/* SPDX-License-Identifier: BSD-3-Clause */
/* A reduction of everything to rank 0, which then scatters the blocks. */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/part.h"

MPI_Count mpi_coll_reduce_scatter_items(const struct mpi_coll *coll)
{
	const struct mpi_coll_side *blocks = &coll->given.send;
	MPI_Count n = 0;

	if (!mpi_counts_are_set(blocks->counts))
		return blocks->count * coll->size;
	for (int i = 0; i < coll->size; i++)
		n += mpi_counts_at(blocks->counts, i);
	return n;
}

static void prepare_reduce(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_side all = {.buf = coll->given.send.buf,
				    .count = mpi_coll_reduce_scatter_items(coll),
				    .type = coll->given.send.type};

	coll->call.root = 0;
	coll->call.send = all;
	coll->call.recv = all;
	if (coll->rank == 0)
		coll->call.recv.buf = mpi_coll_scratch_like(me, coll, mpi_coll_whole(&all));
}

/* As a reduction by itself would be done. */
static void prepare_chosen_reduce(struct mpi_rank *me, struct mpi_coll *coll)
{
	prepare_reduce(me, coll);
	mpi_coll_part_choose(me, coll, COLL_REDUCE);
}

static void prepare_scatter(struct mpi_rank *me, struct mpi_coll *coll)
{
	char *reduced = coll->call.recv.buf;

	coll->call.send = coll->given.send;
	coll->call.send.buf = reduced;
	coll->call.recv = coll->given.recv;
}

const struct mpi_coll_algorithm mpi_coll_reduce_scatter_linear = {
    .name = "linear",
    .kinds = MPI_COLL_KIND(COLL_REDUCE_SCATTER) | MPI_COLL_KIND(COLL_REDUCE_SCATTER_BLOCK),
    .stages = {{prepare_reduce, mpi_coll_reduce_linear_round},
	       {prepare_scatter, mpi_coll_scatter_linear_round}},
};

const struct mpi_coll_algorithm mpi_coll_reduce_scatter_reduce_scatterv = {
    .name = "reduce_scatterv",
    .kinds = MPI_COLL_KIND(COLL_REDUCE_SCATTER) | MPI_COLL_KIND(COLL_REDUCE_SCATTER_BLOCK),
    .stages = {{prepare_reduce, mpi_coll_reduce_binomial_round},
	       {prepare_scatter, mpi_coll_scatter_linear_round}},
};

const struct mpi_coll_algorithm mpi_coll_reduce_scatter_nonoverlapping = {
    .name = "nonoverlapping",
    .kinds = MPI_COLL_KIND(COLL_REDUCE_SCATTER) | MPI_COLL_KIND(COLL_REDUCE_SCATTER_BLOCK),
    .stages = {{prepare_chosen_reduce, mpi_coll_part_round},
	       {prepare_scatter, mpi_coll_scatter_sequential_round}},
};
