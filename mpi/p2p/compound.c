/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests made of others; sends joined with receives. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/p2p/compound.h"

#include <stdlib.h>

#include "mpi/p2p/causes.h"
#include "mpi/p2p/internal.h"
#include "mpi/p2p/pieces.h"

void mpi_compound_send(struct mpi_rank *me, struct mpi_compound *compound, struct mpi_request *part)
{
	part->whole = compound;
	mpi_send_begin(me, part);
}

void mpi_compound_recv(struct mpi_rank *me, struct mpi_compound *compound, struct mpi_request *part)
{
	part->whole = compound;
	mpi_recv_begin(me, part);
}

void mpi_compound_end_part(struct mpi_compound *compound, struct mpi_request *part)
{
	if (part) {
		if (compound->error == MPI_SUCCESS)
			compound->error = part->status.MPI_ERROR;
		compound->request->cause_mark = part->cause_mark;
		if (compound->part_completed)
			compound->part_completed(compound, part);
		mpi_request_destroy(part->owner, part);
	}
	if (--compound->n_left == 0)
		mpi_request_complete(compound->request, compound->error);
}

/* --- a send with a receive --- */

/* Both halves under way at once; the receive first, so that its message finds it. */
int mpi_exchange(struct mpi_rank *me, const struct mpi_p2p_args *out, const struct mpi_p2p_args *in,
		 MPI_Status *status)
{
	struct mpi_request *pair[2];
	MPI_Status result;
	int code;

	pair[0] = mpi_recv_start(me, (void *)in->buf, in->count, in->type, in->peer, in->tag,
				 in->comm, CHANNEL_P2P);
	pair[1] = mpi_send_start(me, out->buf, out->count, out->type, out->peer, out->tag,
				 out->comm, SEND_STANDARD, CHANNEL_P2P);
	mpi_requests_wait(me, 2, pair, false);
	mpi_cause_taken(me, pair[1]);
	mpi_request_destroy(me, pair[1]);
	code = mpi_request_harvest(me, pair[0], NULL, &result);
	mpi_status_give(status, &result);
	return mpi_raise_operation(me, in->comm, code, &result);
}

int mpi_sendrecv(struct mpi_rank *me, const void *sendbuf, MPI_Count sendcount,
		 MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount,
		 MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	struct mpi_p2p_args out, in;
	int code = mpi_check_send(me, sendbuf, sendcount, sendtype, dest, sendtag, comm, &out);

	if (code == MPI_SUCCESS)
		code = mpi_check_recv(me, recvbuf, recvcount, recvtype, source, recvtag, comm, &in);
	if (code == MPI_SUCCESS)
		code = mpi_exchange(me, &out, &in, status);
	return code;
}

int mpi_replace_by_packed(struct mpi_rank *me, struct mpi_p2p_args *out, void **packed)
{
	MPI_Count size_B = out->count * out->type->size_B;

	*packed = NULL;
	if (pd_memory_is_absent(out->buf))
		return MPI_SUCCESS;
	*packed = malloc(size_B ? (size_t)size_B : 1);
	if (!*packed)
		return mpi_raise(me, out->comm, MPI_ERR_NO_MEM, "out of memory for %lld B",
				 (long long)size_B);
	mpi_pieces_stage_send(me, out->buf, size_B);
	mpi_datatype_pack(out->type, out->buf, out->count, *packed);
	out->buf = *packed;
	out->type = mpi_datatype_get(me, MPI_BYTE);
	out->count = size_B;
	return MPI_SUCCESS;
}

int mpi_sendrecv_replace(struct mpi_rank *me, void *buf, MPI_Count count, MPI_Datatype datatype,
			 int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
			 MPI_Status *status)
{
	struct mpi_p2p_args out, in;
	void *packed = NULL;
	int code = mpi_check_send(me, buf, count, datatype, dest, sendtag, comm, &out);

	if (code == MPI_SUCCESS)
		code = mpi_check_recv(me, buf, count, datatype, source, recvtag, comm, &in);
	if (code == MPI_SUCCESS)
		code = mpi_replace_by_packed(me, &out, &packed);
	if (code == MPI_SUCCESS)
		code = mpi_exchange(me, &out, &in, status);
	free(packed);
	return code;
}

struct sendrecv {
	struct mpi_compound compound;
	void *packed; /* what is sent, of MPI_Isendrecv_replace; malloc */
};

static void half_completed(struct mpi_compound *compound, const struct mpi_request *part)
{
	compound->peers[part->kind == REQUEST_SEND] = -1;
	if (part->kind == REQUEST_RECV)
		compound->request->status = part->status;
}

static void release(struct mpi_rank *me, struct mpi_request *request)
{
	struct sendrecv *operation = request->operation;

	free(operation->packed);
	free(operation);
}

static int world_peer(const struct mpi_p2p_args *a)
{
	return a->peer >= 0 ? mpi_comm_peer(a->comm, a->peer) : -1;
}

/* The receive first, so that a message to oneself finds it. `packed` is taken over. */
static int begin(struct mpi_rank *me, const struct mpi_p2p_args *out, const struct mpi_p2p_args *in,
		 void *packed, MPI_Request *request)
{
	struct sendrecv *operation = malloc(sizeof *operation);
	struct mpi_compound *compound = &operation->compound;

	if (!operation)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a request");
	*operation = (struct sendrecv){.packed = packed};
	*compound = (struct mpi_compound){.request = mpi_request_create(me, REQUEST_COMPOUND),
					  .n_left = 2,
					  .part_completed = half_completed,
					  .peers = {world_peer(in), world_peer(out)}};
	compound->request->operation = operation;
	compound->request->release = release;
	compound->request->comm = in->comm;
	mpi_comm_retain(in->comm);
	*request = mpi_request_publish(me, compound->request);
	mpi_compound_recv(me, compound,
			  mpi_recv_prepare(me, (void *)in->buf, in->count, in->type, in->peer,
					   in->tag, in->comm, CHANNEL_P2P));
	mpi_compound_send(me, compound,
			  mpi_send_prepare(me, out->buf, out->count, out->type, out->peer, out->tag,
					   out->comm, SEND_STANDARD, CHANNEL_P2P));
	return MPI_SUCCESS;
}

int mpi_isendrecv(struct mpi_rank *me, const void *sendbuf, MPI_Count sendcount,
		  MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount,
		  MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
		  MPI_Request *request)
{
	struct mpi_p2p_args out, in;
	int code = mpi_check_send(me, sendbuf, sendcount, sendtype, dest, sendtag, comm, &out);

	if (code == MPI_SUCCESS)
		code = mpi_check_recv(me, recvbuf, recvcount, recvtype, source, recvtag, comm, &in);
	if (code == MPI_SUCCESS && !request)
		code = mpi_raise(me, in.comm, MPI_ERR_ARG, "request is NULL");
	if (code == MPI_SUCCESS)
		code = begin(me, &out, &in, NULL, request);
	return code;
}

int mpi_isendrecv_replace(struct mpi_rank *me, void *buf, MPI_Count count, MPI_Datatype datatype,
			  int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
			  MPI_Request *request)
{
	struct mpi_p2p_args out, in;
	void *packed = NULL;
	int code = mpi_check_send(me, buf, count, datatype, dest, sendtag, comm, &out);

	if (code == MPI_SUCCESS)
		code = mpi_check_recv(me, buf, count, datatype, source, recvtag, comm, &in);
	if (code == MPI_SUCCESS && !request)
		code = mpi_raise(me, in.comm, MPI_ERR_ARG, "request is NULL");
	if (code == MPI_SUCCESS)
		code = mpi_replace_by_packed(me, &out, &packed);
	if (code == MPI_SUCCESS)
		code = begin(me, &out, &in, packed, request);
	return code;
}
