/* SPDX-License-Identifier: BSD-3-Clause */
/* The data of collectives by formula: packed when a rank enters, unpacked when it leaves. */
#include <stdlib.h>

#include "mpi/coll/algorithms.h"
#include "mpi/coll/ideal.h"

static char *allocate(struct mpi_rank *me, const struct mpi_ideal *ideal, MPI_Count size_B)
{
	char *data = malloc((size_t)size_B);

	if (!data)
		mpi_ideal_fail_memory(me, ideal);
	return data;
}

/* --- entering --- */

static void put_block(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_ideal *ideal,
		      struct mpi_coll_block block)
{
	struct mpi_ideal_slot *slot = &ideal->slots[coll->rank];

	slot->size_B = mpi_coll_block_size_B(block);
	if (coll->absent || slot->size_B == 0)
		return;
	slot->data = allocate(me, ideal, slot->size_B);
	mpi_coll_copy(me, coll, block, mpi_coll_bytes(me, slot->data, slot->size_B));
}

static void measure_parts(struct mpi_rank *me, const struct mpi_coll *coll,
			  const struct mpi_ideal *ideal, struct mpi_ideal_slot *slot)
{
	const struct mpi_coll_side *side = &coll->call.send;

	if (!mpi_counts_are_set(side->counts) && !side->types) {
		slot->part_B = mpi_coll_block_size_B(mpi_coll_block(side, 0));
		slot->size_B = slot->part_B * ideal->n;
		return;
	}
	slot->ends =
	    (MPI_Count *)(void *)allocate(me, ideal, ideal->n * (MPI_Count)sizeof *slot->ends);
	for (int i = 0; i < ideal->n; i++) {
		slot->size_B += mpi_coll_block_size_B(mpi_coll_block(side, i));
		slot->ends[i] = slot->size_B;
	}
}

static MPI_Count part_begin(const struct mpi_ideal_slot *slot, int index)
{
	if (!slot->ends)
		return index * slot->part_B;
	return index > 0 ? slot->ends[index - 1] : 0;
}

static MPI_Count part_size_B(const struct mpi_ideal_slot *slot, int index)
{
	return slot->ends ? slot->ends[index] - part_begin(slot, index) : slot->part_B;
}

/* call.send, a block for each rank. */
static void put_parts(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_ideal *ideal)
{
	struct mpi_ideal_slot *slot = &ideal->slots[coll->rank];

	measure_parts(me, coll, ideal, slot);
	if (coll->absent || slot->size_B == 0)
		return;
	slot->data = allocate(me, ideal, slot->size_B);
	for (int i = 0; i < ideal->n; i++)
		mpi_coll_copy(
		    me, coll, mpi_coll_block(&coll->call.send, i),
		    mpi_coll_bytes(me, slot->data + part_begin(slot, i), part_size_B(slot, i)));
}

/* What a rank contributes to a reduction. */
static struct mpi_coll_block contribution(const struct mpi_coll *coll)
{
	struct mpi_coll_block block = mpi_coll_whole(&coll->call.send);

	if (coll->kind == COLL_REDUCE_SCATTER || coll->kind == COLL_REDUCE_SCATTER_BLOCK)
		block.count = mpi_coll_reduce_scatter_items(coll);
	return block;
}

void mpi_ideal_put(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_ideal *ideal)
{
	bool is_root = coll->rank == ideal->root;

	switch (coll->kind) {
	case COLL_BARRIER:
		break;
	case COLL_BCAST:
		if (is_root)
			put_block(me, coll, ideal, mpi_coll_whole(&coll->call.recv));
		break;
	case COLL_SCATTER:
	case COLL_SCATTERV:
		if (is_root)
			put_parts(me, coll, ideal);
		break;
	case COLL_ALLTOALL:
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
		put_parts(me, coll, ideal);
		break;
	case COLL_GATHER:
	case COLL_GATHERV:
		if (!is_root)
			put_block(me, coll, ideal, mpi_coll_whole(&coll->call.send));
		break;
	case COLL_ALLGATHER:
	case COLL_ALLGATHERV:
		put_block(me, coll, ideal, mpi_coll_whole(&coll->call.send));
		break;
	default:
		put_block(me, coll, ideal, contribution(coll));
	}
}

/* --- reductions: each rank's slot becomes the result of the ranks up to it --- */

static void fold_gaps(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block like,
		      const struct mpi_ideal_slot *left, struct mpi_ideal_slot *right)
{
	struct mpi_coll_block bytes = mpi_coll_bytes(me, left->data, left->size_B), unpacked[2];

	for (int i = 0; i < 2; i++) {
		if (!coll->work[i])
			coll->work[i] = mpi_coll_scratch_like(me, coll, like);
		unpacked[i] = mpi_coll_block_at(like, coll->work[i]);
	}
	mpi_coll_copy(me, coll, bytes, unpacked[0]);
	bytes.buf = right->data;
	mpi_coll_copy(me, coll, bytes, unpacked[1]);
	mpi_op_apply(me, coll->op, like.type, unpacked[0].buf, unpacked[1].buf, like.count);
	mpi_coll_copy(me, coll, unpacked[1], bytes);
}

static void fold_pair(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_ideal *ideal,
		      struct mpi_ideal_slot *left, struct mpi_ideal_slot *right)
{
	struct mpi_coll_block like = contribution(coll);
	MPI_Count low_B = like.type->true_lb_B;

	if (left->size_B != right->size_B || left->size_B != mpi_coll_block_size_B(like)) {
		ideal->error = MPI_ERR_TRUNCATE;
		return;
	}
	if (!left->data || !right->data) {
		free(right->data);
		right->data = NULL;
	} else if (like.type->is_contiguous) {
		mpi_op_apply(me, coll->op, like.type, left->data - low_B, right->data - low_B,
			     like.count);
	} else {
		fold_gaps(me, coll, like, left, right);
	}
}

void mpi_ideal_fold(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_ideal *ideal)
{
	bool keeps_all = coll->kind == COLL_SCAN || coll->kind == COLL_EXSCAN;

	while (ideal->n_prefix < ideal->n && ideal->slots[ideal->n_prefix].has_entered) {
		struct mpi_ideal_slot *slot = &ideal->slots[ideal->n_prefix];

		if (slot->mark > ideal->mark)
			ideal->mark = slot->mark;
		if (ideal->n_prefix++ == 0 || !mpi_ideal_is_reduction(coll->kind))
			continue;
		fold_pair(me, coll, ideal, slot - 1, slot);
		if (keeps_all)
			continue;
		free(slot[-1].data);
		slot[-1].data = NULL;
	}
}

/* --- leaving --- */

static void take_bytes(struct mpi_rank *me, struct mpi_coll *coll, char *data, MPI_Count size_B,
		       struct mpi_coll_block to)
{
	if (data)
		mpi_coll_copy(me, coll, mpi_coll_bytes(me, data, size_B), to);
	else if (size_B > mpi_coll_block_size_B(to) && coll->error == MPI_SUCCESS)
		coll->error = MPI_ERR_TRUNCATE;
}

static void take_slot(struct mpi_rank *me, struct mpi_coll *coll, const struct mpi_ideal_slot *slot,
		      struct mpi_coll_block to)
{
	take_bytes(me, coll, slot->data, slot->size_B, to);
}

static void take_part(struct mpi_rank *me, struct mpi_coll *coll, const struct mpi_ideal_slot *slot,
		      struct mpi_coll_block to)
{
	take_bytes(me, coll, slot->data ? slot->data + part_begin(slot, coll->rank) : NULL,
		   part_size_B(slot, coll->rank), to);
}

/* A block of each rank, this one's own from its own memory. */
static void take_blocks(struct mpi_rank *me, struct mpi_coll *coll, const struct mpi_ideal *ideal)
{
	for (int i = 0; i < ideal->n; i++) {
		struct mpi_coll_block to = mpi_coll_block(&coll->call.recv, i);

		if (i == coll->rank)
			mpi_coll_copy(me, coll, mpi_coll_whole(&coll->call.send), to);
		else
			take_slot(me, coll, &ideal->slots[i], to);
	}
}

/* The own block of the result of all. */
static void take_own_block(struct mpi_rank *me, struct mpi_coll *coll,
			   const struct mpi_ideal *ideal)
{
	const struct mpi_ideal_slot *result = &ideal->slots[ideal->n - 1];
	const struct mpi_coll_side *blocks = &coll->given.send;
	struct mpi_coll_block to = mpi_coll_whole(&coll->call.recv);
	MPI_Count first = coll->rank * blocks->count;

	if (mpi_counts_are_set(blocks->displs))
		first = mpi_counts_at(blocks->displs, coll->rank);
	take_bytes(me, coll, result->data ? result->data + first * to.type->size_B : NULL,
		   mpi_coll_block_size_B(to), to);
}

/* What there is for a rank of an operation with a root. */
static void take_rooted(struct mpi_rank *me, struct mpi_coll *coll, const struct mpi_ideal *ideal)
{
	const struct mpi_coll_side *recv = &coll->call.recv;
	bool is_root = coll->rank == ideal->root;

	if (coll->kind == COLL_BCAST && !is_root)
		take_slot(me, coll, &ideal->slots[ideal->root], mpi_coll_whole(recv));
	else if (coll->kind == COLL_REDUCE && is_root)
		take_slot(me, coll, &ideal->slots[ideal->n - 1], mpi_coll_whole(recv));
	else if ((coll->kind == COLL_GATHER || coll->kind == COLL_GATHERV) && is_root)
		take_blocks(me, coll, ideal);
	else if ((coll->kind == COLL_SCATTER || coll->kind == COLL_SCATTERV) && is_root)
		mpi_coll_copy(me, coll, mpi_coll_block(&coll->call.send, ideal->root),
			      mpi_coll_whole(recv));
	else if (coll->kind == COLL_SCATTER || coll->kind == COLL_SCATTERV)
		take_part(me, coll, &ideal->slots[ideal->root], mpi_coll_whole(recv));
}

void mpi_ideal_take(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_ideal *ideal)
{
	const struct mpi_coll_side *recv = &coll->call.recv;

	if (ideal->error != MPI_SUCCESS) {
		coll->error = ideal->error;
		return;
	}
	switch (coll->kind) {
	case COLL_BARRIER:
		break;
	case COLL_ALLGATHER:
	case COLL_ALLGATHERV:
		take_blocks(me, coll, ideal);
		break;
	case COLL_ALLTOALL:
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
		for (int i = 0; i < ideal->n; i++)
			take_part(me, coll, &ideal->slots[i], mpi_coll_block(recv, i));
		break;
	case COLL_ALLREDUCE:
		take_slot(me, coll, &ideal->slots[ideal->n - 1], mpi_coll_whole(recv));
		break;
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		take_own_block(me, coll, ideal);
		break;
	case COLL_SCAN:
		take_slot(me, coll, &ideal->slots[coll->rank], mpi_coll_whole(recv));
		break;
	case COLL_EXSCAN:
		if (coll->rank > 0)
			take_slot(me, coll, &ideal->slots[coll->rank - 1], mpi_coll_whole(recv));
		break;
	default:
		take_rooted(me, coll, ideal);
	}
}
