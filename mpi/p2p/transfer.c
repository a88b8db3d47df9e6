/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting sends and receives: for the API of this chapter and for the rest of the library. */
#include "mpi/p2p/causes.h"
#include "mpi/p2p/eager.h"
#include "mpi/p2p/lend.h"
#include "mpi/p2p/queue.h"

/* With a request the sender lends its buffer (mpi/p2p/lend.h), unless a copy costs less. */
static bool is_lent(const struct mpi_p2p_args *a, int64_t size_B, enum mpi_send_mode mode,
		    bool is_rendezvous)
{
	if (!a->type->is_contiguous || mode == SEND_BUFFERED)
		return false;
	return is_rendezvous || (mode != SEND_SYNCHRONOUS && size_B > MESSAGE_INLINE_B);
}

/* What a rank sends to itself has no connection, and may be gone already. */
static bool is_kept(struct mpi_message *message, const struct mpi_rank *dest,
		    struct mpi_request *send)
{
	return __builtin_expect(send->owner->endpoint->has_connections, 0) && dest != send->owner &&
	       mpi_connection_keeps(message, send);
}

/* A blocking send returns when the system has all of it. */
static __attribute__((noinline)) void
await_handover(struct mpi_rank *me, const struct mpi_p2p_args *a, struct mpi_message *message)
{
	struct mpi_request *send = mpi_send_prepare(me, a->buf, a->count, a->type, a->peer, a->tag,
						    a->comm, SEND_STANDARD, CHANNEL_P2P);

	if (mpi_connection_keeps(message, send))
		mpi_request_wait(me, send);
	mpi_cause_taken(me, send);
	mpi_request_destroy(me, send);
}

bool mpi_eager_send_other(struct mpi_rank *me, const struct mpi_p2p_args *a)
{
	int64_t size_B = a->count * a->type->size_B;
	struct mpi_rank *dest = mpi_eager_dest(me, a);
	bool is_small = size_B <= MESSAGE_INLINE_B, has_data = mpi_eager_has_data(a, size_B);
	/* before it is under way nobody knows who will receive it; what a rank sends to itself may
	   be received at once */
	bool is_later = has_data && !is_small && dest != me && a->type->is_contiguous;
	struct mpi_message *message;

	if (!mpi_match_buffers(me, size_B))
		return false;
	message = mpi_eager_message(me, dest, a, size_B, CHANNEL_P2P);
	if (has_data && !is_later)
		mpi_eager_attach(me, a, message, (size_t)size_B);
	me->endpoint->n_polls = 0;
	mpi_message_send_overhead(me, message);
	mpi_launch(message, me, dest, size_B, CHANNEL_P2P, false);
	if (is_later && !mpi_message_hand_over(message, (const char *)a->buf + a->type->true_lb_B))
		mpi_eager_attach(me, a, message, (size_t)size_B);
	if (__builtin_expect(me->endpoint->has_connections, 0) && dest != me)
		await_handover(me, a, message);
	return true;
}

bool mpi_send_small(struct mpi_rank *me, const void *buf, MPI_Count count,
		    struct mpi_datatype *type, int dest, int tag, struct mpi_comm *comm)
{
	struct mpi_p2p_args a = {
	    .buf = buf, .count = count, .type = type, .peer = dest, .tag = tag, .comm = comm};
	int64_t size_B = count * type->size_B;

	if (size_B > me->world->plain_B)
		return false;
	mpi_eager_send_plain(me, &a, size_B, CHANNEL_COLL);
	return true;
}

void mpi_send_begin(struct mpi_rank *me, struct mpi_request *send)
{
	struct mpi_p2p_args a = {.buf = send->buf,
				 .count = send->count,
				 .type = send->type,
				 .peer = send->peer,
				 .tag = send->tag,
				 .comm = send->comm};
	int64_t size_B = a.count * a.type->size_B;
	struct mpi_message *message;
	struct mpi_rank *dest;
	bool is_rendezvous, has_payload, has_loan, ends_now;

	send->state = REQUEST_PENDING;
	me->endpoint->n_polls = 0;
	send->cause_mark = 0;
	mpi_status_set_empty(&send->status);
	if (send->peer == MPI_PROC_NULL) {
		mpi_request_complete(send, MPI_SUCCESS);
		return;
	}
	dest = mpi_eager_dest(me, &a);
	is_rendezvous = !mpi_match_buffers(me, size_B);
	has_payload = mpi_eager_has_data(&a, size_B);
	has_loan = has_payload && is_lent(&a, size_B, send->mode, is_rendezvous);
	has_payload &= !has_loan;
	message = mpi_eager_message(me, dest, &a, size_B, send->channel);
	message->is_rendezvous = is_rendezvous;
	if (send->mode == SEND_BUFFERED)
		mpi_buffer_enter(mpi_buffer_of(me, a.comm), message);
	if (has_payload)
		mpi_eager_attach(me, &a, message, (size_t)size_B);
	mpi_message_send_overhead(me, message);
	ends_now =
	    send->mode == SEND_BUFFERED || (send->mode != SEND_SYNCHRONOUS && !is_rendezvous);
	if (has_loan || !ends_now)
		mpi_message_join_send(message, send);
	if (has_loan)
		message->data = MESSAGE_LENT;
	mpi_launch(message, me, dest, size_B, send->channel, is_rendezvous);
	if (ends_now && (send->mode == SEND_BUFFERED || !is_kept(message, dest, send)))
		mpi_request_complete(send, MPI_SUCCESS);
}

static MPI_HOT void begin_recv(struct mpi_rank *me, struct mpi_request *recv)
{
	me->endpoint->n_polls = 0;
	mpi_cause_posted(me, recv);
	if (recv->peer == MPI_PROC_NULL) {
		recv->status.MPI_SOURCE = MPI_PROC_NULL;
		mpi_request_complete(recv, MPI_SUCCESS);
		return;
	}
	mpi_queue_match_recv(me, recv);
}

void mpi_recv_begin(struct mpi_rank *me, struct mpi_request *recv)
{
	recv->state = REQUEST_PENDING;
	mpi_status_set_empty(&recv->status);
	begin_recv(me, recv);
}

static MPI_HOT struct mpi_request *make_request(struct mpi_rank *me, enum mpi_request_kind kind,
						const void *buf, MPI_Count count,
						struct mpi_datatype *type, int peer, int tag,
						struct mpi_comm *comm, enum mpi_channel channel)
{
	struct mpi_request *request = mpi_request_create(me, kind);

	request->buf = (void *)buf;
	request->count = count;
	request->type = type;
	request->peer = peer;
	request->tag = tag;
	request->comm = comm;
	request->channel = channel;
	mpi_datatype_retain(type);
	mpi_comm_retain(comm);
	return request;
}

struct mpi_request *mpi_send_prepare(struct mpi_rank *me, const void *buf, MPI_Count count,
				     struct mpi_datatype *type, int dest, int tag,
				     struct mpi_comm *comm, enum mpi_send_mode mode,
				     enum mpi_channel channel)
{
	struct mpi_request *send =
	    make_request(me, REQUEST_SEND, buf, count, type, dest, tag, comm, channel);

	send->mode = mode;
	return send;
}

struct mpi_request *mpi_recv_prepare(struct mpi_rank *me, void *buf, MPI_Count count,
				     struct mpi_datatype *type, int source, int tag,
				     struct mpi_comm *comm, enum mpi_channel channel)
{
	return make_request(me, REQUEST_RECV, buf, count, type, source, tag, comm, channel);
}

struct mpi_request *mpi_send_start(struct mpi_rank *me, const void *buf, MPI_Count count,
				   struct mpi_datatype *type, int dest, int tag,
				   struct mpi_comm *comm, enum mpi_send_mode mode,
				   enum mpi_channel channel)
{
	struct mpi_request *send =
	    mpi_send_prepare(me, buf, count, type, dest, tag, comm, mode, channel);

	mpi_send_begin(me, send);
	return send;
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

struct mpi_request *mpi_recv_start(struct mpi_rank *me, void *buf, MPI_Count count,
				   struct mpi_datatype *type, int source, int tag,
				   struct mpi_comm *comm, enum mpi_channel channel)
{
	struct mpi_request *recv =
	    make_request(me, REQUEST_RECV, buf, count, type, source, tag, comm, channel);

	begin_recv(me, recv);
	return recv;
}
