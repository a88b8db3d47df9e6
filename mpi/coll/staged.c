/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/coll/staged.h"

#include "pdexec/device.h"

/* How many blocks it has on the side; what is not significant on this rank has no type. */
static int n_blocks(const struct mpi_coll *coll, const struct mpi_coll_side *side)
{
	bool is_recv = side == &coll->given.recv;

	if (!side->type && !side->types)
		return 0;
	switch (coll->kind) {
	case COLL_GATHER:
	case COLL_GATHERV:
	case COLL_ALLGATHER:
	case COLL_ALLGATHERV:
	case COLL_NEIGHBOR_ALLGATHER:
	case COLL_NEIGHBOR_ALLGATHERV:
		return is_recv ? side->n_blocks : 1;
	case COLL_SCATTER:
	case COLL_SCATTERV:
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return is_recv ? 1 : side->n_blocks;
	case COLL_ALLTOALL:
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
	case COLL_NEIGHBOR_ALLTOALL:
	case COLL_NEIGHBOR_ALLTOALLV:
	case COLL_NEIGHBOR_ALLTOALLW:
		return side->n_blocks;
	default:
		return 1;
	}
}

/* Of the side, in memory of an accelerator. */
static int64_t staged_B(const struct mpi_coll *coll, const struct mpi_coll_side *side)
{
	int64_t size_B = 0;

	for (int i = 0, n = n_blocks(coll, side); i < n; i++) {
		struct mpi_coll_block block =
		    n == 1 && !mpi_counts_are_set(side->counts) ? mpi_coll_whole(side)
								: mpi_coll_block(side, i);

		if (pd_memory_is_device(block.buf))
			size_B += mpi_coll_block_size_B(block);
	}
	return size_B;
}

static bool is_source(const struct mpi_coll *coll)
{
	return coll->remote_size ? coll->given.root == MPI_ROOT : coll->rank == coll->given.root;
}

void mpi_coll_stage(struct mpi_rank *me, struct mpi_coll *coll)
{
	int64_t given_B, got_B;

	if (me->world->pd->cluster->accelerators.is_gpu_aware)
		return;
	given_B = staged_B(coll, &coll->given.send);
	got_B = staged_B(coll, &coll->given.recv);
	if (coll->kind == COLL_BCAST && is_source(coll)) {
		given_B = got_B;
		got_B = 0;
	}
	coll->staged_B = got_B;
	if (given_B > 0)
		pd_device_stage(me->pd, NET_DEVICE_OUT, given_B);
}

void mpi_coll_unstage(struct mpi_rank *me, const struct mpi_coll *coll)
{
	if (coll->staged_B > 0)
		pd_device_stage(me->pd, NET_DEVICE_IN, coll->staged_B);
}
