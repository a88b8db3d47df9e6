/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes and the receives of what they found, in the shadow. */
#include "mpi/verify/request.h"

static int world_rank_of(const struct mpi_verify_call *call, int source)
{
	const struct mpi_comm *comm =
	    mpi_comm_get(call->me, (MPI_Comm)(uintptr_t)mpi_verify_value(call, MPI_ARG_COMM).p);

	return comm && source >= 0 && source < mpi_comm_n_peers(comm) ? mpi_comm_peer(comm, source)
								      : -1;
}

static bool has_found(const struct mpi_verify_call *call)
{
	const int *flag = mpi_verify_value(call, MPI_ARG_FLAG).p;

	return !(mpi_verify_has(call, MPI_ARG_FLAG)) || (flag && *flag);
}

void mpi_shadow_before_probe(struct mpi_shadow *shadow, struct mpi_verify_call *call)
{
	const struct mpi_comm *comm =
	    mpi_comm_get(call->me, (MPI_Comm)(uintptr_t)mpi_verify_value(call, MPI_ARG_COMM).p);

	if (!comm)
		return;
	call->context = comm->context;
	if (mpi_verify_has(call, MPI_ARG_FLAG))
		return;
	call->step = mpi_shadow_wait(shadow, call->me, 0, NULL, false);
	if (call->step) {
		call->step->is_open = true;
		call->step->source = (int)mpi_verify_value(call, MPI_ARG_SOURCE).i;
		if (call->step->source != MPI_ANY_SOURCE)
			call->step->source = world_rank_of(call, call->step->source);
	}
}

static void end_step(struct mpi_shadow *shadow, struct mpi_verify_call *call,
		     struct mpi_shadow_op *op)
{
	struct mpi_shadow_step *step = call->step;

	if (!step && op)
		step = mpi_shadow_wait(shadow, call->me, 0, NULL, false);
	if (!step)
		return;
	if (op) {
		step->few[0] = op;
		step->n = 1;
		op->n_references++;
	}
	if (op && op->kind == SHADOW_SEND)
		step->kind = STEP_SEEN;
	step->is_open = false;
	mpi_shadow_look_at(shadow, call->me->rank);
}

void mpi_shadow_after_probe(struct mpi_shadow *shadow, struct mpi_verify_call *call, int code)
{
	int source = call->status ? world_rank_of(call, call->status->MPI_SOURCE) : -1;

	if (code != MPI_SUCCESS || !has_found(call) || source < 0)
		end_step(shadow, call, NULL);
	else
		end_step(shadow, call,
			 mpi_shadow_find_send(shadow, call->me->rank, call->context, source,
					      call->status->MPI_TAG));
}

void mpi_shadow_after_mprobe(struct mpi_shadow *shadow, struct mpi_verify_call *call, int code)
{
	struct mpi_comm *comm =
	    mpi_comm_get(call->me, (MPI_Comm)(uintptr_t)mpi_verify_value(call, MPI_ARG_COMM).p);
	const MPI_Message *handle = mpi_verify_value(call, MPI_ARG_MESSAGE).p;
	struct mpi_shadow_request *request;
	struct mpi_p2p_args args = {.comm = comm};
	struct mpi_shadow_op *recv;

	if (code != MPI_SUCCESS || !has_found(call) || !comm || call->status->MPI_SOURCE < 0) {
		end_step(shadow, call, NULL);
		return;
	}
	args.peer = call->status->MPI_SOURCE;
	args.tag = call->status->MPI_TAG;
	recv = mpi_shadow_recv(shadow, call->me, &args);
	end_step(shadow, call, recv);
	mpi_shadow_post(shadow, call->me, recv);
	request = mpi_shadow_new_request(shadow, call->me, call->function, *handle);
	if (request)
		request->op = recv;
	else
		mpi_shadow_release(shadow, recv);
}

/* The datatype of the receive is known only now. */
void mpi_shadow_before_mrecv(struct mpi_shadow *shadow, struct mpi_verify_call *call)
{
	const MPI_Message *handle = mpi_verify_value(call, MPI_ARG_MESSAGE).p;
	struct mpi_shadow_request *request =
	    handle ? mpi_shadow_request(shadow, mpi_shadow_index(*handle)) : NULL;
	struct mpi_datatype *type = mpi_datatype_get(
	    call->me, (MPI_Datatype)(uintptr_t)mpi_verify_value(call, MPI_ARG_DATATYPE).p);
	struct mpi_shadow_op *recv = request ? request->op : NULL;

	mpi_apart_look_at_call(call);
	if (!recv || !type || recv->type || mpi_verify_value(call, MPI_ARG_COUNT).i < 0)
		return;
	recv->type = type;
	recv->count = mpi_verify_value(call, MPI_ARG_COUNT).i;
	recv->function = call->me->pd->function;
	recv->site = call->me->pd->site;
	mpi_datatype_retain(type);
	if (recv->was_probed) {
		struct mpi_shadow_data in = mpi_shadow_data_of(recv);
		struct mpi_shadow_data out = mpi_shadow_data_of(recv->probed);

		mpi_shadow_compare(shadow, &in, &out);
	}
	call->ops[0] = recv;
	call->n_ops = 1;
	recv->n_references++;
	mpi_shadow_forget(shadow, request);
}

/* Its number may serve for another communicator. */
void mpi_shadow_before_comm_free(struct mpi_shadow *shadow, const struct mpi_verify_call *call)
{
	const MPI_Comm *handle = mpi_verify_value(call, MPI_ARG_COMM).p;
	const struct mpi_comm *comm = handle ? mpi_comm_get(call->me, *handle) : NULL;

	if (comm && comm != call->me->comm_world)
		mpi_shadow_queue(shadow, call->me->rank, comm->context)->n_together = 0;
}
