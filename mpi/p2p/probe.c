/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes, and receives of matched messages. */
#include <stdio.h>

#include "mpi/abi/mpi-calls.h"
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

int mpi_probe(struct mpi_rank *me, int source, int tag, struct mpi_comm *comm, MPI_Status *status)
{
	int code = mpi_check_source(me, comm, source, tag);

	if (code != MPI_SUCCESS)
		return code;
	if (source == MPI_PROC_NULL)
		describe_no_proc(status);
	else
		describe(await(me, comm, source, tag), status);
	return MPI_SUCCESS;
}

int mpi_mprobe(struct mpi_rank *me, int source, int tag, struct mpi_comm *comm,
	       MPI_Message *message, MPI_Status *status)
{
	struct mpi_message *found;
	int code = mpi_check_source(me, comm, source, tag);

	if (code != MPI_SUCCESS)
		return code;
	if (source == MPI_PROC_NULL) {
		*message = MPI_MESSAGE_NO_PROC;
		describe_no_proc(status);
		return MPI_SUCCESS;
	}
	found = await(me, comm, source, tag);
	describe(found, status);
	*message = publish(me, comm, found);
	return MPI_SUCCESS;
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

static const struct mpi_message *describe_answer(struct mpi_rank *me,
						 const struct mpi_question *question, int answer,
						 char *text, size_t size)
{
	const struct probed *p = question->context;
	const struct mpi_message *message = mpi_choose_nth(me, p->comm, p->source, p->tag, answer);

	if (message)
		snprintf(text, size, "finds the message from rank %d (tag %d, %lld B)",
			 message->source->rank, message->tag, (long long)message->size_B);
	return message;
}

static struct mpi_message *choose(struct mpi_rank *me, struct mpi_comm *comm, int source, int tag)
{
	const struct probed probed = {comm, source, tag};
	struct mpi_question question = {.kind = MPI_CHOICE_POLL,
					.count = count,
					.describe = describe_answer,
					.context = &probed};
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

/* What both find; *found stays NULL for MPI_PROC_NULL, too. */
static int iprobe(struct mpi_rank *me, int source, int tag, struct mpi_comm *comm, int *flag,
		  struct mpi_message **found, MPI_Status *status)
{
	int code = mpi_check_source(me, comm, source, tag);

	*found = NULL;
	if (code != MPI_SUCCESS)
		return code;
	*flag = 1;
	if (source == MPI_PROC_NULL) {
		describe_no_proc(status);
		return MPI_SUCCESS;
	}
	*found = look(me, comm, source, tag);
	mpi_poll_charge(me);
	*flag = *found != NULL;
	if (*found)
		describe(*found, status);
	return MPI_SUCCESS;
}

bool mpi_iprobe_quick(struct mpi_rank *me, int source, int tag, MPI_Comm comm, int *flag,
		      MPI_Status *status)
{
	if (!flag || !finds_nothing(me, source, tag, comm))
		return false;
	*flag = 0;
	return true;
}

int mpi_iprobe(struct mpi_rank *me, int source, int tag, MPI_Comm comm, int *flag,
	       MPI_Status *status)
{
	struct mpi_message *found;
	struct mpi_comm *c;
	int code = mpi_find_comm(me, MPI_ON_NONE, comm, "comm", false, &c);

	return code == MPI_SUCCESS ? iprobe(me, source, tag, c, flag, &found, status) : code;
}

bool mpi_improbe_quick(struct mpi_rank *me, int source, int tag, MPI_Comm comm, int *flag,
		       MPI_Message *message, MPI_Status *status)
{
	return message && mpi_iprobe_quick(me, source, tag, comm, flag, status);
}

int mpi_improbe(struct mpi_rank *me, int source, int tag, MPI_Comm comm, int *flag,
		MPI_Message *message, MPI_Status *status)
{
	struct mpi_message *found;
	struct mpi_comm *c;
	int code = mpi_find_comm(me, MPI_ON_NONE, comm, "comm", false, &c);

	if (code == MPI_SUCCESS)
		code = iprobe(me, source, tag, c, flag, &found, status);
	if (code == MPI_SUCCESS && *flag)
		*message = found ? publish(me, c, found) : MPI_MESSAGE_NO_PROC;
	return code;
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
	struct mpi_message *message = mpi_handle_object(me, KIND_MESSAGE, (uintptr_t)*handle);
	struct mpi_comm *comm = message ? message->comm : me->comm_none;
	struct mpi_datatype *type;
	struct mpi_request *recv;

	if (!message && *handle != MPI_MESSAGE_NO_PROC)
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

int mpi_mrecv(struct mpi_rank *me, void *buf, MPI_Count count, MPI_Datatype datatype,
	      MPI_Message *message, MPI_Status *status)
{
	struct mpi_comm *comm;
	MPI_Status result;
	int code;
	struct mpi_request *recv = receive(me, buf, count, datatype, message, &code);

	if (!recv)
		return code;
	mpi_requests_wait(me, 1, &recv, false);
	comm = recv->comm;
	mpi_comm_retain(comm); /* the program may have freed it since the probe */
	code = mpi_request_harvest(me, recv, NULL, &result);
	mpi_status_give(status, &result);
	code = mpi_raise_operation(me, comm, code, &result);
	mpi_comm_release(me, comm);
	return code;
}

int mpi_imrecv(struct mpi_rank *me, void *buf, MPI_Count count, MPI_Datatype datatype,
	       MPI_Message *message, MPI_Request *request)
{
	struct mpi_request *recv;
	int code;

	recv = receive(me, buf, count, datatype, message, &code);
	if (recv)
		*request = mpi_request_publish(me, recv);
	return code;
}
