/* SPDX-License-Identifier: BSD-3-Clause */
/* Barrier and movement of data on intercommunicators. */
#include "mpi/coll/inter.h"

bool mpi_coll_inter_exchange(struct mpi_rank *me, struct mpi_coll *coll)
{
	if (coll->rank > 0 || coll->step == 1)
		return true;
	mpi_coll_recv(me, coll, mpi_coll_whole(&coll->call.recv), 0);
	mpi_coll_send(me, coll, mpi_coll_whole(&coll->call.send), 0);
	return false;
}

void mpi_coll_inter_prepare_bcast(struct mpi_rank *me, struct mpi_coll *coll)
{
	coll->call.root = 0;
}

/* --- barrier: the groups for themselves, their leaders, and they tell their groups --- */

static void prepare_nothing(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_side nothing = {.type = mpi_datatype_get(me, MPI_BYTE)};

	coll->call.send = coll->call.recv = nothing;
}

const struct mpi_coll_algorithm mpi_coll_inter_barrier = {
    .name = "local_exchange",
    .stages = {{NULL, mpi_coll_barrier_dissemination_round, SCOPE_LOCAL_GROUP},
	       {prepare_nothing, mpi_coll_inter_exchange},
	       {mpi_coll_inter_prepare_bcast, mpi_coll_bcast_binomial_round, SCOPE_LOCAL_GROUP}},
};

/* --- broadcast: the root tells the leader of the other group, that one its group --- */

static bool bcast_to_leader(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block data = mpi_coll_whole(&coll->call.recv);
	int root = coll->given.root;

	if (coll->step == 1)
		return true;
	if (root == MPI_ROOT)
		mpi_coll_send(me, coll, data, 0);
	else if (root >= 0 && coll->rank == 0)
		mpi_coll_recv(me, coll, data, root);
	return false;
}

static bool bcast_in_group(struct mpi_rank *me, struct mpi_coll *coll)
{
	return coll->given.root < 0 || mpi_coll_bcast_binomial_round(me, coll);
}

const struct mpi_coll_algorithm mpi_coll_inter_bcast = {
    .name = "remote_send_local_bcast",
    .stages = {{NULL, bcast_to_leader},
	       {mpi_coll_inter_prepare_bcast, bcast_in_group, SCOPE_LOCAL_GROUP}},
};

/* --- gather and scatter: every rank of the other group with the root --- */

/* All blocks of a side at once. */
static void post_blocks(struct mpi_rank *me, struct mpi_coll *coll,
			const struct mpi_coll_side *blocks, bool receives)
{
	mpi_coll_reserve(me, coll, coll->n_posted + coll->remote_size);
	for (int peer = 0; peer < coll->remote_size; peer++) {
		struct mpi_coll_block block = mpi_coll_block(blocks, peer);

		if (mpi_coll_block_size_B(block) == 0)
			continue;
		if (receives)
			mpi_coll_recv(me, coll, block, peer);
		else
			mpi_coll_send(me, coll, block, peer);
	}
}

static bool gather(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block own = mpi_coll_whole(&coll->call.send);

	if (coll->step == 1)
		return true;
	if (coll->given.root == MPI_ROOT)
		post_blocks(me, coll, &coll->call.recv, true);
	else if (coll->given.root >= 0 && mpi_coll_block_size_B(own) > 0)
		mpi_coll_send(me, coll, own, coll->given.root);
	return false;
}

static bool scatter(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block own = mpi_coll_whole(&coll->call.recv);

	if (coll->step == 1)
		return true;
	if (coll->given.root == MPI_ROOT)
		post_blocks(me, coll, &coll->call.send, false);
	else if (coll->given.root >= 0 && mpi_coll_block_size_B(own) > 0)
		mpi_coll_recv(me, coll, own, coll->given.root);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_inter_gather = {
    .name = "linear",
    .stages = {{NULL, gather}},
};

const struct mpi_coll_algorithm mpi_coll_inter_scatter = {
    .name = "linear",
    .stages = {{NULL, scatter}},
};

/* --- allgather: each group gathers for its leader, the leaders swap and tell their groups --- */

static void prepare_gather(struct mpi_rank *me, struct mpi_coll *coll)
{
	MPI_Count block_B = mpi_coll_block_size_B(mpi_coll_whole(&coll->given.send));

	coll->call.root = 0;
	coll->call.recv =
	    (struct mpi_coll_side){.count = block_B, .type = mpi_datatype_get(me, MPI_BYTE)};
	if (coll->rank == 0)
		coll->call.recv.buf = mpi_coll_scratch(me, coll, block_B * coll->size);
}

/* An empty contribution needs no messages: all of the group have it. */
static bool gather_in_group(struct mpi_rank *me, struct mpi_coll *coll)
{
	return coll->call.recv.count == 0 || mpi_coll_gather_binomial_round(me, coll);
}

static void prepare_swap(struct mpi_rank *me, struct mpi_coll *coll)
{
	coll->call.send = coll->call.recv;
	coll->call.send.count *= coll->size;
	coll->call.recv = coll->given.recv;
	coll->call.recv.count *= coll->remote_size;
}

const struct mpi_coll_algorithm mpi_coll_inter_allgather = {
    .name = "local_gather_remote_bcast",
    .stages = {{prepare_gather, gather_in_group, SCOPE_LOCAL_GROUP},
	       {prepare_swap, mpi_coll_inter_exchange},
	       {mpi_coll_inter_prepare_bcast, mpi_coll_bcast_binomial_round, SCOPE_LOCAL_GROUP}},
};

/* --- allgatherv: all send to the other group's leader, which tells its group in one message --- */

static bool gather_at_leader(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block own = mpi_coll_whole(&coll->call.send);

	if (coll->step == 1)
		return true;
	if (coll->rank == 0)
		post_blocks(me, coll, &coll->call.recv, true);
	if (mpi_coll_block_size_B(own) > 0)
		mpi_coll_send(me, coll, own, 0);
	return false;
}

/* Between the blocks of given.recv and call.recv, which has them without gaps. */
static void copy_blocks(struct mpi_rank *me, struct mpi_coll *coll, bool packs)
{
	MPI_Count offset_B = 0;

	for (int i = 0; i < coll->remote_size; i++) {
		struct mpi_coll_block block = mpi_coll_block(&coll->given.recv, i);
		MPI_Count size_B = mpi_coll_block_size_B(block);
		struct mpi_coll_block packed = mpi_coll_bytes(
		    me, mpi_coll_scratch_at(coll, coll->call.recv.buf, offset_B), size_B);

		mpi_coll_copy(me, coll, packs ? block : packed, packs ? packed : block);
		offset_B += size_B;
	}
}

static void prepare_packed_bcast(struct mpi_rank *me, struct mpi_coll *coll)
{
	MPI_Count size_B = 0;

	for (int i = 0; i < coll->remote_size; i++)
		size_B += mpi_coll_block_size_B(mpi_coll_block(&coll->given.recv, i));
	coll->call.root = 0;
	coll->call.recv = (struct mpi_coll_side){.buf = mpi_coll_scratch(me, coll, size_B),
						 .count = size_B,
						 .type = mpi_datatype_get(me, MPI_BYTE)};
	if (coll->rank == 0)
		copy_blocks(me, coll, true);
}

static bool unpack(struct mpi_rank *me, struct mpi_coll *coll)
{
	if (coll->rank > 0)
		copy_blocks(me, coll, false);
	return true;
}

const struct mpi_coll_algorithm mpi_coll_inter_allgatherv = {
    .name = "remote_gather_local_bcast",
    .stages = {{NULL, gather_at_leader},
	       {prepare_packed_bcast, mpi_coll_bcast_binomial_round, SCOPE_LOCAL_GROUP},
	       {NULL, unpack, SCOPE_LOCAL_GROUP}},
};

/* --- alltoall: in round i with the ranks at distance i, as many rounds as the larger group has
 * ranks --- */

static bool exchange_pairwise(struct mpi_rank *me, struct mpi_coll *coll)
{
	int n = coll->size > coll->remote_size ? coll->size : coll->remote_size;
	int source = (coll->rank - coll->step + n) % n, dest = (coll->rank + coll->step) % n;
	struct mpi_coll_block block;

	if (coll->step == n)
		return true;
	if (source < coll->remote_size) {
		block = mpi_coll_block(&coll->call.recv, source);
		if (mpi_coll_block_size_B(block) > 0)
			mpi_coll_recv(me, coll, block, source);
	}
	if (dest < coll->remote_size) {
		block = mpi_coll_block(&coll->call.send, dest);
		if (mpi_coll_block_size_B(block) > 0)
			mpi_coll_send(me, coll, block, dest);
	}
	return false;
}

const struct mpi_coll_algorithm mpi_coll_inter_alltoall = {
    .name = "pairwise",
    .stages = {{NULL, exchange_pairwise}},
};
