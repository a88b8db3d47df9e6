/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends in the four modes: blocking, nonblocking, persistent. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/p2p/causes.h"
#include "mpi/p2p/eager.h"

/* What a mode asks for when a send starts. MPI_SUCCESS, or what was raised. */
static int check_mode(struct mpi_rank *me, const struct mpi_p2p_args *a, enum mpi_send_mode mode)
{
	const struct mpi_rank *dest;

	if (mode == SEND_BUFFERED)
		return mpi_buffer_take(me, a);
	if (mode != SEND_READY || a->peer == MPI_PROC_NULL)
		return MPI_SUCCESS;
	dest = &me->world->ranks[mpi_comm_peer(a->comm, a->peer)];
	if (mpi_match_is_posted(dest, mpi_message_context(a->comm, CHANNEL_P2P), a->comm->rank,
				a->tag))
		return MPI_SUCCESS;
	return mpi_raise(me, a->comm, MPI_ERR_OTHER,
			 "a ready send to rank %d with tag %d, which has not posted a receive for "
			 "it: the program is wrong",
			 a->peer, a->tag);
}

int mpi_send_blocking(struct mpi_rank *me, int mode, const void *buf, MPI_Count count,
		      MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct mpi_p2p_args a;
	struct mpi_request *send;
	int code = mpi_check_send(me, buf, count, datatype, dest, tag, comm, &a);

	if (code == MPI_SUCCESS)
		code = check_mode(me, &a, mode);
	if (code != MPI_SUCCESS)
		return code;
	if (mode == SEND_STANDARD && a.peer != MPI_PROC_NULL && mpi_eager_send_other(me, &a))
		return MPI_SUCCESS;
	send = mpi_send_start(me, a.buf, a.count, a.type, a.peer, a.tag, a.comm, mode, CHANNEL_P2P);
	if (send->state != REQUEST_COMPLETE)
		mpi_requests_wait(me, 1, &send, false);
	mpi_cause_taken(me, send);
	mpi_request_destroy(me, send);
	return MPI_SUCCESS;
}

static __attribute__((noinline)) int send_other(struct mpi_rank *me, const void *buf, int count,
						MPI_Datatype datatype, int dest, int tag,
						MPI_Comm comm)
{
	return mpi_leave(
	    me, mpi_send_blocking(me, SEND_STANDARD, buf, count, datatype, dest, tag, comm));
}

static MPI_HOT int send_nonblocking(struct mpi_rank *me, int mode, const void *buf, MPI_Count count,
				    MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
				    MPI_Request *request)
{
	struct mpi_p2p_args a;
	struct mpi_request *send;
	int code = mpi_check_send(me, buf, count, datatype, dest, tag, comm, &a);

	if (code == MPI_SUCCESS && !request)
		code = mpi_raise(me, a.comm, MPI_ERR_ARG, "request is NULL");
	if (code == MPI_SUCCESS)
		code = check_mode(me, &a, mode);
	if (code != MPI_SUCCESS)
		return code;
	send = mpi_send_start(me, a.buf, a.count, a.type, a.peer, a.tag, a.comm, mode, CHANNEL_P2P);
	*request = mpi_request_publish(me, send);
	return MPI_SUCCESS;
}

int mpi_send_nonblocking(struct mpi_rank *me, int mode, const void *buf, MPI_Count count,
			 MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
			 MPI_Request *request)
{
	return send_nonblocking(me, mode, buf, count, datatype, dest, tag, comm, request);
}

static int start_persistent(struct mpi_rank *me, struct mpi_request *send)
{
	struct mpi_p2p_args a = {.count = send->count,
				 .type = send->type,
				 .peer = send->peer,
				 .tag = send->tag,
				 .comm = send->comm};
	int code = check_mode(me, &a, send->mode);

	if (code == MPI_SUCCESS)
		mpi_send_begin(me, send);
	return code;
}

int mpi_send_persistent(struct mpi_rank *me, int mode, const void *buf, MPI_Count count,
			MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
			MPI_Request *request)
{
	struct mpi_p2p_args a;
	struct mpi_request *send;
	int code = mpi_check_send(me, buf, count, datatype, dest, tag, comm, &a);

	if (code == MPI_SUCCESS && !request)
		code = mpi_raise(me, a.comm, MPI_ERR_ARG, "request is NULL");
	if (code != MPI_SUCCESS)
		return code;
	send =
	    mpi_send_prepare(me, a.buf, a.count, a.type, a.peer, a.tag, a.comm, mode, CHANNEL_P2P);
	send->state = REQUEST_IDLE;
	send->is_persistent = true;
	send->start = start_persistent;
	*request = mpi_request_publish(me, send);
	return MPI_SUCCESS;
}

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct mpi_rank *me = MPI_ENTER_HOT();
	struct mpi_p2p_args a = {.buf = buf, .count = count};

	if (__builtin_expect(mpi_args_are_plain(me, datatype, comm, dest, tag, &a), 1)) {
		int64_t size_B = a.count * a.type->size_B;
		struct mpi_p2p_args other;

		if (__builtin_expect(size_B <= me->world->plain_B, 1)) {
			mpi_eager_send_plain(me, &a, size_B, CHANNEL_P2P);
			return mpi_entry_leave(me, MPI_SUCCESS);
		}
		other = a; /* whose address nobody needs: it stands in registers */
		if (mpi_eager_send_other(me, &other))
			return mpi_leave(me, MPI_SUCCESS);
	}
	return send_other(me, buf, count, datatype, dest, tag, comm);
}

int MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	struct mpi_rank *me = MPI_ENTER();

	return mpi_leave(me, send_nonblocking(me, SEND_STANDARD, buf, count, datatype, dest, tag,
					      comm, request));
}
