/* SPDX-License-Identifier: BSD-3-Clause */
/* The arguments of communication calls, checked. */
#include "mpi/rma/call.h"
#include "mpi/rma/epoch.h"
#include "mpi/rma/memory.h"

static int check_type(struct mpi_rank *me, struct mpi_win *win, MPI_Count count,
		      MPI_Datatype handle, const char *name, struct mpi_datatype **out)
{
	struct mpi_datatype *type = mpi_datatype_get(me, handle);

	if (count < 0)
		return rma_raise(me, win, MPI_ERR_COUNT, "the %s count is %lld, wanted at least 0",
				 name, (long long)count);
	if (!type)
		return rma_raise(me, win, MPI_ERR_TYPE, "the %s datatype is %s", name,
				 handle == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL"
							     : "not a datatype");
	if (!type->is_committed)
		return rma_raise(me, win, MPI_ERR_TYPE, "the %s datatype is not committed", name);
	if (type->size_B > 0 && count > INT64_MAX / 4 / type->size_B)
		return rma_raise(me, win, MPI_ERR_COUNT,
				 "%lld items of %lld B are more than there can be",
				 (long long)count, (long long)type->size_B);
	*out = type;
	return MPI_SUCCESS;
}

static int check_side(struct mpi_rank *me, struct mpi_win *win, void *addr, MPI_Count count,
		      MPI_Datatype datatype, const char *name, struct rma_data *out)
{
	struct mpi_datatype *type;
	int code = check_type(me, win, count, datatype, name, &type);

	if (code != MPI_SUCCESS)
		return code;
	/* only a type with absolute addresses goes with MPI_BOTTOM, which is NULL */
	if (!addr && count > 0 && type->size_B > 0 && type->true_lb_B == 0)
		return rma_raise(me, win, MPI_ERR_BUFFER, "the %s buffer is NULL for %lld items",
				 name, (long long)count);
	*out = (struct rma_data){addr, count, type};
	return MPI_SUCCESS;
}

/* The buffers that the kind of operation has: of MPI_Get, the origin is where the data go. */
static int check_sides(struct mpi_rank *me, const struct rma_call *call, struct rma_resolved *out)
{
	bool sends = call->kind != RMA_GET && !(out->op && out->op->handle == MPI_NO_OP);
	int code = check_type(me, out->win, call->target_count, call->target_datatype, "target",
			      &out->to.type);

	out->to.count = call->target_count;
	if (code == MPI_SUCCESS && (sends || call->kind == RMA_GET))
		code =
		    check_side(me, out->win, call->origin_addr, call->origin_count,
			       call->origin_datatype, "origin", sends ? &out->from : &out->result);
	if (code == MPI_SUCCESS &&
	    (call->kind == RMA_GET_ACCUMULATE || call->kind == RMA_COMPARE_AND_SWAP))
		code = check_side(me, out->win, call->result_addr, call->result_count,
				  call->result_datatype, "result", &out->result);
	if (code == MPI_SUCCESS && call->kind == RMA_COMPARE_AND_SWAP && !call->compare_addr)
		code = rma_raise(me, out->win, MPI_ERR_BUFFER, "the compare buffer is NULL");
	return code;
}

static int64_t bytes(const struct rma_data *data)
{
	return data->type ? data->count * data->type->size_B : 0;
}

/* Data must fit where they go; accumulates have to have them item by item. */
static int check_fit(struct mpi_rank *me, const struct rma_call *call, struct rma_resolved *out)
{
	int64_t there_B = bytes(&out->to), sent_B = bytes(&out->from),
		fetched_B = bytes(&out->result);

	out->size_B = call->kind == RMA_PUT ? sent_B : there_B;
	if (call->kind == RMA_PUT ? sent_B > there_B : out->from.type && sent_B != there_B)
		return rma_raise(me, out->win, MPI_ERR_TRUNCATE,
				 "%lld B of the origin do not fit %lld B of the target",
				 (long long)sent_B, (long long)there_B);
	if (out->result.type && fetched_B < there_B)
		return rma_raise(me, out->win, MPI_ERR_TRUNCATE,
				 "%lld B of the target do not fit into %lld B", (long long)there_B,
				 (long long)fetched_B);
	return MPI_SUCCESS;
}

/* --- operations and their types --- */

static bool are_alike(const struct mpi_datatype *a, const struct mpi_datatype *b)
{
	return a == b ||
	       (a && b && a->basic == b->basic && a->size_B == b->size_B && a->basic != BASIC_NONE);
}

/* Reductions are for one basic type on both sides; replacing is for all data. */
static int check_reduction(struct mpi_rank *me, struct rma_resolved *out)
{
	struct mpi_datatype *basic = rma_basic_type(out->to.type);

	if (out->op->handle == MPI_NO_OP || out->op->handle == MPI_REPLACE)
		return MPI_SUCCESS;
	if (!basic || !are_alike(basic, rma_basic_type(out->from.type)))
		return rma_raise(me, out->win, MPI_ERR_TYPE,
				 "origin and target are not made of one and the same basic type");
	if (!mpi_op_accepts(out->op, basic))
		return rma_raise(me, out->win, MPI_ERR_OP,
				 "the operation is not defined on this datatype");
	return MPI_SUCCESS;
}

static int check_op(struct mpi_rank *me, const struct rma_call *call, struct rma_resolved *out)
{
	if (call->kind != RMA_ACCUMULATE && call->kind != RMA_GET_ACCUMULATE)
		return MPI_SUCCESS;
	out->op = mpi_op_get(me, call->op);
	if (!out->op)
		return rma_raise(me, out->win, MPI_ERR_OP, "op is not an operation");
	if (!out->op->is_predefined)
		return rma_raise(me, out->win, MPI_ERR_OP, "op is not a predefined operation");
	if (call->kind == RMA_ACCUMULATE && out->op->handle == MPI_NO_OP)
		return rma_raise(me, out->win, MPI_ERR_OP,
				 "MPI_NO_OP is for the accumulates that fetch");
	return MPI_SUCCESS;
}

static bool can_compare(const struct mpi_datatype *type)
{
	return type->basic == BASIC_INTEGER || type->basic == BASIC_UNSIGNED ||
	       type->basic == BASIC_LOGICAL || type->basic == BASIC_BYTE;
}

static int check_single(struct mpi_rank *me, const struct rma_call *call,
			const struct rma_resolved *out)
{
	if (!call->is_single)
		return MPI_SUCCESS;
	if (!out->to.type->is_predefined)
		return rma_raise(me, out->win, MPI_ERR_TYPE, "datatype is not a predefined one");
	if (call->kind == RMA_COMPARE_AND_SWAP && !can_compare(out->to.type))
		return rma_raise(me, out->win, MPI_ERR_TYPE,
				 "datatype is no integer, logical or byte");
	return MPI_SUCCESS;
}

/* --- where the target's data lie --- */

/* The region that has the byte, NULL when it is not attached. */
static const struct rma_region *region_of(const struct mpi_win *target, uintptr_t address)
{
	for (int i = 0; i < target->n_regions; i++) {
		uintptr_t base = (uintptr_t)target->regions[i].base;

		if (address >= base && address < base + (uintptr_t)target->regions[i].size_B)
			return &target->regions[i];
	}
	return NULL;
}

/* First and last byte, and, unless there are holes in between, all the regions from one to the
 * other. */
static bool is_attached(const struct mpi_win *target, const struct rma_data *data, uintptr_t low,
			uintptr_t high)
{
	const struct rma_region *region = region_of(target, low);

	if (!region || !region_of(target, high - 1))
		return false;
	while (data->type->is_contiguous && region &&
	       (uintptr_t)region->base + (uintptr_t)region->size_B < high)
		region = region_of(target, (uintptr_t)region->base + (uintptr_t)region->size_B);
	return region != NULL;
}

static bool is_in_window(const struct mpi_win *target, const struct rma_data *data)
{
	uintptr_t low, high, base = (uintptr_t)target->base;

	if (!rma_span(data, &low, &high))
		return false;
	if (target->window->flavor == MPI_WIN_FLAVOR_DYNAMIC)
		return is_attached(target, data, low, high);
	return low >= base && high - base <= (uintptr_t)target->size_B && high >= low;
}

static int locate(struct mpi_rank *me, const struct rma_call *call, struct rma_resolved *out)
{
	const struct mpi_win *target = rma_member(out->win, call->target_rank);
	bool is_dynamic = target->window->flavor == MPI_WIN_FLAVOR_DYNAMIC;
	MPI_Aint offset_B;

	if (call->target_disp < 0 && !is_dynamic)
		return rma_raise(me, out->win, MPI_ERR_DISP,
				 "target_disp is %lld, wanted at least 0",
				 (long long)call->target_disp);
	if (!__builtin_mul_overflow(call->target_disp, target->disp_unit, &offset_B)) {
		out->to.addr = (char *)((uintptr_t)target->base + (uintptr_t)offset_B);
		if (is_in_window(target, &out->to))
			return MPI_SUCCESS;
	}
	return rma_raise(me, out->win, MPI_ERR_RMA_RANGE,
			 is_dynamic
			     ? "the target's data at %#llx are not attached to its window"
			     : "the target's data at displacement %lld are not in its window",
			 (long long)call->target_disp);
}

/* One item of the type that all sides have. */
static __attribute__((noinline)) struct rma_call spread(const struct rma_call *call)
{
	struct rma_call out = *call;

	out.origin_count = out.result_count = out.target_count = 1;
	out.origin_datatype = out.result_datatype = out.target_datatype = call->datatype;
	return out;
}

int rma_resolve(struct mpi_rank *me, const struct rma_call *given, struct rma_resolved *out)
{
	struct rma_call single;
	const struct rma_call *call = given;
	int code = rma_check_win(me, call->win, &out->win);

	if (given->is_single) {
		single = spread(given);
		call = &single;
	}
	if (code == MPI_SUCCESS)
		code = check_op(me, call, out);
	if (code == MPI_SUCCESS)
		code = check_sides(me, call, out);
	if (code == MPI_SUCCESS)
		code = check_single(me, call, out);
	if (code == MPI_SUCCESS)
		code = rma_check_rank(me, out->win, call->target_rank);
	if (code == MPI_SUCCESS && call->has_request && !call->request)
		code = rma_raise(me, out->win, MPI_ERR_ARG, "request is NULL");
	out->is_nothing = call->target_rank == MPI_PROC_NULL;
	if (code != MPI_SUCCESS || out->is_nothing)
		return code;
	code = rma_check_access(me, out->win, call->target_rank, call->has_request);
	if (code == MPI_SUCCESS)
		code = check_fit(me, call, out);
	out->is_nothing = out->size_B == 0;
	if (code != MPI_SUCCESS || out->is_nothing)
		return code;
	code = out->op ? check_reduction(me, out) : MPI_SUCCESS;
	return code == MPI_SUCCESS ? locate(me, call, out) : code;
}
