/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls that most messages are made of. They do what the generated functions do
 * (mpi/verify/call.h), without giving their arguments to anybody by name: that costs more than a
 * small message. Whatever is unusual about a call is left to the generated function.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/core/entry.h"
#include "mpi/core/foreign.h"
#include "mpi/p2p/internal.h"
#include "mpi/verify/internal.h"
#include "mpi/verify/plain.h"
#include "mpi/verify/request.h"
#include "mpi/watch/watch.h"

/* --- which function --- */

struct direct {
	const char *name;
	void (*function)(void);
};

static const struct direct direct[N_DIRECT];

void *mpi_verify_substitute_direct(const char *name)
{
	const char *wanted = name[0] == 'P' ? name + 1 : name;
	void *address = NULL;

	for (int i = 0; i < N_DIRECT && !address; i++)
		if (strcmp(direct[i].name, wanted) == 0)
			memcpy(&address, &direct[i].function, sizeof address);
	return address ? address : mpi_verify_substitute(name);
}

void mpi_verify_direct_init(struct mpi_verify *verify)
{
	for (int i = 0; i < N_DIRECT; i++)
		verify->rows[i] = mpi_call_info(direct[i].name);
}

/* The generated function. */
static void (*other(enum mpi_verify_direct which, const void *site))(void)
{
	if (pd_current && ((struct mpi_rank *)pd_current->mpi)->depth == 0)
		mpisim_foreign_call(site);
	return mpi_wrappers[mpi_call_info(direct[which].name) - mpi_call_infos];
}

/* --- what every call does --- */

/* The rank that calls, where the call can be looked at here; else NULL. */
static MPI_HOT struct mpi_rank *caller(void)
{
	struct pd_rank *pd = pd_current;
	struct mpi_rank *me = pd ? pd->mpi : NULL;

	if (__builtin_expect(!me || me->depth != 0 || me->n_open == 0 ||
				 pd->world->thread != pd_arch_thread_pointer(),
			     0))
		return NULL;
	return me->world->verify->shadow && !me->world->verify->is_blind ? me : NULL;
}

static MPI_HOT void enter(struct mpi_rank *me, enum mpi_verify_direct which, const void *site)
{
	struct mpi_shadow *shadow = me->world->verify->shadow;
	struct mpi_shadow_rank *rank = &shadow->ranks[me->rank];

	mpi_entry_begin(me, direct[which].name, site);
	if (rank->plain.is_there)
		mpi_shadow_settle(shadow, rank);
}

static MPI_HOT void look(struct mpi_shadow *shadow)
{
	if (__builtin_expect(shadow->n_to_look > 0 || shadow->is_full ||
				 shadow->n_calls + 1 >= shadow->next_look,
			     0))
		mpi_verify_look(shadow);
	else
		shadow->n_calls++;
}

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
	look(call->shadow);
}

/* The call under way, as the files of the shadow want it. */
static MPI_HOT void begin(struct mpi_verify_call *call, struct mpi_rank *me,
			  enum mpi_verify_direct which)
{
	call->me = me;
	call->shadow = me->world->verify->shadow;
	call->function = me->world->verify->rows[which];
	call->plan = NULL;
	call->ops[0] = call->ops[1] = NULL;
	call->n_ops = call->n_handles = 0;
	call->handles = call->own_handles;
	call->status = call->statuses = NULL;
}

static MPI_HOT bool has_requests(const struct mpi_rank *me)
{
	return __builtin_expect(me->world->verify->shadow->ranks[me->rank].apart.n_active > 0, 0);
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

static int failed_plainly(struct mpi_rank *me, int code)
{
	if (mpi_verify_has_failed(me, code))
		mpi_shadow_forget_plain(me->world->verify->shadow, me->rank);
	return code;
}

/* The arguments of a send or receive, but its count; false: they are wrong, which is left to the
 * function itself. */
static MPI_HOT bool take(const struct mpi_rank *me, MPI_Comm comm, MPI_Datatype datatype, int peer,
			 int tag, bool is_recv, struct mpi_shadow_plain *out)
{
	out->comm = mpi_comm_get(me, comm);
	out->type = mpi_args_plain_type(me, datatype);
	out->given_peer = peer;
	out->tag = tag;
	return out->comm && out->type && out->count >= 0 &&
	       mpi_shadow_is_peer(out->comm, peer, is_recv) && mpi_shadow_is_tag(tag, is_recv);
}

/* --- blocking messages --- */

typedef int send_fn(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int recv_fn(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);

/* Others may take part in the match. */
static __attribute__((noinline)) int send_in_queue(struct mpi_rank *me, const void *buf, int count,
						   MPI_Datatype datatype, int dest, int tag,
						   MPI_Comm comm,
						   const struct mpi_shadow_plain *plain)
{
	struct mpi_shadow_message message = mpi_plain_message(plain);
	struct mpi_verify_call call;
	int code;

	begin(&call, me, DIRECT_SEND);
	post(&call, mpi_shadow_send(call.shadow, me, &message, plain->comm, SEND_STANDARD));
	wait_for_posted(&call);
	me->depth++; /* the call is left at its end */
	code = mpi_send_entered(me, buf, count, datatype, dest, tag, comm);
	return end(&call, code, NULL);
}

static int send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
	struct mpi_rank *me = caller();
	struct mpi_shadow_plain plain = {.kind = SHADOW_SEND, .count = count};
	int code;

	if (!me || !take(me, comm, datatype, dest, tag, false, &plain))
		return ((send_fn *)other(DIRECT_SEND, __builtin_return_address(0)))(
		    buf, count, datatype, dest, tag, comm);
	enter(me, DIRECT_SEND, plain.site = __builtin_return_address(0));
	if (has_requests(me))
		mpi_plain_post_blocking(me->world->verify->shadow, me, buf, &plain);
	if (!mpi_plain_meet(me->world->verify->shadow, me->rank, plain))
		return send_in_queue(me, buf, count, datatype, dest, tag, comm, &plain);
	look(me->world->verify->shadow);
	code = mpi_send_entered(me, buf, count, datatype, dest, tag, comm);
	return __builtin_expect(code != MPI_SUCCESS, 0) ? failed_plainly(me, code) : code;
}

/* Others may take part in the match. */
static __attribute__((noinline)) int recv_in_queue(struct mpi_rank *me, void *buf, int count,
						   MPI_Datatype datatype, int source, int tag,
						   MPI_Comm comm, MPI_Status *status,
						   const struct mpi_shadow_plain *plain)
{
	struct mpi_shadow_message message = mpi_plain_message(plain);
	struct mpi_verify_call call;
	int code;

	begin(&call, me, DIRECT_RECV);
	post(&call, mpi_shadow_recv(call.shadow, me, &message, plain->comm));
	wait_for_posted(&call);
	status = status == MPI_STATUS_IGNORE ? &call.own : status;
	me->depth++; /* the call is left at its end */
	code = mpi_recv_entered(me, buf, count, datatype, source, tag, comm, status);
	return end(&call, code, status);
}

/* From any source. */
static __attribute__((noinline)) int recv_any(struct mpi_rank *me, void *buf, int count,
					      MPI_Datatype datatype, int tag, MPI_Comm comm,
					      MPI_Status *status)
{
	struct mpi_shadow *shadow = me->world->verify->shadow;
	MPI_Status own;
	int code;

	status = status == MPI_STATUS_IGNORE ? &own : status;
	look(shadow);
	me->depth++; /* the call is left at its end */
	code = mpi_recv_entered(me, buf, count, datatype, MPI_ANY_SOURCE, tag, comm, status);
	if (mpi_verify_has_failed(me, code))
		mpi_shadow_forget_plain(shadow, me->rank);
	else
		mpi_shadow_received_plain(shadow, me->rank, status);
	if (shadow->n_to_look > 0)
		mpi_shadow_advance(shadow);
	return mpi_leave(me, code);
}

static int recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
		MPI_Status *status)
{
	struct mpi_rank *me = caller();
	struct mpi_shadow_plain plain = {.kind = SHADOW_RECV, .count = count};
	int code;

	if (!me || !take(me, comm, datatype, source, tag, true, &plain))
		return ((recv_fn *)other(DIRECT_RECV, __builtin_return_address(0)))(
		    buf, count, datatype, source, tag, comm, status);
	enter(me, DIRECT_RECV, plain.site = __builtin_return_address(0));
	if (has_requests(me))
		mpi_plain_post_blocking(me->world->verify->shadow, me, buf, &plain);
	if (source == MPI_ANY_SOURCE && mpi_plain_await(me->world->verify->shadow, me->rank, plain))
		return recv_any(me, buf, count, datatype, tag, comm, status);
	if (!mpi_plain_meet(me->world->verify->shadow, me->rank, plain))
		return recv_in_queue(me, buf, count, datatype, source, tag, comm, status, &plain);
	look(me->world->verify->shadow);
	code = mpi_recv_entered(me, buf, count, datatype, source, tag, comm, status);
	return __builtin_expect(code != MPI_SUCCESS, 0) ? failed_plainly(me, code) : code;
}

typedef int sendrecv_fn(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int,
			int, MPI_Comm, MPI_Status *);

static int sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
		    int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source,
		    int recvtag, MPI_Comm comm, MPI_Status *status)
{
	struct mpi_rank *me = caller();
	struct mpi_comm *c = me ? mpi_comm_get(me, comm) : NULL;
	struct mpi_shadow_message out, in;
	struct mpi_verify_call call;
	int code;

	if (!c || !mpi_shadow_take(me, c, sendcount, sendtype, dest, sendtag, false, &out) ||
	    !mpi_shadow_take(me, c, recvcount, recvtype, source, recvtag, true, &in) ||
	    !mpi_verify_are_apart(out.type, sendcount, sendbuf, in.type, recvcount, recvbuf))
		return ((sendrecv_fn *)other(DIRECT_SENDRECV, __builtin_return_address(0)))(
		    sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
		    source, recvtag, comm, status);
	enter(me, DIRECT_SENDRECV, __builtin_return_address(0));
	begin(&call, me, DIRECT_SENDRECV);
	if (has_requests(me)) {
		mpi_plain_post_buffer(call.shadow, me, recvbuf, &in, true, 0);
		mpi_plain_post_buffer(call.shadow, me, sendbuf, &out, false, 0);
	}
	post(&call, mpi_shadow_recv(call.shadow, me, &in, c));
	post(&call, mpi_shadow_send(call.shadow, me, &out, c, SEND_STANDARD));
	wait_for_posted(&call);
	status = status == MPI_STATUS_IGNORE ? &call.own : status;
	code = mpi_sendrecv(me, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
			    recvtype, source, recvtag, comm, status);
	return end(&call, code, status);
}

/* --- nonblocking messages --- */

typedef int isend_fn(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
typedef int irecv_fn(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

/* The send or receive is under way, and `op` what is kept of it; NULL: nothing. */
static MPI_HOT int publish(struct mpi_rank *me, enum mpi_verify_direct which,
			   struct mpi_shadow_op *op, int code, const MPI_Request *handle,
			   const void *buf, const struct mpi_shadow_message *message)
{
	struct mpi_shadow *shadow = me->world->verify->shadow;
	struct mpi_shadow_request *request = NULL;

	if (code == MPI_SUCCESS)
		request =
		    mpi_shadow_new_request(shadow, me, me->world->verify->rows[which], *handle);
	if (request) {
		request->op = op;
		mpi_plain_post_buffer(shadow, me, buf, message, which == DIRECT_IRECV,
				      (uintptr_t)*handle);
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
	struct mpi_rank *me = caller();
	struct mpi_shadow_plain plain = {.count = count};
	struct mpi_shadow_message message;
	struct mpi_shadow_op *op;

	if (!me || !take(me, comm, datatype, dest, tag, false, &plain))
		return ((isend_fn *)other(DIRECT_ISEND, __builtin_return_address(0)))(
		    buf, count, datatype, dest, tag, comm, request);
	enter(me, DIRECT_ISEND, __builtin_return_address(0));
	message = mpi_plain_message(&plain);
	op = mpi_shadow_send(me->world->verify->shadow, me, &message, plain.comm, SEND_STANDARD);
	if (op && !op->is_posted)
		mpi_shadow_post(me->world->verify->shadow, me, op);
	look(me->world->verify->shadow);
	return publish(
	    me, DIRECT_ISEND, op,
	    mpi_send_nonblocking(me, SEND_STANDARD, buf, count, datatype, dest, tag, comm, request),
	    request, buf, &message);
}

static int irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
		 MPI_Request *request)
{
	struct mpi_rank *me = caller();
	struct mpi_shadow_plain plain = {.count = count};
	struct mpi_shadow_message message;
	struct mpi_shadow_op *op;

	if (!me || !take(me, comm, datatype, source, tag, true, &plain))
		return ((irecv_fn *)other(DIRECT_IRECV, __builtin_return_address(0)))(
		    buf, count, datatype, source, tag, comm, request);
	enter(me, DIRECT_IRECV, __builtin_return_address(0));
	message = mpi_plain_message(&plain);
	op = mpi_shadow_recv(me->world->verify->shadow, me, &message, plain.comm);
	if (op && !op->is_posted)
		mpi_shadow_post(me->world->verify->shadow, me, op);
	look(me->world->verify->shadow);
	return publish(me, DIRECT_IRECV, op,
		       mpi_recv_nonblocking(me, buf, count, datatype, source, tag, comm, request),
		       request, buf, &message);
}

/* --- their completion --- */

typedef int wait_fn(MPI_Request *, MPI_Status *);
typedef int waitall_fn(int, MPI_Request[], MPI_Status *);

/* Nothing is to be learnt from its status, and it is no more when it is complete. */
static bool is_simple(const struct mpi_shadow_request *request)
{
	const struct mpi_shadow_op *op = request->op;

	return !request->is_cancelled && !request->is_persistent && !request->second &&
	       (!op || !op->is_wild);
}

/* What a call waits for. */
struct open {
	struct mpi_shadow_op **ops; /* [n]; `few` where they fit */
	int n;
	struct mpi_shadow_op *few[16];
};

/* The call is given these requests, of which some have operations that are not done; false: not all
 * of them are simple. */
static bool note_simple(struct mpi_verify_call *call, int n, const MPI_Request handles[],
			struct open *open)
{
	mpi_shadow_make_room(call, n);
	open->n = 0;
	open->ops = open->few;
	if (n > (int)(sizeof open->few / sizeof *open->few))
		open->ops = mpi_shadow_room(call->shadow, (size_t)n, sizeof *open->ops);
	for (int i = 0; i < call->n_handles; i++) {
		uint64_t index = mpi_shadow_index(handles[i]);
		const struct mpi_shadow_request *request = mpi_shadow_request(call->shadow, index);

		if (!request || request->rank != call->me->rank) {
			call->handles[i] = SHADOW_NO_REQUEST;
			continue;
		}
		call->handles[i] = index;
		if (!is_simple(request))
			return false;
		if (request->op && !mpi_shadow_is_done(request->op))
			open->ops[open->n++] = request->op;
	}
	return call->n_handles == n;
}

/* They are complete. */
static void complete_simple(struct mpi_shadow *shadow, const struct mpi_verify_call *call)
{
	for (int i = 0; i < call->n_handles; i++) {
		struct mpi_shadow_request *request = mpi_shadow_request(shadow, call->handles[i]);

		if (!request)
			continue;
		mpi_shadow_release(shadow, request->op);
		request->op = NULL;
		request->function = 0;
		request->is_active = false;
		mpi_apart_end(&shadow->ranks[request->rank].apart);
	}
}

/* Enters a call that waits for simple messages; false: it is left to the generated function. */
static bool await(struct mpi_verify_call *call, enum mpi_verify_direct which, int n,
		  const MPI_Request requests[], const void *site)
{
	struct mpi_rank *me = caller();
	struct open open;
	bool is_simple;

	if (!me || n < 0 || (n > 0 && !requests))
		return false;
	call->me = me;
	call->shadow = me->world->verify->shadow;
	is_simple = note_simple(call, n, requests, &open);
	if (is_simple) {
		enter(me, which, site);
		if (open.n > 0 || call->shadow->ranks[me->rank].first)
			mpi_shadow_wait(call->shadow, me, open.n, open.ops, false);
		look(call->shadow);
	} else {
		mpi_shadow_forget_handles(call);
	}
	if (open.ops != open.few)
		free(open.ops);
	return is_simple;
}

static int complete(struct mpi_verify_call *call, int code)
{
	complete_simple(call->shadow, call);
	mpi_shadow_forget_handles(call);
	if (call->shadow->n_to_look > 0)
		mpi_shadow_advance(call->shadow);
	return mpi_leave(call->me, code);
}

static int wait(MPI_Request *request, MPI_Status *status)
{
	struct mpi_verify_call call;

	if (!await(&call, DIRECT_WAIT, 1, request, __builtin_return_address(0)))
		return ((wait_fn *)other(DIRECT_WAIT, __builtin_return_address(0)))(request,
										    status);
	return complete(&call, mpi_wait_one(call.me, request, status));
}

static int waitall(int n, MPI_Request requests[], MPI_Status *statuses)
{
	struct mpi_verify_call call;

	if (!await(&call, DIRECT_WAITALL, n, requests, __builtin_return_address(0)))
		return ((waitall_fn *)other(DIRECT_WAITALL, __builtin_return_address(0)))(
		    n, requests, statuses);
	return complete(&call, mpi_wait_all(call.me, n, requests, statuses));
}

static const struct direct direct[N_DIRECT] = {
    [DIRECT_SEND] = {"MPI_Send", (void (*)(void))send},
    [DIRECT_RECV] = {"MPI_Recv", (void (*)(void))recv},
    [DIRECT_ISEND] = {"MPI_Isend", (void (*)(void))isend},
    [DIRECT_IRECV] = {"MPI_Irecv", (void (*)(void))irecv},
    [DIRECT_WAIT] = {"MPI_Wait", (void (*)(void))wait},
    [DIRECT_WAITALL] = {"MPI_Waitall", (void (*)(void))waitall},
    [DIRECT_SENDRECV] = {"MPI_Sendrecv", (void (*)(void))sendrecv},
};
