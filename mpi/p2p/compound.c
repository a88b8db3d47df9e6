/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests made of others; MPI_Isendrecv and MPI_Isendrecv_replace. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/p2p/compound.h"

#include <stdlib.h>

#include "mpi/p2p/internal.h"

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
