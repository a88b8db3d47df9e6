/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that are sent and received (mpi/verify/direct.h). */
#include "mpi/verify/direct.h"

#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/core/foreign.h"
#include "mpi/verify/plain.h"
#include "mpi/verify/request.h"
#include "mpi/watch/watch.h"

/* --- which function --- */

static void (*const functions[N_DIRECT])(void);

void *mpi_verify_substitute_direct(const char *name)
{
	const char *wanted = name[0] == 'P' ? name + 1 : name;
	void *address = NULL;

	for (int i = 0; i < N_DIRECT && !address; i++)
		if (strcmp(mpi_direct_names[i], wanted) == 0)
			memcpy(&address, &functions[i], sizeof address);
	return address ? address : mpi_verify_substitute(name);
}

void mpi_verify_direct_init(struct mpi_verify *verify)
{
	for (int i = 0; i < N_DIRECT; i++)
		verify->rows[i] = mpi_call_info(mpi_direct_names[i]);
}

void (*mpi_direct_other(enum mpi_verify_direct which, const void *site))(void)
{
	if (pd_current && ((struct mpi_rank *)pd_current->mpi)->depth == 0)
		mpisim_foreign_call(site);
	return mpi_wrappers[mpi_call_info(mpi_direct_names[which]) - mpi_call_infos];
}

/* --- what calls have in common --- */

static void post(struct mpi_verify_call *call, struct mpi_shadow_op *op)
{
	if (!op)
		return;
	call->ops[call->n_ops++] = op;
	if (!op->is_posted)
		mpi_shadow_post(call->shadow, call->me, op);
}

static void wait_for_posted(struct mpi_verify_call *call)
{
	if (call->n_ops > 0)
		mpi_shadow_wait(call->shadow, call->me, call->n_ops, call->ops, false);
	mpi_direct_look(call->shadow);
}

/* The call under way, as the files of the shadow want it. */
static MPI_HOT void begin(struct mpi_verify_call *call, struct mpi_rank *me,
			  enum mpi_verify_direct which)
{
	call->me = me;
	call->shadow = me->shadow->shadow;
	call->function = me->world->verify->rows[which];
	call->plan = NULL;
	call->ops[0] = call->ops[1] = NULL;
	call->n_ops = call->n_handles = 0;
	call->handles = call->own_handles;
	call->status = call->statuses = NULL;
}

static MPI_HOT bool has_requests(const struct mpi_rank *me)
{
	return __builtin_expect(me->shadow->apart.n_active > 0, 0);
}

/* Of a blocking call: its operations are over. */
static int end(struct mpi_verify_call *call, int code, const MPI_Status *status)
{
	if (mpi_verify_has_failed(call->me, code))
		mpi_shadow_give_up_ops(call->shadow, call);
	for (int i = 0; i < call->n_ops && !mpi_verify_has_failed(call->me, code); i++) {
		if (call->ops[i]->is_wild)
			mpi_shadow_resolve(call->shadow, call->ops[i], status);
		mpi_shadow_release(call->shadow, call->ops[i]);
	}
	if (call->shadow->n_to_look > 0)
		mpi_shadow_advance(call->shadow);
	return mpi_leave(call->me, code);
}

/* Arguments that were looked up and are right, if not plain. */
static MPI_HOT bool are_right(const struct mpi_p2p_args *a, bool is_recv)
{
	return a->buf && a->buf != MPI_IN_PLACE && mpi_shadow_is_right(a, is_recv);
}

/* The arguments of a send or receive that are right, if not plain; false: that is left to the
 * function itself. */
static MPI_HOT bool take(const struct mpi_rank *me, MPI_Datatype datatype, MPI_Comm comm, int peer,
			 int tag, bool is_recv, struct mpi_p2p_args *a)
{
	return __builtin_expect(mpi_args_are_plain(me, datatype, comm, peer, tag, a), 1) ||
	       are_right(a, is_recv);
}

/* --- blocking messages --- */

typedef int send_fn(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int recv_fn(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);

/* Others may take part in the match. */
static __attribute__((noinline)) int send_in_queue(struct mpi_rank *me, struct mpi_p2p_args a)
{
	struct mpi_verify_call call;
	int code;

	begin(&call, me, DIRECT_SEND);
	post(&call, mpi_shadow_send(call.shadow, me, &a, SEND_STANDARD));
	wait_for_posted(&call);
	me->depth++; /* the call is left at its end */
	code = mpi_send_entered(a.buf, (int)a.count, a.type, a.peer, a.tag, a.comm);
	return end(&call, code, NULL);
}

static int send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct mpi_rank *me = mpi_direct_caller();
	struct mpi_p2p_args a = {.buf = buf, .count = count};

	if (!me || !mpi_args_are_plain(me, datatype, comm, dest, tag, &a))
		return ((send_fn *)mpi_direct_other(DIRECT_SEND, __builtin_return_address(0)))(
		    buf, count, datatype, dest, tag, comm);
	mpi_direct_enter(me, DIRECT_SEND, __builtin_return_address(0));
	if (has_requests(me))
		mpi_plain_post_buffer(me, &a, false, 0);
	if (!mpi_plain_may(me, SHADOW_SEND, &a))
		return send_in_queue(me, a);
	mpi_plain_meet(me, SHADOW_SEND, DIRECT_SEND, &a);
	mpi_direct_look(me->shadow->shadow);
	return mpi_send_entered(buf, count, a.type, dest, tag, a.comm);
}

/* Others may take part in the match. */
static __attribute__((noinline)) int recv_in_queue(struct mpi_rank *me, struct mpi_p2p_args a,
						   MPI_Status *status)
{
	struct mpi_verify_call call;
	int code;

	begin(&call, me, DIRECT_RECV);
	post(&call, mpi_shadow_recv(call.shadow, me, &a));
	wait_for_posted(&call);
	status = status == MPI_STATUS_IGNORE ? &call.own : status;
	me->depth++; /* the call is left at its end */
	code = mpi_recv_right(me, &a, status);
	return end(&call, code, status);
}

/* From any source. */
static int recv_any(struct mpi_rank *me, const struct mpi_p2p_args *a, MPI_Status *status)
{
	struct mpi_shadow_rank *mine = me->shadow;
	struct mpi_shadow *shadow = mine->shadow;
	MPI_Status own;
	int code;

	status = status == MPI_STATUS_IGNORE ? &own : status;
	mpi_direct_look(shadow);
	me->depth++; /* the call is left at its end */
	code = mpi_recv_right(me, a, status);
	if (!mpi_verify_has_failed(me, code))
		mpi_shadow_received_plain(mine, status);
	if (shadow->n_to_look > 0)
		mpi_shadow_advance(shadow);
	return mpi_leave(me, code);
}

/* Whose arguments are right, but not plain. */
static __attribute__((noinline)) int recv_other(struct mpi_rank *me, const struct mpi_p2p_args *a,
						MPI_Status *status, const void *site)
{
	mpi_direct_enter(me, DIRECT_RECV, site);
	if (has_requests(me))
		mpi_plain_post_buffer(me, a, true, 0);
	if (a->peer == MPI_ANY_SOURCE && mpi_plain_await(me, a))
		return recv_any(me, a, status);
	return recv_in_queue(me, *a, status);
}

static int recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
		MPI_Status *status)
{
	struct mpi_rank *me = mpi_direct_caller();
	struct mpi_p2p_args a = {.buf = buf, .count = count};

	if (!me || !mpi_args_are_plain(me, datatype, comm, source, tag, &a)) {
		if (me && are_right(&a, true))
			return recv_other(me, &a, status, __builtin_return_address(0));
		return ((recv_fn *)mpi_direct_other(DIRECT_RECV, __builtin_return_address(0)))(
		    buf, count, datatype, source, tag, comm, status);
	}
	mpi_direct_enter(me, DIRECT_RECV, __builtin_return_address(0));
	if (has_requests(me))
		mpi_plain_post_buffer(me, &a, true, 0);
	if (!mpi_plain_may(me, SHADOW_RECV, &a))
		return recv_in_queue(me, a, status);
	mpi_plain_meet(me, SHADOW_RECV, DIRECT_RECV, &a);
	mpi_direct_look(me->shadow->shadow);
	return mpi_recv_entered(buf, count, a.type, source, tag, a.comm, status);
}

typedef int sendrecv_fn(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int,
			int, MPI_Comm, MPI_Status *);

/* Others may take part in the matches. */
static __attribute__((noinline)) int exchange_in_queue(struct mpi_rank *me,
						       const struct mpi_p2p_args *out,
						       const struct mpi_p2p_args *in,
						       MPI_Status *status)
{
	struct mpi_verify_call call;

	begin(&call, me, DIRECT_SENDRECV);
	post(&call, mpi_shadow_recv(call.shadow, me, in));
	post(&call, mpi_shadow_send(call.shadow, me, out, SEND_STANDARD));
	wait_for_posted(&call);
	return end(&call, mpi_exchange(me, out, in, status), NULL);
}

static int sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
		    int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source,
		    int recvtag, MPI_Comm comm, MPI_Status *status)
{
	struct mpi_rank *me = mpi_direct_caller();
	struct mpi_p2p_args out = {.buf = sendbuf, .count = sendcount};
	struct mpi_p2p_args in = {.buf = recvbuf, .count = recvcount};

	if (!me || !mpi_args_are_plain(me, sendtype, comm, dest, sendtag, &out) ||
	    !mpi_args_are_plain(me, recvtype, comm, source, recvtag, &in) ||
	    !mpi_verify_are_apart(out.type, sendcount, sendbuf, in.type, recvcount, recvbuf))
		return (
		    (sendrecv_fn *)mpi_direct_other(DIRECT_SENDRECV, __builtin_return_address(0)))(
		    sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
		    source, recvtag, comm, status);
	mpi_direct_enter(me, DIRECT_SENDRECV, __builtin_return_address(0));
	if (has_requests(me)) {
		mpi_plain_post_buffer(me, &in, true, 0);
		mpi_plain_post_buffer(me, &out, false, 0);
	}
	if (!mpi_plain_may(me, SHADOW_SEND, &out) || !mpi_plain_may(me, SHADOW_RECV, &in))
		return exchange_in_queue(me, &out, &in, status);
	mpi_plain_meet(me, SHADOW_RECV, DIRECT_SENDRECV, &in);
	mpi_plain_meet(me, SHADOW_SEND, DIRECT_SENDRECV, &out);
	mpi_direct_look(me->shadow->shadow);
	return mpi_leave(me, mpi_exchange(me, &out, &in, status));
}

/* --- nonblocking messages --- */

typedef int isend_fn(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
typedef int irecv_fn(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

/* The send or receive is under way, and `op` what is kept of it; NULL: nothing. */
static MPI_HOT int publish(struct mpi_rank *me, enum mpi_verify_direct which,
			   struct mpi_shadow_op *op, int code, const MPI_Request *handle,
			   const struct mpi_p2p_args *a)
{
	struct mpi_shadow *shadow = me->shadow->shadow;
	struct mpi_shadow_request *request = NULL;

	if (code == MPI_SUCCESS)
		request =
		    mpi_shadow_new_request(shadow, me, me->world->verify->rows[which], *handle);
	if (request) {
		mpi_shadow_hold(shadow, request, op);
		mpi_plain_post_buffer(me, a, which == DIRECT_IRECV, (uintptr_t)*handle);
	} else if (op) {
		mpi_shadow_give_up(shadow, op);
	}
	if (shadow->n_to_look > 0)
		mpi_shadow_advance(shadow);
	return mpi_leave(me, code);
}

static int isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
		 MPI_Comm comm, MPI_Request *request)
{
	struct mpi_rank *me = mpi_direct_caller();
	struct mpi_p2p_args a = {.buf = buf, .count = count};
	struct mpi_shadow_op *op;

	if (!me || !take(me, datatype, comm, dest, tag, false, &a))
		return ((isend_fn *)mpi_direct_other(DIRECT_ISEND, __builtin_return_address(0)))(
		    buf, count, datatype, dest, tag, comm, request);
	mpi_direct_enter(me, DIRECT_ISEND, __builtin_return_address(0));
	op = mpi_shadow_send(me->shadow->shadow, me, &a, SEND_STANDARD);
	if (op && !op->is_posted)
		mpi_shadow_post(me->shadow->shadow, me, op);
	mpi_direct_look(me->shadow->shadow);
	return publish(me, DIRECT_ISEND, op, mpi_send_given(me, &a, request),
		       request, &a);
}

static int irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
		 MPI_Request *request)
{
	struct mpi_rank *me = mpi_direct_caller();
	struct mpi_p2p_args a = {.buf = buf, .count = count};
	struct mpi_shadow_op *op;

	if (!me || !take(me, datatype, comm, source, tag, true, &a))
		return ((irecv_fn *)mpi_direct_other(DIRECT_IRECV, __builtin_return_address(0)))(
		    buf, count, datatype, source, tag, comm, request);
	mpi_direct_enter(me, DIRECT_IRECV, __builtin_return_address(0));
	op = mpi_shadow_recv(me->shadow->shadow, me, &a);
	if (op && !op->is_posted)
		mpi_shadow_post(me->shadow->shadow, me, op);
	mpi_direct_look(me->shadow->shadow);
	return publish(me, DIRECT_IRECV, op, mpi_recv_given(me, &a, request), request, &a);
}

static void (*const functions[N_DIRECT])(void) = {
    [DIRECT_SEND] = (void (*)(void))send,
    [DIRECT_RECV] = (void (*)(void))recv,
    [DIRECT_ISEND] = (void (*)(void))isend,
    [DIRECT_IRECV] = (void (*)(void))irecv,
    [DIRECT_WAIT] = (void (*)(void))mpi_direct_wait,
    [DIRECT_WAITALL] = (void (*)(void))mpi_direct_waitall,
    [DIRECT_SENDRECV] = (void (*)(void))sendrecv,
};
