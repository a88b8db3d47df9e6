/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/coll/packed.h"

static int rank_at(const struct mpi_coll *coll, int place)
{
	return (coll->packed.first + place) % coll->size;
}

void mpi_coll_packed_begin(struct mpi_rank *me, struct mpi_coll *coll, int first)
{
	MPI_Count *offsets = mpi_coll_scratch_numbers(me, coll, coll->size + 1);
	int own = (coll->rank - first + coll->size) % coll->size;

	coll->packed.first = first;
	coll->packed.offsets = offsets;
	offsets[0] = 0;
	for (int i = 0; i < coll->size; i++)
		offsets[i + 1] =
		    offsets[i] +
		    mpi_coll_block_size_B(mpi_coll_block(&coll->call.recv, rank_at(coll, i)));
	coll->packed.buf = mpi_coll_scratch(me, coll, offsets[coll->size]);
	mpi_coll_copy(me, coll, mpi_coll_whole(&coll->call.send),
		      mpi_coll_packed_blocks(me, coll, own, 1));
}

struct mpi_coll_block mpi_coll_packed_blocks(struct mpi_rank *me, const struct mpi_coll *coll,
					     int from, int n)
{
	const MPI_Count *offsets = coll->packed.offsets;
	int end = from + n < coll->size ? from + n : coll->size;

	return mpi_coll_bytes(me, mpi_coll_scratch_at(coll, coll->packed.buf, offsets[from]),
			      offsets[end] - offsets[from]);
}

void mpi_coll_packed_end(struct mpi_rank *me, struct mpi_coll *coll,
			 const struct mpi_coll_side *recv)
{
	for (int i = 0; i < coll->size; i++)
		mpi_coll_copy(me, coll, mpi_coll_packed_blocks(me, coll, i, 1),
			      mpi_coll_block(recv, rank_at(coll, i)));
}
