/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 gathers all blocks, and what would be chosen for a broadcast of them all spreads them. */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/packed.h"
#include "mpi/coll/part.h"

static bool gather(struct mpi_rank *me, struct mpi_coll *coll)
{
	if (coll->step == 1)
		return true;
	mpi_coll_packed_begin(me, coll, 0);
	if (coll->rank != 0) {
		mpi_coll_send_some(me, coll, mpi_coll_whole(&coll->call.send), 0);
		return false;
	}
	mpi_coll_reserve(me, coll, coll->size);
	for (int peer = 1; peer < coll->size; peer++)
		mpi_coll_recv_some(me, coll, mpi_coll_packed_blocks(me, coll, peer, 1), peer);
	return false;
}

static void prepare_bcast(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block all = mpi_coll_packed_blocks(me, coll, 0, coll->size);

	coll->call.root = 0;
	coll->call.recv =
	    (struct mpi_coll_side){.buf = all.buf, .count = all.count, .type = all.type};
	mpi_coll_part_choose(me, coll, COLL_BCAST);
}

static bool put_in_place(struct mpi_rank *me, struct mpi_coll *coll)
{
	mpi_coll_packed_end(me, coll, &coll->given.recv);
	return true;
}

const struct mpi_coll_algorithm mpi_coll_allgatherv_gather_bcast = {
    .name = "gather_bcast",
    .kinds = MPI_COLL_KIND(COLL_ALLGATHER) | MPI_COLL_KIND(COLL_ALLGATHERV),
    .stages = {{NULL, gather}, {prepare_bcast, mpi_coll_part_round}, {NULL, put_in_place}},
};
