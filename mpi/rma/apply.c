/* SPDX-License-Identifier: BSD-3-Clause */
/* What operations do to memory. Each takes effect at one instant, so all of them are atomic. */
#include <stdlib.h>
#include <string.h>

#include "mpi/rma/memory.h"

/* NULL when there is no memory: then the run is over. */
static void *allocate(const struct rma_op *op, int64_t size_B)
{
	void *memory = malloc((size_t)size_B);

	if (!memory)
		pd_fail_aside(op->origin->owner->pd, PD_FAILURE_MEMORY,
			      "out of memory for %lld B of a one-sided operation",
			      (long long)size_B);
	return memory;
}

void rma_keep_operand(struct rma_op *op)
{
	const struct mpi_rank *rank = op->origin->owner;
	struct rma_data compare = {(char *)op->compare, 1, op->from.type};
	int64_t n = op->compare ? 2 : 1;

	if (op->operand || !rma_is_there(&op->from) || op->origin->is_abandoned ||
	    (op->compare && pd_memory_is_absent(op->compare)))
		return;
	op->operand = allocate(op, n * op->size_B);
	if (!op->operand)
		return;
	rma_read(rank, &op->from, op->operand);
	if (op->compare)
		rma_read(rank, &compare, (char *)op->operand + op->size_B);
}

/* The origin's data, packed; NULL: there is none. */
static const void *operand(struct rma_op *op)
{
	if (!op->operand && !op->compare && rma_is_there(&op->from) &&
	    op->from.type->is_contiguous && !op->origin->is_abandoned)
		return pd_rank_memory(op->origin->owner->pd,
				      op->from.addr + op->from.type->true_lb_B);
	rma_keep_operand(op);
	return op->operand;
}

/* Copies the target's data. */
static void fetch(struct rma_op *op)
{
	op->fetched = allocate(op, op->size_B);
	if (op->fetched)
		rma_read(op->target->owner, &op->to, op->fetched);
}

/* Items of a pair with holes, from their packed form; NULL: out of memory. */
static void *spread(const struct rma_op *op, const struct mpi_datatype *basic, MPI_Count n,
		    const void *packed)
{
	void *items = allocate(op, n * basic->extent_B);

	if (items)
		mpi_datatype_unpack(basic, items, n, packed, n * basic->size_B);
	return items;
}

/* target[i] = operand[i] op target[i], both packed: pairs with holes have to be spread for it. */
static void reduce_packed(struct rma_op *op, struct mpi_datatype *basic, const void *in,
			  void *inout)
{
	struct mpi_rank *me = op->origin->owner;
	MPI_Count n = op->size_B / basic->size_B;
	void *from, *to;

	if (basic->is_contiguous) {
		mpi_op_apply(me, op->op, basic, in, inout, n);
		return;
	}
	from = spread(op, basic, n, in);
	to = spread(op, basic, n, inout);
	if (from && to) {
		mpi_op_apply(me, op->op, basic, from, to, n);
		mpi_datatype_pack(basic, to, n, inout);
	}
	free(from);
	free(to);
}

static bool is_aligned(const void *address, const struct mpi_datatype *type)
{
	return type->alignment_B <= 1 || (uintptr_t)address % (unsigned)type->alignment_B == 0;
}

static void reduce(struct rma_op *op, const void *data)
{
	struct mpi_datatype *basic = rma_basic_type(op->to.type);
	void *target = pd_rank_memory(op->target->owner->pd, op->to.addr + op->to.type->true_lb_B);
	void *packed;

	if (op->to.type->is_contiguous && basic->is_contiguous && is_aligned(target, basic) &&
	    is_aligned(data, basic)) {
		reduce_packed(op, basic, data, target);
		return;
	}
	rma_keep_operand(op); /* malloc'd: aligned */
	packed = op->operand ? allocate(op, op->size_B) : NULL;
	if (!packed)
		return;
	rma_read(op->target->owner, &op->to, packed);
	reduce_packed(op, basic, op->operand, packed);
	rma_write(op->target->owner, &op->to, packed, op->size_B);
	free(packed);
}

static void accumulate(struct rma_op *op)
{
	const void *data;

	if (op->op->handle == MPI_NO_OP || !(data = operand(op)))
		return;
	if (op->op->handle == MPI_REPLACE)
		rma_write(op->target->owner, &op->to, data, op->size_B);
	else
		reduce(op, data);
}

static void compare_and_swap(struct rma_op *op)
{
	const char *data = operand(op);

	if (data && op->fetched && memcmp(op->fetched, data + op->size_B, (size_t)op->size_B) == 0)
		rma_write(op->target->owner, &op->to, data, op->size_B);
}

void rma_apply(struct rma_op *op)
{
	const void *data;

	if (op->target->is_abandoned || !rma_is_there(&op->to))
		return;
	if (op->kind == RMA_GET_ACCUMULATE || op->kind == RMA_COMPARE_AND_SWAP)
		fetch(op);
	if (op->kind == RMA_PUT && (data = operand(op)))
		rma_write(op->target->owner, &op->to, data, op->size_B);
	else if (op->kind == RMA_ACCUMULATE || op->kind == RMA_GET_ACCUMULATE)
		accumulate(op);
	else if (op->kind == RMA_COMPARE_AND_SWAP)
		compare_and_swap(op);
}

/* A get reads when it completes: until then nobody may change what it gets, so a copy from the time
 * at which it was served would be the same. */
static void deliver_get(struct rma_op *op)
{
	const struct rma_data *from = &op->to, *to = &op->result;

	if (op->target->is_abandoned || !rma_is_there(from))
		return;
	if (from->type->is_contiguous) {
		rma_write(op->origin->owner, to,
			  pd_rank_memory(op->target->owner->pd, from->addr + from->type->true_lb_B),
			  op->size_B);
		return;
	}
	fetch(op);
	if (op->fetched)
		rma_write(op->origin->owner, to, op->fetched, op->size_B);
}

void rma_deliver_result(struct rma_op *op)
{
	if (op->origin->is_abandoned || !rma_is_there(&op->result))
		return;
	if (op->kind == RMA_GET)
		deliver_get(op);
	else if (op->fetched)
		rma_write(op->origin->owner, &op->result, op->fetched, op->size_B);
}
