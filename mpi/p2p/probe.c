/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes, and receives of matched messages. */
#include "mpi/p2p/choose.h"
#include "mpi/p2p/internal.h"
#include "mpi/p2p/poll.h"

static void describe(const struct mpi_message *message, MPI_Status *status)
{
	MPI_Status found;

	mpi_status_set_empty(&found);
	found.MPI_SOURCE = message->source_rank;
	found.MPI_TAG = message->tag;
	mpi_status_set_bytes(&found, message->size_B);
	mpi_status_give(status, &found);
}

static void describe_no_proc(MPI_Status *status)
{
	MPI_Status found;

	mpi_status_set_empty(&found);
	found.MPI_SOURCE = MPI_PROC_NULL;
	mpi_status_give(status, &found);
}

static int check(struct mpi_rank *me, int source, int tag, MPI_Comm handle, const void *output,
		 struct mpi_comm **out)
{
	*out = mpi_comm_get(me, handle);
	if (!*out)
		return mpi_raise(me, NULL, MPI_ERR_COMM, "comm is not a communicator");
	if (!output)
		return mpi_raise(me, *out, MPI_ERR_ARG, "an output argument is NULL");
	return mpi_check_source(me, *out, source, tag);
}

static bool is_there(struct mpi_rank *me, const struct mpi_wait *wait)
{
	struct mpi_message **found = (void *)(uintptr_t)wait->context;

	*found = mpi_match_find(me, wait->of.message.comm, wait->of.message.source,
				wait->of.message.tag);
	return *found != NULL;
}

/* Blocks until there is a message that fits. */
static struct mpi_message *await(struct mpi_rank *me, struct mpi_comm *comm, int source, int tag)
{
	struct mpi_message *found;
	const struct mpi_wait wait = {.kind = MPI_WAIT_MESSAGE,
				      .of.message = {comm, source, tag},
				      .is_satisfied = is_there,
				      .context = &found};

	mpi_wait(me, &wait);
	return found;
}

/* Takes the message out of matching: only its handle gets it now. */
static MPI_Message publish(struct mpi_rank *me, struct mpi_comm *comm, struct mpi_message *message)
{
	mpi_match_remove_message(message);
	message->stage = MESSAGE_MATCHED;
	message->handle = (MPI_Message)mpi_handle_create(me, KIND_MESSAGE, message);
	if (!message->handle)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a message handle");
	message->comm = comm;
	mpi_comm_retain(comm);
	return message->handle;
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int code = check(me, source, tag, comm, &c, &c);

	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	if (source == MPI_PROC_NULL)
		describe_no_proc(status);
	else
		describe(await(me, c, source, tag), status);
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_message *found;
	struct mpi_comm *c;
	int code = check(me, source, tag, comm, message, &c);

	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	if (source == MPI_PROC_NULL) {
		*message = MPI_MESSAGE_NO_PROC;
		describe_no_proc(status);
		return mpi_leave(me, MPI_SUCCESS);
	}
	found = await(me, c, source, tag);
	describe(found, status);
	*message = publish(me, c, found);
	return mpi_leave(me, MPI_SUCCESS);
}

/* The rank had looked since it came, or sent it itself. */
static bool is_known(const struct mpi_rank *me, const struct mpi_message *message)
{
	return message->arrived <= me->endpoint->last_look || message->source == me;
}

struct probed {
	const struct mpi_comm *comm;
	int source, tag;
};

static int count(struct mpi_rank *me, const struct mpi_question *question)
{
	const struct probed *p = question->context;

	return mpi_choose_count(me, p->comm, p->source, p->tag);
}

static struct mpi_message *choose(struct mpi_rank *me, struct mpi_comm *comm, int source, int tag)
{
	const struct probed probed = {comm, source, tag};
	struct mpi_question question = {
	    .kind = MPI_CHOICE_POLL, .count = count, .context = &probed};
	int i = mpi_ask(me, &question);

	return i == MPI_CHOOSE_NONE ? NULL : mpi_choose_nth(me, comm, source, tag, i);
}

static struct mpi_message *look(struct mpi_rank *me, struct mpi_comm *comm, int source, int tag)
{
	bool is_late = me->world->pd->cluster->protocol.late_answers != CLUSTER_LATE_NONE;
	struct mpi_message *message = NULL;

	if (mpi_asks(me))
		return choose(me, comm, source, tag);
	if (is_late)
		message = mpi_match_find(me, comm, source, tag);
	if (message && is_known(me, message)) {
		me->endpoint->n_polls = 0;
		return message;
	}
	mpi_progress_poll(me, 0, NULL, false);
	message = mpi_match_find(me, comm, source, tag);
	if (message)
		me->endpoint->n_polls = 0;
	else
		mpi_endpoint_poll_failed(me);
	return is_late ? NULL : message;
}

/* A probe within a computation step finds nothing: whatever is unusual is left to the whole call.
 */
static bool finds_nothing(struct mpi_rank *me, int source, int tag, MPI_Comm handle)
{
	struct mpi_comm *comm = mpi_comm_get(me, handle);

	return comm && source != MPI_PROC_NULL && !mpi_match_find(me, comm, source, tag);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	struct mpi_rank *me = mpi_poll_quick();
	struct mpi_message *found;
	struct mpi_comm *c;
	int code;

	if (me && flag && finds_nothing(me, source, tag, comm)) {
		*flag = 0;
		return mpi_poll_answer(me, __func__);
	}
	me = MPI_ENTER_POLL();
	code = check(me, source, tag, comm, flag, &c);
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	*flag = 1;
	if (source == MPI_PROC_NULL) {
		describe_no_proc(status);
		return mpi_leave(me, MPI_SUCCESS);
	}
	found = look(me, c, source, tag);
	*flag = found != NULL;
	if (found)
		describe(found, status);
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
		MPI_Status *status)
{
	struct mpi_rank *me = mpi_poll_quick();
	struct mpi_message *found;
	struct mpi_comm *c;
	int code;

	if (me && flag && message && finds_nothing(me, source, tag, comm)) {
		*flag = 0;
		return mpi_poll_answer(me, __func__);
	}
	me = MPI_ENTER_POLL();
	code = check(me, source, tag, comm, flag ? (void *)message : NULL, &c);
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	*flag = 1;
	if (source == MPI_PROC_NULL) {
		*message = MPI_MESSAGE_NO_PROC;
		describe_no_proc(status);
		return mpi_leave(me, MPI_SUCCESS);
	}
	found = look(me, c, source, tag);
	*flag = found != NULL;
	if (found) {
		describe(found, status);
		*message = publish(me, c, found);
	}
	return mpi_leave(me, MPI_SUCCESS);
}

/* Starts the receive of a message that a probe took out of matching. */
static void take_over(struct mpi_rank *me, struct mpi_request *recv, struct mpi_message *message)
{
	mpi_handle_destroy(me, (uintptr_t)message->handle);
	message->handle = 0;
	mpi_comm_release(me, message->comm); /* the request has its own reference */
	message->comm = NULL;
	recv->message = message;
	message->recv = recv;
	mpi_message_matched(message);
}

/* NULL: `*code` was raised. */
static struct mpi_request *receive(struct mpi_rank *me, void *buf, MPI_Count count,
				   MPI_Datatype datatype, MPI_Message *handle, int *code)
{
	struct mpi_message *message =
	    handle ? mpi_handle_object(me, KIND_MESSAGE, (uintptr_t)*handle) : NULL;
	struct mpi_comm *comm = message ? message->comm : me->comm_none;
	struct mpi_datatype *type;
	struct mpi_request *recv;

	if (!message && !(handle && *handle == MPI_MESSAGE_NO_PROC))
		*code = mpi_raise(me, NULL, MPI_ERR_REQUEST,
				  "message is not a matched message of this rank");
	else
		*code = mpi_check_buffer(me, message ? comm : NULL, buf, count, datatype, &type);
	if (*code != MPI_SUCCESS)
		return NULL;
	recv =
	    mpi_recv_prepare(me, buf, count, type, message ? message->source_rank : MPI_PROC_NULL,
			     message ? message->tag : MPI_ANY_TAG, comm, CHANNEL_P2P);
	*handle = MPI_MESSAGE_NULL;
	if (message)
		take_over(me, recv, message);
	else
		mpi_recv_begin(me, recv);
	return recv;
}

static int mrecv(struct mpi_rank *me, void *buf, MPI_Count count, MPI_Datatype datatype,
		 MPI_Message *message, MPI_Status *status)
{
	struct mpi_comm *comm;
	MPI_Status result;
	int code;
	struct mpi_request *recv = receive(me, buf, count, datatype, message, &code);

	if (!recv)
		return mpi_leave(me, code);
	mpi_requests_wait(me, 1, &recv, false);
	comm = recv->comm;
	mpi_comm_retain(comm); /* the program may have freed it since the probe */
	code = mpi_request_harvest(me, recv, NULL, &result);
	mpi_status_give(status, &result);
	code = mpi_raise_operation(me, comm, code, &result);
	mpi_comm_release(me, comm);
	return mpi_leave(me, code);
}

static int imrecv(struct mpi_rank *me, void *buf, MPI_Count count, MPI_Datatype datatype,
		  MPI_Message *message, MPI_Request *request)
{
	struct mpi_request *recv;
	int code;

	if (!request)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "request is NULL"));
	recv = receive(me, buf, count, datatype, message, &code);
	if (recv)
		*request = mpi_request_publish(me, recv);
	return mpi_leave(me, code);
}

int MPI_Mrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status)
{
	return mrecv(MPI_ENTER(), buf, count, datatype, message, status);
}

int MPI_Mrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message,
		MPI_Status *status)
{
	return mrecv(MPI_ENTER(), buf, count, datatype, message, status);
}

int MPI_Imrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message,
	       MPI_Request *request)
{
	return imrecv(MPI_ENTER(), buf, count, datatype, message, request);
}

int MPI_Imrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message,
		 MPI_Request *request)
{
	return imrecv(MPI_ENTER(), buf, count, datatype, message, request);
}
