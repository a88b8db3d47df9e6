/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/p2p/causes.h"
#include "mpi/p2p/internal.h"
#include "mpi/p2p/match.h"

static MPI_HOT void begin_recv(struct mpi_rank *me, struct mpi_request *recv)
{
	me->endpoint->n_polls = 0;
	mpi_cause_posted(me, recv);
	if (recv->peer == MPI_PROC_NULL) {
		recv->status.MPI_SOURCE = MPI_PROC_NULL;
		mpi_request_complete(recv, MPI_SUCCESS);
		return;
	}
	mpi_match_recv(me, recv);
}

void mpi_recv_begin(struct mpi_rank *me, struct mpi_request *recv)
{
	recv->state = REQUEST_PENDING;
	mpi_status_set_empty(&recv->status);
	begin_recv(me, recv);
}

void mpi_recv_again(struct mpi_rank *me, struct mpi_request *recv, void *buf, MPI_Count count,
		    struct mpi_datatype *type, int source, int tag)
{
	if (recv->type != type) {
		mpi_datatype_release(me, recv->type);
		mpi_datatype_retain(type);
	}
	recv->buf = buf;
	recv->count = count;
	recv->type = type;
	recv->peer = source;
	recv->tag = tag;
	mpi_recv_begin(me, recv);
}

struct mpi_request *mpi_recv_prepare(struct mpi_rank *me, void *buf, MPI_Count count,
				     struct mpi_datatype *type, int source, int tag,
				     struct mpi_comm *comm, enum mpi_channel channel)
{
	return mpi_request_prepare(me, REQUEST_RECV, buf, count, type, source, tag, comm, channel);
}

struct mpi_request *mpi_recv_start(struct mpi_rank *me, void *buf, MPI_Count count,
				   struct mpi_datatype *type, int source, int tag,
				   struct mpi_comm *comm, enum mpi_channel channel)
{
	struct mpi_request *recv =
	    mpi_recv_prepare(me, buf, count, type, source, tag, comm, channel);

	begin_recv(me, recv);
	return recv;
}

/* --- blocking --- */

/*
 * The request of blocking receives: one for each rank that makes any, kept, since no other call can
 * begin before it is over. It holds no references: communicator and datatype are the caller's.
 */
static MPI_HOT struct mpi_request *take_request(struct mpi_rank *me, const struct mpi_p2p_args *a)
{
	struct mpi_request *recv = me->endpoint->blocking_recv;

	if (__builtin_expect(!recv, 0))
		recv = mpi_request_create(me, REQUEST_RECV);
	me->endpoint->blocking_recv = NULL;
	recv->state = REQUEST_PENDING;
	recv->buf = (void *)a->buf;
	recv->count = a->count;
	recv->type = a->type;
	recv->peer = a->peer;
	recv->tag = a->tag;
	recv->comm = a->comm;
	return recv;
}

/* From MPI_PROC_NULL. */
static int recv_nothing(struct mpi_rank *me, const struct mpi_p2p_args *a, MPI_Status *status)
{
	struct mpi_request *recv = mpi_recv_start(me, (void *)a->buf, a->count, a->type, a->peer,
						  a->tag, a->comm, CHANNEL_P2P);

	if (me->endpoint->deferred.first)
		mpi_message_progress(me);
	mpi_cause_taken(me, recv);
	mpi_status_give(status, &recv->status);
	mpi_request_destroy(me, recv);
	return mpi_leave(me, MPI_SUCCESS);
}

/* mpi_request_wait, in line where nothing else of the rank goes on. */
static MPI_HOT void wait_for(struct mpi_rank *me, struct mpi_request *recv)
{
	struct mpi_endpoint *endpoint = me->endpoint;

	if (__builtin_expect(endpoint->deferred.first || endpoint->arrived.first ||
				 endpoint->has_connections || me->in_progress || mpi_causes_of(me),
			     0)) {
		mpi_request_wait(me, recv);
		return;
	}
	mpi_wait_for(endpoint, 1, &recv);
	endpoint->n_to_go = 1;
	recv->is_waited = true;
	mpi_endpoint_block_alone(me, endpoint);
	mpi_wait_is_over(endpoint);
	if (__builtin_expect(endpoint->n_to_go > 0, 0))
		mpi_request_wait(me, recv);
}

static MPI_HOT int recv_blocking(struct mpi_rank *me, const struct mpi_p2p_args *a,
				 MPI_Status *status)
{
	struct mpi_endpoint *endpoint = me->endpoint;
	struct mpi_request *recv = take_request(me, a);
	int code;

	mpi_cause_posted(me, recv);
	mpi_match_recv(me, recv);
	if (recv->state != REQUEST_COMPLETE)
		wait_for(me, recv);
	else if (endpoint->deferred.first)
		mpi_message_progress(me);
	endpoint->n_polls = 0;
	mpi_cause_taken(me, recv);
	code = recv->status.MPI_ERROR;
	endpoint->blocking_recv = recv;
	if (__builtin_expect(code != MPI_SUCCESS, 0)) {
		MPI_Status result = recv->status;

		mpi_status_give(status, &result);
		return mpi_leave(me, mpi_raise_operation(me, a->comm, code, &result));
	}
	mpi_status_give(status, &recv->status);
	return mpi_entry_leave(me, MPI_SUCCESS);
}

__attribute__((noinline)) int mpi_recv_right(struct mpi_rank *me, const struct mpi_p2p_args *a,
					     MPI_Status *status)
{
	if (a->peer == MPI_PROC_NULL)
		return recv_nothing(me, a, status);
	return recv_blocking(me, a, status);
}

static __attribute__((noinline)) int recv_checked(struct mpi_rank *me, void *buf, MPI_Count count,
						  MPI_Datatype datatype, int source, int tag,
						  MPI_Comm comm, MPI_Status *status)
{
	struct mpi_p2p_args a;
	int code = mpi_check_recv(me, buf, count, datatype, source, tag, comm, &a);

	return code == MPI_SUCCESS ? mpi_recv_right(me, &a, status) : mpi_leave(me, code);
}

static MPI_HOT int recv_given(struct mpi_rank *me, const struct mpi_p2p_args *a,
			      MPI_Request *request)
{
	struct mpi_request *recv;

	if (!request)
		return mpi_raise(me, a->comm, MPI_ERR_ARG, "request is NULL");
	recv = mpi_recv_start(me, (void *)a->buf, a->count, a->type, a->peer, a->tag, a->comm,
			      CHANNEL_P2P);
	*request = mpi_request_publish(me, recv);
	return MPI_SUCCESS;
}

int mpi_recv_given(struct mpi_rank *me, const struct mpi_p2p_args *a, MPI_Request *request)
{
	return recv_given(me, a, request);
}

static MPI_HOT int recv_nonblocking(struct mpi_rank *me, void *buf, MPI_Count count,
				    MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
				    MPI_Request *request)
{
	struct mpi_p2p_args a;
	int code = mpi_check_recv(me, buf, count, datatype, source, tag, comm, &a);

	return code == MPI_SUCCESS ? recv_given(me, &a, request) : code;
}

int mpi_recv_nonblocking(struct mpi_rank *me, void *buf, MPI_Count count, MPI_Datatype datatype,
			 int source, int tag, MPI_Comm comm, MPI_Request *request)
{
	return recv_nonblocking(me, buf, count, datatype, source, tag, comm, request);
}

static int start_persistent(struct mpi_rank *me, struct mpi_request *recv)
{
	mpi_recv_begin(me, recv);
	return MPI_SUCCESS;
}

int mpi_recv_persistent(struct mpi_rank *me, void *buf, MPI_Count count, MPI_Datatype datatype,
			int source, int tag, MPI_Comm comm, MPI_Request *request)
{
	struct mpi_p2p_args a;
	struct mpi_request *recv;
	int code = mpi_check_recv(me, buf, count, datatype, source, tag, comm, &a);

	if (code == MPI_SUCCESS && !request)
		code = mpi_raise(me, a.comm, MPI_ERR_ARG, "request is NULL");
	if (code != MPI_SUCCESS)
		return code;
	recv = mpi_recv_prepare(me, buf, a.count, a.type, a.peer, a.tag, a.comm, CHANNEL_P2P);
	recv->state = REQUEST_IDLE;
	recv->is_persistent = true;
	recv->start = start_persistent;
	*request = mpi_request_publish(me, recv);
	return MPI_SUCCESS;
}

int mpi_recv_entered(void *buf, int count, struct mpi_datatype *type, int source, int tag,
		     struct mpi_comm *comm, MPI_Status *status)
{
	const struct mpi_p2p_args a = {
	    .buf = buf, .count = count, .type = type, .peer = source, .tag = tag, .comm = comm};

	return recv_blocking(pd_current->mpi, &a, status);
}

int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
	     MPI_Status *status)
{
	struct mpi_rank *me = MPI_ENTER_HOT();
	struct mpi_p2p_args a = {.buf = buf, .count = count};

	if (__builtin_expect(mpi_args_are_plain(me, datatype, comm, source, tag, &a), 1))
		return recv_blocking(me, &a, status);
	return recv_checked(me, buf, count, datatype, source, tag, comm, status);
}

int MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	struct mpi_rank *me = MPI_ENTER();

	return mpi_leave(
	    me, recv_nonblocking(me, buf, count, datatype, source, tag, comm, request));
}

int MPI_Recv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
	       MPI_Comm comm, MPI_Status *status)
{
	return recv_checked(MPI_ENTER(), buf, count, datatype, source, tag, comm, status);
}
