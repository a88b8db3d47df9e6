/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives, and sends joined with receives. */
#include <stdlib.h>

#include "mpi/p2p/causes.h"
#include "mpi/p2p/internal.h"

/* Part of its callers: every message passes here. */
#define HOT inline __attribute__((always_inline))

/* Ends a receive with an error and raises it. */
static __attribute__((cold, noinline)) int
fail_recv(struct mpi_rank *me, const struct mpi_p2p_args *a, struct mpi_request *recv)
{
	MPI_Status result = recv->status;

	mpi_request_destroy(me, recv);
	return mpi_raise_operation(me, a->comm, result.MPI_ERROR, &result);
}

static HOT int recv_blocking(struct mpi_rank *me, void *buf, MPI_Count count, MPI_Datatype datatype,
			     int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	struct mpi_p2p_args a;
	struct mpi_request *recv;
	int code = mpi_check_recv(me, buf, count, datatype, source, tag, comm, &a);

	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	recv = mpi_recv_start(me, buf, a.count, a.type, a.peer, a.tag, a.comm, CHANNEL_P2P);
	if (recv->state != REQUEST_COMPLETE)
		mpi_request_wait(me, recv);
	else if (me->endpoint->deferred_first)
		mpi_message_progress(me);
	me->endpoint->n_polls = 0;
	mpi_cause_taken(me, recv);
	mpi_status_give(status, &recv->status);
	code = recv->status.MPI_ERROR;
	if (__builtin_expect(code != MPI_SUCCESS, 0))
		return mpi_leave(me, fail_recv(me, &a, recv));
	mpi_request_destroy(me, recv);
	return mpi_leave(me, MPI_SUCCESS);
}

static HOT int recv_nonblocking(struct mpi_rank *me, void *buf, MPI_Count count,
				MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
				MPI_Request *request)
{
	struct mpi_p2p_args a;
	struct mpi_request *recv;
	int code = mpi_check_recv(me, buf, count, datatype, source, tag, comm, &a);

	if (code == MPI_SUCCESS && !request)
		code = mpi_raise(me, a.comm, MPI_ERR_ARG, "request is NULL");
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	recv = mpi_recv_start(me, buf, a.count, a.type, a.peer, a.tag, a.comm, CHANNEL_P2P);
	*request = mpi_request_publish(me, recv);
	return mpi_leave(me, MPI_SUCCESS);
}

static int start_persistent(struct mpi_rank *me, struct mpi_request *recv)
{
	mpi_recv_begin(me, recv);
	return MPI_SUCCESS;
}

static int recv_init(struct mpi_rank *me, void *buf, MPI_Count count, MPI_Datatype datatype,
		     int source, int tag, MPI_Comm comm, MPI_Request *request)
{
	struct mpi_p2p_args a;
	struct mpi_request *recv;
	int code = mpi_check_recv(me, buf, count, datatype, source, tag, comm, &a);

	if (code == MPI_SUCCESS && !request)
		code = mpi_raise(me, a.comm, MPI_ERR_ARG, "request is NULL");
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	recv = mpi_recv_prepare(me, buf, a.count, a.type, a.peer, a.tag, a.comm, CHANNEL_P2P);
	recv->state = REQUEST_IDLE;
	recv->is_persistent = true;
	recv->start = start_persistent;
	*request = mpi_request_publish(me, recv);
	return mpi_leave(me, MPI_SUCCESS);
}

/* Both halves under way at once; the receive first, so that its message finds it. */
static int exchange(struct mpi_rank *me, const struct mpi_p2p_args *out,
		    const struct mpi_p2p_args *in, MPI_Status *status)
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

static int sendrecv(struct mpi_rank *me, const void *sendbuf, MPI_Count sendcount,
		    MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
		    MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
		    MPI_Comm comm, MPI_Status *status)
{
	struct mpi_p2p_args out, in;
	int code = mpi_check_send(me, sendbuf, sendcount, sendtype, dest, sendtag, comm, &out);

	if (code == MPI_SUCCESS)
		code = mpi_check_recv(me, recvbuf, recvcount, recvtype, source, recvtag, comm, &in);
	if (code == MPI_SUCCESS)
		code = exchange(me, &out, &in, status);
	return mpi_leave(me, code);
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
	mpi_datatype_pack(out->type, out->buf, out->count, *packed);
	out->buf = *packed;
	out->type = mpi_datatype_get(me, MPI_BYTE);
	out->count = size_B;
	return MPI_SUCCESS;
}

static int sendrecv_replace(struct mpi_rank *me, void *buf, MPI_Count count, MPI_Datatype datatype,
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
		code = exchange(me, &out, &in, status);
	free(packed);
	return mpi_leave(me, code);
}

int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
	     MPI_Status *status)
{
	return recv_blocking(MPI_ENTER(), buf, count, datatype, source, tag, comm, status);
}

int MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	return recv_nonblocking(MPI_ENTER(), buf, count, datatype, source, tag, comm, request);
}

int MPI_Recv_init(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
		  MPI_Request *request)
{
	return recv_init(MPI_ENTER(), buf, count, datatype, source, tag, comm, request);
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
		 void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
		 MPI_Comm comm, MPI_Status *status)
{
	return sendrecv(MPI_ENTER(), sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,
			recvcount, recvtype, source, recvtag, comm, status);
}

int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
			 int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	return sendrecv_replace(MPI_ENTER(), buf, count, datatype, dest, sendtag, source, recvtag,
				comm, status);
}

int MPI_Recv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
	       MPI_Comm comm, MPI_Status *status)
{
	return recv_blocking(MPI_ENTER(), buf, count, datatype, source, tag, comm, status);
}

int MPI_Irecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
		MPI_Comm comm, MPI_Request *request)
{
	return recv_nonblocking(MPI_ENTER(), buf, count, datatype, source, tag, comm, request);
}

int MPI_Recv_init_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
		    MPI_Comm comm, MPI_Request *request)
{
	return recv_init(MPI_ENTER(), buf, count, datatype, source, tag, comm, request);
}

int MPI_Sendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
		   int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
		   int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	return sendrecv(MPI_ENTER(), sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,
			recvcount, recvtype, source, recvtag, comm, status);
}

int MPI_Sendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
			   int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	return sendrecv_replace(MPI_ENTER(), buf, count, datatype, dest, sendtag, source, recvtag,
				comm, status);
}
