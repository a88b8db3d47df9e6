/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/coll/pairs.h"

bool mpi_coll_pairs_round_outside(struct mpi_rank *me, struct mpi_coll *coll)
{
	if (coll->step == 0)
		mpi_coll_send(me, coll, mpi_coll_whole(&coll->call.send), coll->rank + 1);
	else if (coll->step == 1)
		mpi_coll_recv(me, coll, mpi_coll_whole(&coll->call.recv), coll->rank + 1);
	return coll->step == 2;
}

void mpi_coll_pairs_begin(struct mpi_rank *me, struct mpi_coll *coll, int n_pairs)
{
	struct mpi_coll_block result = mpi_coll_whole(&coll->call.recv);

	coll->work[0] = result.buf;
	coll->work[1] = mpi_coll_scratch_like(me, coll, result);
	mpi_coll_copy(me, coll, mpi_coll_whole(&coll->call.send), result);
	if (coll->rank < 2 * n_pairs)
		mpi_coll_recv(me, coll, mpi_coll_block_at(result, coll->work[1]), coll->rank - 1);
}

bool mpi_coll_pairs_end(struct mpi_rank *me, struct mpi_coll *coll, int n_pairs)
{
	struct mpi_coll_block result = mpi_coll_whole(&coll->call.recv);

	mpi_coll_copy(me, coll, mpi_coll_block_at(result, coll->work[0]), result);
	if (coll->rank >= 2 * n_pairs)
		return true;
	mpi_coll_send(me, coll, result, coll->rank - 1);
	coll->phase = MPI_COLL_PAIRS_LEAVING;
	return false;
}
