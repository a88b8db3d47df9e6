/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends in the four modes, and the first part of a message's life: it is made, given its data or
 * lent them, and enters the network. mpi/p2p/arrive.c has the next one. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/p2p/buffer.h"
#include "mpi/p2p/causes.h"
#include "mpi/p2p/internal.h"
#include "mpi/p2p/pair.h"
#include "mpi/p2p/pieces.h"
#include "mpi/p2p/synchronous.h"
#include "pdexec/cores.h"

/* --- a message is made --- */

/* Else it has none, or pieces. */
static MPI_HOT bool has_data(const struct mpi_p2p_args *a, int64_t size_B)
{
	return size_B != 0 && !pd_memory_is_reserved(a->buf);
}

/* Gives the message a copy of its data, if it has any. */
static MPI_HOT void copy_data(struct mpi_rank *me, const struct mpi_p2p_args *a,
			      struct mpi_message *message, int64_t size_B)
{
	void *data;

	if (!has_data(a, size_B)) {
		if (__builtin_expect(size_B > 0, 0))
			mpi_pieces_take(me, a->type, a->buf, a->count, message);
		return;
	}
	data = mpi_message_allocate(message, (size_t)size_B);
	if (__builtin_expect(!data, 0))
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a message of %lld B",
			(long long)size_B);
	if (__builtin_expect(a->type->is_contiguous, 1))
		mpi_message_copy(data, (const char *)a->buf + a->type->true_lb_B, (size_t)size_B);
	else
		mpi_datatype_pack(a->type, a->buf, a->count, data);
}

static MPI_HOT struct mpi_rank *find_dest(const struct mpi_rank *me, const struct mpi_p2p_args *a)
{
	return &me->world->ranks[mpi_comm_peer(a->comm, a->peer)];
}

/* An eager message to `dest`, whom the arguments mean, without its data and not under way. */
static MPI_HOT struct mpi_message *create(struct mpi_rank *me, struct mpi_rank *dest,
					  const struct mpi_p2p_args *a, int64_t size_B,
					  enum mpi_channel channel)
{
	struct mpi_message *message = util_pool_get(mpi_message_pool(me->world, size_B));

	if (__builtin_expect(!message, 0))
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a message");
	/* its transfer begins anew with every step */
	memset(&message->pair_next, 0,
	       offsetof(struct mpi_message, inline_data) - offsetof(struct mpi_message, pair_next));
	message->source = me;
	message->dest = dest;
	message->context = mpi_message_context(a->comm, channel);
	message->source_rank = a->comm->rank;
	message->tag = a->tag;
	message->size_B = size_B;
	message->sent = me->call_begin;
	message->site = me->pd->site;
	return message;
}

/* --- it enters the network --- */

static inline void spend_overhead(struct mpi_rank *me, const struct mpi_message *message,
				  enum mpi_cost cost)
{
	if (__builtin_expect(me->world->has_send_overhead, 0))
		mpi_message_spend(me, message, cost);
}

static MPI_HOT void count(struct mpi_rank *source, enum mpi_channel channel, int64_t size_B)
{
	struct mpi_world *world = source->world;

	source->n_sent[channel]++;
	source->sent_B[channel] += (uint64_t)size_B;
	if (channel == CHANNEL_COLL) {
		world->n_collective_messages++;
		world->n_collective_bytes += (uint64_t)size_B;
	} else {
		world->n_messages++;
		world->n_bytes += (uint64_t)size_B;
	}
}

/* With a mark, if any, where all but the last `last_B` are there. */
static MPI_HOT void start(struct mpi_message *message, struct mpi_rank *from, struct mpi_rank *to,
			  int64_t size_B, int64_t last_B, net_transfer_fn mark,
			  net_transfer_fn done)
{
	struct mpi_world *world = from->world;
	struct net_model *model = world->pd->model;
	struct net_transfer *transfer = &message->transfer;
	int source = from->pd->node, dest = to->pd->node;
	struct net_stream *stream =
	    __builtin_expect(world->streams != NULL, 0) ? mpi_stream_get(world, from, to) : NULL;

	if (from == to && mpi_message_is_copied_at_once(message)) {
		transfer->size_B = size_B;
		done(transfer);
	} else if (stream) {
		net_transfer_start_in_stream(model, stream, transfer, source, dest, size_B, last_B,
					     mark, done);
		mpi_stream_started(stream);
	} else if (mark || source == dest) {
		struct net_place sender = pd_cores_of(from->pd), receiver = pd_cores_of(to->pd);

		net_transfer_start_between(model, transfer, &sender, &receiver, size_B, last_B,
					   mark, done);
	} else {
		net_transfer_start(model, transfer, source, dest, size_B, done);
	}
}

int64_t mpi_message_shorten(const struct mpi_message *message, int64_t size_B, bool is_bulk)
{
	const struct mpi_shortening *shortening = message->source->world->shortening;
	int64_t left_out_B = shortening->left_out_B(shortening->context, message, is_bulk);

	return left_out_B < size_B ? size_B - left_out_B : 0;
}

void mpi_message_start(struct mpi_message *message, struct mpi_rank *from, struct mpi_rank *to,
		       int64_t size_B, int64_t last_B, net_transfer_fn mark, net_transfer_fn done)
{
	start(message, from, to, size_B, last_B, mark, done);
}

/* Sends off a message whose fields down to size_B are set, on its source's fiber. The others say
 * what stands in it, which the caller knows better than memory. */
static MPI_HOT void launch(struct mpi_message *message, struct mpi_rank *source,
			   struct mpi_rank *dest, int64_t size_B, enum mpi_channel channel,
			   bool is_rendezvous)
{
	struct mpi_world *world = source->world;

	count(source, channel, size_B);
	if (mpi_pair_append(source, message))
		message->stage = MESSAGE_BEHIND;
	message->started = world->pd->engine.now;
	if (__builtin_expect(mpi_causes_of(source) != NULL, 0)) {
		mpi_cause_launch_slow(message);
		mpi_cause_transfer(message, false);
	}
	if (is_rendezvous)
		size_B = mpi_message_early_size(message);
	if (__builtin_expect(world->shortening != NULL, 0))
		size_B = is_rendezvous ? size_B + mpi_message_shorten(message, 0, false)
				       : mpi_message_shorten(message, size_B, false);
	start(message, source, dest, size_B, 0, NULL, mpi_message_envelope_arrived);
}

/* --- sends --- */

/*
 * Sends off a plain message: of world->plain_B bytes at most, by a standard send that has no
 * request. Nobody but its receiver waits for it, it costs the ranks no time, and nothing but its
 * links decides when it arrives.
 */
static MPI_HOT void send_plain(struct mpi_rank *me, const struct mpi_p2p_args *a, int64_t size_B,
			       enum mpi_channel channel)
{
	struct pd_world *world = me->world->pd;
	struct mpi_rank *dest = find_dest(me, a);
	net_transfer_fn arrived = mpi_message_plain_arrived;
	struct mpi_message *message;

	if (size_B > MESSAGE_INLINE_B)
		__builtin_unreachable();
	message = create(me, dest, a, size_B, channel);
	copy_data(me, a, message, size_B);
	me->endpoint->n_polls = 0;
	count(me, channel, size_B);
	message->started = world->engine.now;
	if (mpi_pair_append(me, message)) {
		message->stage = MESSAGE_BEHIND;
		arrived = mpi_message_envelope_arrived;
	}
	net_transfer_start(world->model, &message->transfer, me->pd->node, dest->pd->node, size_B,
			   arrived);
}
bool mpi_send_small(struct mpi_rank *me, const void *buf, MPI_Count count,
		    struct mpi_datatype *type, int dest, int tag, struct mpi_comm *comm)
{
	struct mpi_p2p_args a = {
	    .buf = buf, .count = count, .type = type, .peer = dest, .tag = tag, .comm = comm};
	int64_t size_B = count * type->size_B;

	if (size_B > me->world->plain_B)
		return false;
	send_plain(me, &a, size_B, CHANNEL_COLL);
	return true;
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

/* All other standard sends that complete without their receives, and block. False: it is none of
 * those, and nothing happened. */
static bool send_eager(struct mpi_rank *me, const struct mpi_p2p_args *a)
{
	int64_t size_B = a->count * a->type->size_B;
	struct mpi_rank *dest = find_dest(me, a);
	/* before it is under way nobody knows who will receive it; what a rank sends to itself may
	   be received at once */
	bool is_later = size_B > MESSAGE_INLINE_B && dest != me && a->type->is_contiguous &&
			has_data(a, size_B);
	struct mpi_message *message;

	if (!mpi_match_buffers(me, size_B))
		return false;
	message = create(me, dest, a, size_B, CHANNEL_P2P);
	if (!is_later)
		copy_data(me, a, message, size_B);
	me->endpoint->n_polls = 0;
	spend_overhead(me, message, MPI_COST_SEND);
	launch(message, me, dest, size_B, CHANNEL_P2P, false);
	if (is_later && !mpi_message_hand_over(message, (const char *)a->buf + a->type->true_lb_B))
		copy_data(me, a, message, size_B);
	if (__builtin_expect(me->endpoint->has_connections, 0) && dest != me)
		await_handover(me, a, message);
	return true;
}

/* With a request the sender lends its buffer, unless a copy costs less. */
static bool may_lend(const struct mpi_request *send, const struct mpi_message *message)
{
	if (!send->type->is_contiguous || send->mode == SEND_BUFFERED)
		return false;
	return message->is_rendezvous ||
	       (send->mode != SEND_SYNCHRONOUS && message->size_B > MESSAGE_INLINE_B);
}

static inline __attribute__((always_inline)) struct mpi_request *
prepare(struct mpi_rank *me, const void *buf, MPI_Count count, struct mpi_datatype *type, int dest,
	int tag, struct mpi_comm *comm, enum mpi_send_mode mode, enum mpi_channel channel)
{
	struct mpi_request *send =
	    mpi_request_prepare(me, REQUEST_SEND, buf, count, type, dest, tag, comm, channel);

	send->mode = mode;
	send->is_blocking = false;
	return send;
}

struct mpi_request *mpi_send_prepare(struct mpi_rank *me, const void *buf, MPI_Count count,
				     struct mpi_datatype *type, int dest, int tag,
				     struct mpi_comm *comm, enum mpi_send_mode mode,
				     enum mpi_channel channel)
{
	return prepare(me, buf, count, type, dest, tag, comm, mode, channel);
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
	bool ends_now;

	send->state = REQUEST_PENDING;
	me->endpoint->n_polls = 0;
	send->cause_mark = 0;
	mpi_status_set_empty(&send->status);
	if (send->peer == MPI_PROC_NULL) {
		mpi_request_complete(send, MPI_SUCCESS);
		return;
	}
	dest = find_dest(me, &a);
	message = create(me, dest, &a, size_B, send->channel);
	message->is_rendezvous = !mpi_match_buffers(me, size_B);
	if (send->mode == SEND_BUFFERED)
		mpi_buffer_enter(mpi_buffer_of(me, a.comm), message);
	if (!may_lend(send, message) || !has_data(&a, size_B))
		copy_data(me, &a, message, size_B);
	else
		message->data = MESSAGE_LENT;
	spend_overhead(me, message, send->is_blocking ? MPI_COST_SEND : MPI_COST_ISEND);
	ends_now = send->mode == SEND_BUFFERED || !mpi_message_ends_send(message, send);
	if (!ends_now || message->data == MESSAGE_LENT)
		mpi_message_join_send(message, send);
	launch(message, me, dest, size_B, send->channel, message->is_rendezvous);
	if (ends_now && (send->mode == SEND_BUFFERED || !is_kept(message, dest, send)))
		mpi_request_complete(send, MPI_SUCCESS);
}

struct mpi_request *mpi_send_start(struct mpi_rank *me, const void *buf, MPI_Count count,
				   struct mpi_datatype *type, int dest, int tag,
				   struct mpi_comm *comm, enum mpi_send_mode mode,
				   enum mpi_channel channel)
{
	struct mpi_request *send = prepare(me, buf, count, type, dest, tag, comm, mode, channel);

	mpi_send_begin(me, send);
	return send;
}

/* --- the calls --- */

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
			 "a ready send to rank %d with tag %d, which has not posted a receive for it",
			 a->peer, a->tag);
}

/* For whoever asks what would be if it were a standard send. */
static bool is_turned(struct mpi_rank *me, int mode)
{
	return mode == SEND_SYNCHRONOUS && me->world->synchronous && mpi_synchronous_is_turned(me);
}

static __attribute__((noinline)) int send_checked(struct mpi_rank *me, enum mpi_send_mode mode,
						  const struct mpi_p2p_args *a)
{
	struct mpi_request *send;
	int code = check_mode(me, a, mode);

	if (code != MPI_SUCCESS)
		return code;
	mode = is_turned(me, mode) ? SEND_STANDARD : mode;
	if (mode == SEND_STANDARD && a->peer != MPI_PROC_NULL && send_eager(me, a))
		return MPI_SUCCESS;
	send = mpi_send_prepare(me, a->buf, a->count, a->type, a->peer, a->tag, a->comm, mode,
				CHANNEL_P2P);
	send->is_blocking = true;
	mpi_send_begin(me, send);
	if (send->state != REQUEST_COMPLETE)
		mpi_requests_wait(me, 1, &send, false);
	mpi_cause_taken(me, send);
	mpi_request_destroy(me, send);
	return MPI_SUCCESS;
}

int mpi_send_blocking(struct mpi_rank *me, int mode, const void *buf, MPI_Count count,
		      MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct mpi_p2p_args a;
	int code = mpi_check_send(me, buf, count, datatype, dest, tag, comm, &a);

	return code == MPI_SUCCESS ? send_checked(me, mode, &a) : code;
}

static MPI_HOT int send_given(struct mpi_rank *me, enum mpi_send_mode mode,
			      const struct mpi_p2p_args *a, MPI_Request *request)
{
	int code = request ? check_mode(me, a, mode)
			   : mpi_raise(me, a->comm, MPI_ERR_ARG, "request is NULL");

	if (code == MPI_SUCCESS)
		*request = mpi_request_publish(
		    me, mpi_send_start(me, a->buf, a->count, a->type, a->peer, a->tag, a->comm,
				       mode, CHANNEL_P2P));
	return code;
}

int mpi_send_given(struct mpi_rank *me, const struct mpi_p2p_args *a, MPI_Request *request)
{
	return send_given(me, SEND_STANDARD, a, request);
}

static MPI_HOT int send_nonblocking(struct mpi_rank *me, enum mpi_send_mode mode, const void *buf,
				    MPI_Count count, MPI_Datatype datatype, int dest, int tag,
				    MPI_Comm comm, MPI_Request *request)
{
	struct mpi_p2p_args a;
	int code = mpi_check_send(me, buf, count, datatype, dest, tag, comm, &a);

	return code == MPI_SUCCESS ? send_given(me, mode, &a, request) : code;
}

int mpi_send_nonblocking(struct mpi_rank *me, int mode, const void *buf, MPI_Count count,
			 MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
			 MPI_Request *request)
{
	return send_nonblocking(me, is_turned(me, mode) ? SEND_STANDARD : mode, buf, count,
				datatype, dest, tag, comm, request);
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

/* With plain arguments. */
static MPI_HOT int send_entered(struct mpi_rank *me, const struct mpi_p2p_args *a)
{
	int64_t size_B = a->count * a->type->size_B;
	struct mpi_p2p_args other;

	if (__builtin_expect(size_B <= me->world->plain_B, 1)) {
		send_plain(me, a, size_B, CHANNEL_P2P);
		return mpi_entry_leave(me, MPI_SUCCESS);
	}
	other = *a; /* whose address nobody needs: it stands in registers */
	return mpi_leave(me, send_checked(me, SEND_STANDARD, &other));
}

int mpi_send_entered(const void *buf, int count, struct mpi_datatype *type, int dest, int tag,
		     struct mpi_comm *comm)
{
	const struct mpi_p2p_args a = {
	    .buf = buf, .count = count, .type = type, .peer = dest, .tag = tag, .comm = comm};

	return send_entered(pd_current->mpi, &a);
}

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct mpi_rank *me = MPI_ENTER_HOT();
	struct mpi_p2p_args a = {.buf = buf, .count = count};

	if (__builtin_expect(mpi_args_are_plain(me, datatype, comm, dest, tag, &a), 1))
		return send_entered(me, &a);
	return mpi_leave(
	    me, mpi_send_blocking(me, SEND_STANDARD, buf, count, datatype, dest, tag, comm));
}

int MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	struct mpi_rank *me = MPI_ENTER();

	return mpi_leave(me, send_nonblocking(me, SEND_STANDARD, buf, count, datatype, dest, tag,
					      comm, request));
}
