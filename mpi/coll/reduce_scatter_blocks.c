/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/coll/reduce_scatter_blocks.h"

MPI_Count mpi_coll_blocks_first(const struct mpi_coll *coll, int rank)
{
	const struct mpi_coll_side *send = &coll->call.send;

	if (rank == coll->size)
		return mpi_coll_reduce_scatter_items(coll);
	return mpi_counts_are_set(send->displs) ? mpi_counts_at(send->displs, rank)
						: rank * send->count;
}

struct mpi_coll_block mpi_coll_blocks_all(const struct mpi_coll *coll)
{
	return (struct mpi_coll_block){.buf = coll->call.send.buf,
				       .count = mpi_coll_reduce_scatter_items(coll),
				       .type = coll->call.send.type};
}

bool mpi_coll_blocks_round_outside(struct mpi_rank *me, struct mpi_coll *coll)
{
	if (coll->step == 0)
		mpi_coll_send_some(me, coll, mpi_coll_blocks_all(coll), coll->rank + 1);
	else if (coll->step == 1)
		mpi_coll_recv_some(me, coll, mpi_coll_whole(&coll->call.recv), coll->rank + 1);
	return coll->step == 2;
}

void mpi_coll_blocks_begin(struct mpi_rank *me, struct mpi_coll *coll, int n_pairs)
{
	struct mpi_coll_block all = mpi_coll_blocks_all(coll);

	coll->work[0] = mpi_coll_scratch_like(me, coll, all);
	coll->work[1] = mpi_coll_scratch_like(me, coll, all);
	mpi_coll_copy(me, coll, all, mpi_coll_block_at(all, coll->work[0]));
	if (coll->rank < 2 * n_pairs)
		mpi_coll_recv_some(me, coll, mpi_coll_block_at(all, coll->work[1]), coll->rank - 1);
}

bool mpi_coll_blocks_end(struct mpi_rank *me, struct mpi_coll *coll, int n_pairs,
			 struct mpi_coll_block result)
{
	struct mpi_coll_block own = mpi_coll_whole(&coll->call.recv);
	bool has_other = coll->rank < 2 * n_pairs;
	MPI_Count of_other = result.count - own.count;

	mpi_coll_copy(me, coll, mpi_coll_items(coll, result, has_other ? of_other : 0, own.count),
		      own);
	if (!has_other)
		return true;
	mpi_coll_send_some(me, coll, mpi_coll_items(coll, result, 0, of_other), coll->rank - 1);
	coll->phase = MPI_COLL_PAIRS_LEAVING;
	return coll->n_posted == 0;
}
