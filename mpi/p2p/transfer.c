/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting sends and receives: for the API of this chapter and for the rest of the library. */
#include <string.h>

#include "mpi/p2p/causes.h"
#include "mpi/p2p/buffer.h"
#include "mpi/p2p/internal.h"
#include "mpi/p2p/lend.h"

/* Part of its callers: every message passes here. */
#define HOT inline __attribute__((always_inline))

static HOT bool has_data(const struct mpi_p2p_args *a)
{
	return a->count != 0 && a->type->size_B != 0 && !pd_memory_is_absent(a->buf);
}

/* With a request the sender lends its buffer (mpi/p2p/lend.h), unless a copy costs less. */
static HOT bool is_lent(const struct mpi_p2p_args *a, enum mpi_send_mode mode, bool is_rendezvous)
{
	if (!a->type->is_contiguous || mode == SEND_BUFFERED)
		return false;
	return is_rendezvous ||
	       (mode != SEND_SYNCHRONOUS && a->count * a->type->size_B > MESSAGE_INLINE_B);
}

static HOT void attach_payload(struct mpi_rank *me, const struct mpi_p2p_args *a,
			       struct mpi_message *message)
{
	message->payload = mpi_message_allocate(message, (size_t)message->size_B);
	if (!message->payload)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a message of %lld B",
			(long long)message->size_B);
	if (a->type->is_contiguous)
		mpi_message_copy(message->payload, (const char *)a->buf + a->type->true_lb_B,
				 (size_t)message->size_B);
	else
		mpi_datatype_pack(a->type, a->buf, a->count, message->payload);
}

static HOT struct mpi_message *make_message(struct mpi_rank *me, const struct mpi_p2p_args *a,
					    enum mpi_send_mode mode, enum mpi_channel channel,
					    bool is_rendezvous, bool has_payload)
{
	int64_t size_B = a->count * a->type->size_B;
	struct mpi_message *message =
	    mpi_message_get(me->world, has_payload && size_B <= MESSAGE_INLINE_B);

	if (!message)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a message");
	/* its transfer begins anew with every step */
	memset(&message->pair_next, 0,
	       offsetof(struct mpi_message, has_inline) - offsetof(struct mpi_message, pair_next));
	message->source = me;
	message->dest = &me->world->ranks[mpi_comm_peer(a->comm, a->peer)];
	message->context = mpi_message_context(a->comm, channel);
	message->source_rank = a->comm->rank;
	message->tag = a->tag;
	message->size_B = size_B;
	message->sent = me->call_begin;
	message->site = me->pd->site;
	message->is_rendezvous = is_rendezvous;
	if (mode == SEND_BUFFERED)
		mpi_buffer_enter(mpi_buffer_of(me, a->comm), message);
	if (has_payload)
		attach_payload(me, a, message);
	return message;
}

static HOT void send_eager(struct mpi_rank *me, const struct mpi_p2p_args *a,
			   enum mpi_channel channel)
{
	struct mpi_message *message =
	    make_message(me, a, SEND_STANDARD, channel, false, has_data(a));

	me->endpoint->n_polls = 0;
	mpi_message_send_overhead(me, message);
	mpi_message_launch(message);
}

bool mpi_send_eager(struct mpi_rank *me, const struct mpi_p2p_args *a)
{
	if (a->peer == MPI_PROC_NULL || !mpi_match_buffers(me, a->count * a->type->size_B))
		return false;
	send_eager(me, a, CHANNEL_P2P);
	mpi_connection_flush(me, &me->world->ranks[mpi_comm_peer(a->comm, a->peer)]);
	return true;
}

bool mpi_send_small(struct mpi_rank *me, const void *buf, MPI_Count count,
		    struct mpi_datatype *type, int dest, int tag, struct mpi_comm *comm)
{
	struct mpi_p2p_args a = {
	    .buf = buf, .count = count, .type = type, .peer = dest, .tag = tag, .comm = comm};

	if (count * type->size_B > MESSAGE_INLINE_B || !mpi_match_buffers(me, count * type->size_B))
		return false;
	send_eager(me, &a, CHANNEL_COLL);
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
	struct mpi_message *message;
	bool is_rendezvous, has_loan;

	send->state = REQUEST_PENDING;
	me->endpoint->n_polls = 0;
	send->cause_mark = 0;
	mpi_status_set_empty(&send->status);
	if (send->peer == MPI_PROC_NULL) {
		mpi_request_complete(send, MPI_SUCCESS);
		return;
	}
	is_rendezvous = !mpi_match_buffers(me, a.count * a.type->size_B);
	has_loan = has_data(&a) && is_lent(&a, send->mode, is_rendezvous);
	message = make_message(me, &a, send->mode, send->channel, is_rendezvous,
			       has_data(&a) && !has_loan);
	mpi_message_send_overhead(me, message);
	if (send->mode != SEND_BUFFERED &&
	    (send->mode == SEND_SYNCHRONOUS || message->is_rendezvous)) {
		message->send = send;
		send->message = message;
		mpi_request_lend(send);
		mpi_message_launch(message);
	} else {
		if (has_loan)
			mpi_message_lend(message, send);
		mpi_message_launch(message);
		mpi_request_complete(send, MPI_SUCCESS);
	}
}

static HOT void begin_recv(struct mpi_rank *me, struct mpi_request *recv)
{
	me->endpoint->n_polls = 0;
	mpi_cause_posted(me, recv);
	if (recv->peer == MPI_PROC_NULL) {
		recv->status.MPI_SOURCE = MPI_PROC_NULL;
		mpi_request_complete(recv, MPI_SUCCESS);
		return;
	}
	mpi_match_recv(recv);
}

void mpi_recv_begin(struct mpi_rank *me, struct mpi_request *recv)
{
	recv->state = REQUEST_PENDING;
	mpi_status_set_empty(&recv->status);
	begin_recv(me, recv);
}

static HOT struct mpi_request *make_request(struct mpi_rank *me, enum mpi_request_kind kind,
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
