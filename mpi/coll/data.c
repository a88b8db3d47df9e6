/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks, scratch memory, local copies and reductions: what algorithms do between messages. */
#include <stdlib.h>
#include <string.h>

#include "mpi/coll/operation.h"

struct mpi_coll_scratch {
	struct mpi_coll_scratch *next;
	char bytes[] __attribute__((aligned(16)));
};

struct mpi_coll_block mpi_coll_block(const struct mpi_coll_side *side, int index)
{
	struct mpi_coll_block block = {.buf = side->buf, .count = side->count, .type = side->type};
	MPI_Count displ;

	if (side->types)
		block.type = side->types[index];
	if (mpi_counts_are_set(side->counts))
		block.count = mpi_counts_at(side->counts, index);
	if (mpi_counts_are_set(side->displs))
		displ = mpi_counts_at(side->displs, index);
	else
		displ = index * side->count;
	block.buf += side->types ? displ : displ * block.type->extent_B;
	return block;
}

struct mpi_coll_block mpi_coll_whole(const struct mpi_coll_side *side)
{
	return (struct mpi_coll_block){.buf = side->buf, .count = side->count, .type = side->type};
}

struct mpi_coll_block mpi_coll_blocks(const struct mpi_coll_side *side, int first, int n)
{
	struct mpi_coll_block block = mpi_coll_block(side, first);

	block.count *= n;
	return block;
}

struct mpi_coll_block mpi_coll_block_at(struct mpi_coll_block block, char *buf)
{
	block.buf = buf;
	return block;
}

struct mpi_coll_block mpi_coll_bytes(const struct mpi_rank *me, char *buf, MPI_Count size_B)
{
	return (struct mpi_coll_block){
	    .buf = buf, .count = size_B, .type = mpi_datatype_get(me, MPI_BYTE)};
}

static char *allocate(struct mpi_rank *me, struct mpi_coll *coll, MPI_Count size_B)
{
	struct mpi_coll_scratch *scratch = malloc(sizeof *scratch + (size_t)size_B);

	if (!scratch)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for %lld bytes of buffer of %s",
			(long long)size_B, coll->algorithm->name);
	scratch->next = coll->scratch;
	coll->scratch = scratch;
	return scratch->bytes;
}

char *mpi_coll_scratch(struct mpi_rank *me, struct mpi_coll *coll, MPI_Count size_B)
{
	return coll->absent ? coll->absent : allocate(me, coll, size_B);
}

MPI_Count *mpi_coll_scratch_numbers(struct mpi_rank *me, struct mpi_coll *coll, int n)
{
	return (MPI_Count *)(void *)allocate(me, coll, n * (MPI_Count)sizeof(MPI_Count));
}

char *mpi_coll_scratch_like(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block block)
{
	MPI_Count reach = block.count > 0 ? (block.count - 1) * block.type->extent_B : 0;
	MPI_Count low = block.type->true_lb_B + (reach < 0 ? reach : 0);
	MPI_Count size = block.type->true_extent_B + (reach < 0 ? -reach : reach);

	if (coll->absent)
		return coll->absent;
	return mpi_coll_scratch(me, coll, size) - low;
}

char *mpi_coll_scratch_at(const struct mpi_coll *coll, char *scratch, MPI_Count offset_B)
{
	/* An absent scratch is an address within the application's buffer, which may be smaller. */
	return coll->absent ? scratch : scratch + offset_B;
}

void mpi_coll_scratch_free(struct mpi_coll *coll)
{
	struct mpi_coll_scratch *scratch;

	while ((scratch = coll->scratch)) {
		coll->scratch = scratch->next;
		free(scratch);
	}
}

static void copy_packed(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block from,
			struct mpi_coll_block to, MPI_Count size_B)
{
	char *packed = malloc((size_t)mpi_coll_block_size_B(from));

	if (!packed)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a copy of %lld bytes in %s",
			(long long)size_B, coll->algorithm->name);
	mpi_datatype_pack(from.type, from.buf, from.count, packed);
	mpi_datatype_unpack(to.type, to.buf, to.count, packed, size_B);
	free(packed);
}

void mpi_coll_copy(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block from,
		   struct mpi_coll_block to)
{
	MPI_Count size_B = mpi_coll_block_size_B(from), room_B = mpi_coll_block_size_B(to);

	if (size_B > room_B) { /* as a message from this rank to itself would be */
		if (coll->error == MPI_SUCCESS)
			coll->error = MPI_ERR_TRUNCATE;
		size_B = room_B;
	}
	if (size_B == 0 || from.buf == to.buf || pd_memory_is_absent(from.buf) ||
	    pd_memory_is_absent(to.buf))
		return;
	if (from.type->is_contiguous && to.type->is_contiguous)
		memmove(to.buf + to.type->true_lb_B, from.buf + from.type->true_lb_B,
			(size_t)size_B);
	else
		copy_packed(me, coll, from, to, size_B);
}

struct mpi_coll_block mpi_coll_items(const struct mpi_coll *coll, struct mpi_coll_block block,
				     MPI_Count first, MPI_Count count)
{
	block.buf = mpi_coll_scratch_at(coll, block.buf, first * block.type->extent_B);
	block.count = count;
	return block;
}

/* --- one block as bytes --- */

void mpi_coll_flatten(struct mpi_rank *me, struct mpi_coll *coll, bool has_data)
{
	struct mpi_coll_block data = mpi_coll_whole(&coll->call.recv);
	MPI_Count size_B = mpi_coll_block_size_B(data);

	if (data.type->is_contiguous) {
		coll->work[0] = data.buf + data.type->true_lb_B;
		return;
	}
	coll->work[0] = mpi_coll_scratch(me, coll, size_B);
	if (has_data)
		mpi_coll_copy(me, coll, data, mpi_coll_bytes(me, coll->work[0], size_B));
}

void mpi_coll_unflatten(struct mpi_rank *me, struct mpi_coll *coll, bool had_data)
{
	struct mpi_coll_block data = mpi_coll_whole(&coll->call.recv);

	if (!data.type->is_contiguous && !had_data)
		mpi_coll_copy(me, coll,
			      mpi_coll_bytes(me, coll->work[0], mpi_coll_block_size_B(data)), data);
}

struct mpi_coll_block mpi_coll_flat(struct mpi_rank *me, struct mpi_coll *coll, MPI_Count from_B,
				    MPI_Count end_B)
{
	MPI_Count size_B = mpi_coll_block_size_B(mpi_coll_whole(&coll->call.recv));

	from_B = from_B < size_B ? from_B : size_B;
	end_B = end_B < size_B ? end_B : size_B;
	return mpi_coll_bytes(me, mpi_coll_scratch_at(coll, coll->work[0], from_B), end_B - from_B);
}

/* --- reductions --- */

void mpi_coll_fold_left(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block like)
{
	mpi_op_apply(me, coll->op, like.type, coll->work[1], coll->work[0], like.count);
}

void mpi_coll_fold_right(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block like)
{
	char *result = coll->work[1];

	mpi_op_apply(me, coll->op, like.type, coll->work[0], result, like.count);
	coll->work[1] = coll->work[0];
	coll->work[0] = result;
}
