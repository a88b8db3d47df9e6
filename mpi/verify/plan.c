/* SPDX-License-Identifier: BSD-3-Clause */
/* What a call is about to do, from its arguments; and doing it in the shadow. */
#include <stdlib.h>

#include "mpi/rma/window.h"
#include "mpi/verify/shadow.h"

static bool has(const struct mpi_verify_call *call, enum mpi_argument argument)
{
	return mpi_verify_has(call, argument);
}

static struct mpi_comm *comm_of(const struct mpi_verify_call *call)
{
	if (call->function->kind == MPI_CALL_FINALIZE)
		return call->me->comm_world;
	if (call->function->kind == MPI_CALL_TOGETHER_WIN) {
		MPI_Win handle = (MPI_Win)(uintptr_t)mpi_verify_value(call, MPI_ARG_WIN).p;
		struct mpi_win *win;

		if (call->function->values_are_places && mpi_verify_value(call, MPI_ARG_WIN).p)
			handle = *(const MPI_Win *)mpi_verify_value(call, MPI_ARG_WIN).p;
		win = mpi_handle_object(call->me, KIND_WIN, (uintptr_t)handle);
		return win ? win->comm : NULL;
	}
	if (call->function->values_are_places) {
		const MPI_Comm *place = mpi_verify_value(call, MPI_ARG_COMM).p;

		return place ? mpi_comm_get(call->me, *place) : NULL;
	}
	return mpi_comm_get(call->me, (MPI_Comm)(uintptr_t)mpi_verify_value(call, MPI_ARG_COMM).p);
}

static bool take_message(const struct mpi_verify_call *call, struct mpi_comm *comm,
			 const enum mpi_argument arguments[4], bool is_recv,
			 struct mpi_p2p_args *out)
{
	MPI_Datatype type = (MPI_Datatype)(uintptr_t)mpi_verify_value(call, arguments[1]).p;

	*out = (struct mpi_p2p_args){.count = mpi_verify_value(call, arguments[0]).i,
				     .type = mpi_datatype_get(call->me, type),
				     .peer = (int)mpi_verify_value(call, arguments[2]).i,
				     .tag = (int)mpi_verify_value(call, arguments[3]).i,
				     .comm = comm};
	return mpi_shadow_is_right(out, is_recv);
}

static bool take_messages(const struct mpi_verify_call *call, struct mpi_shadow_plan *out)
{
	static const enum mpi_argument one[2][4] = {
	    {MPI_ARG_COUNT, MPI_ARG_DATATYPE, MPI_ARG_DEST, MPI_ARG_TAG},
	    {MPI_ARG_COUNT, MPI_ARG_DATATYPE, MPI_ARG_SOURCE, MPI_ARG_TAG}};
	static const enum mpi_argument both[2][4] = {
	    {MPI_ARG_SENDCOUNT, MPI_ARG_SENDTYPE, MPI_ARG_DEST, MPI_ARG_SENDTAG},
	    {MPI_ARG_RECVCOUNT, MPI_ARG_RECVTYPE, MPI_ARG_SOURCE, MPI_ARG_RECVTAG}};
	static const enum mpi_argument replace[2][4] = {
	    {MPI_ARG_COUNT, MPI_ARG_DATATYPE, MPI_ARG_DEST, MPI_ARG_SENDTAG},
	    {MPI_ARG_COUNT, MPI_ARG_DATATYPE, MPI_ARG_SOURCE, MPI_ARG_RECVTAG}};

	switch (call->function->kind) {
	case MPI_CALL_SEND:
		return take_message(call, out->comm, one[0], false, &out->send);
	case MPI_CALL_RECV:
		return take_message(call, out->comm, one[1], true, &out->recv);
	default:
		return take_message(call, out->comm, has(call, MPI_ARG_BUF) ? replace[0] : both[0],
				    false, &out->send) &&
		       take_message(call, out->comm, has(call, MPI_ARG_BUF) ? replace[1] : both[1],
				    true, &out->recv);
	}
}

void mpi_shadow_plan(const struct mpi_verify_call *call, struct mpi_shadow_plan *out)
{
	*out = (struct mpi_shadow_plan){.mode = call->function->mode, .root = -1};
	out->comm = comm_of(call);
	if (!out->comm)
		return;
	switch (call->function->kind) {
	case MPI_CALL_SEND:
	case MPI_CALL_RECV:
	case MPI_CALL_SENDRECV:
		if (!take_messages(call, out))
			out->comm = NULL;
		return;
	default:
		mpi_shadow_describe_part(call, out->comm, &out->part);
		break;
	}
	out->together = call->function->operation;
	if (has(call, MPI_ARG_ROOT))
		out->root = (int)mpi_verify_value(call, MPI_ARG_ROOT).i;
}

int mpi_shadow_do(struct mpi_shadow *shadow, struct mpi_rank *me, struct mpi_shadow_plan *plan,
		  struct mpi_shadow_op *ops[2])
{
	int n = 0;

	ops[0] = ops[1] = NULL;
	if (!plan->comm)
		return 0;
	if (plan->together) {
		if (plan->comm->size + (plan->comm->remote ? plan->comm->remote->size : 0) == 1) {
			mpi_shadow_release_blocks(plan->part.blocks);
		} else {
			ops[n++] = mpi_shadow_call_together(shadow, me, plan->comm, plan->together,
							    plan->root, &plan->part);
		}
		plan->part.blocks = NULL;
	}
	if (plan->recv.comm && (ops[n] = mpi_shadow_recv(shadow, me, &plan->recv)))
		n++;
	if (plan->send.comm && (ops[n] = mpi_shadow_send(shadow, me, &plan->send, plan->mode)))
		n++;
	for (int i = 0; i < n; i++)
		mpi_shadow_post(shadow, me, ops[i]);
	return n;
}
