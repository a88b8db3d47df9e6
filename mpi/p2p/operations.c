/* SPDX-License-Identifier: BSD-3-Clause */
/* Other things to do with requests: start, free, cancel, look. */
#include <stdio.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/p2p/choose.h"
#include "mpi/p2p/internal.h"
#include "mpi/p2p/kept.h"
#include "mpi/p2p/partitioned.h"
#include "mpi/p2p/pieces.h"

int mpi_start_one(struct mpi_rank *me, struct mpi_request *request, MPI_Request *place)
{
	if (!request->is_persistent)
		return mpi_raise(me, request->comm, MPI_ERR_REQUEST, "request is not persistent");
	if (request->state != REQUEST_IDLE)
		return mpi_raise(me, request->comm, MPI_ERR_REQUEST, "request is active already");
	mpi_kept_fetch(request);
	return request->start(me, request);
}

int mpi_start_all(struct mpi_rank *me, int count, MPI_Request handles[])
{
	struct mpi_request *request;
	int code = MPI_SUCCESS;

	for (int i = 0; i < count && code == MPI_SUCCESS; i++) {
		code = mpi_find_request(me, MPI_ON_NONE, handles[i], "a request", false, &request);
		if (code == MPI_SUCCESS)
			code = mpi_start_one(me, request, &handles[i]);
	}
	return code;
}

int mpi_request_free(struct mpi_rank *me, struct mpi_request *r, MPI_Request *place)
{
	if (r->state == REQUEST_PENDING &&
	    (r->kind == REQUEST_COLL || r->start == mpi_partitioned_start))
		return mpi_raise(me, r->comm, MPI_ERR_REQUEST,
				 "the request of a %s that is under way cannot be "
				 "freed",
				 r->kind == REQUEST_COLL ? "collective" : "partitioned operation");
	*place = MPI_REQUEST_NULL;
	if (r->state == REQUEST_IDLE || r->state == REQUEST_COMPLETE) {
		mpi_request_destroy(me, r);
		return MPI_SUCCESS;
	}
	r->is_orphan = true;
	if (r->kind == REQUEST_GENERALIZED) /* the program needs the handle to complete it */
		return MPI_SUCCESS;
	mpi_handle_destroy(me, (uintptr_t)r->handle);
	r->handle = 0;
	if (r->state == REQUEST_ARRIVED) /* nobody will wait for it: take it now */
		mpi_request_take(me, r);
	return MPI_SUCCESS;
}

/* A send whose message was matched cannot be taken back. */
static bool withdraw_send(struct mpi_request *send)
{
	struct mpi_message *message = send->message;

	if (!message || message->stage >= MESSAGE_MATCHED || !mpi_message_ends_send(message, send))
		return false;
	mpi_message_leave_send(message);
	if (message->stage == MESSAGE_DELIVERED) {
		mpi_match_remove_message(message);
		mpi_message_destroy(message);
	} else {
		if (message->data == MESSAGE_PIECES)
			mpi_pieces_free(message);
		message->data = MESSAGE_WITHDRAWN;
	}
	return true;
}

static bool withdraw(struct mpi_request *request)
{
	if (request->state != REQUEST_PENDING)
		return false;
	if (request->kind == REQUEST_SEND)
		return withdraw_send(request);
	if (request->message)
		return false;
	mpi_match_remove_recv(request->owner->endpoint, request);
	return true;
}

/* There is a message that the receive can take. */
static int count_ends(struct mpi_rank *me, const struct mpi_question *question)
{
	return 1 + (mpi_choose_count_for(me, question->context) > 0);
}

static const struct mpi_message *describe_end(struct mpi_rank *me,
					      const struct mpi_question *question, int answer,
					      char *text, size_t size)
{
	snprintf(text, size, "comes %s the message", answer ? "after" : "before");
	return NULL;
}

/* Whether the message came before MPI_Cancel: it is not taken before that is known. */
static bool comes_first(struct mpi_rank *me, struct mpi_request *recv)
{
	struct mpi_question question = {.kind = MPI_CHOICE_CANCEL,
					.count = count_ends,
					.describe = describe_end,
					.context = recv};
	bool is_first;

	recv->is_held = true;
	is_first = mpi_ask(me, &question) > 0;
	recv->is_held = false;
	if (is_first)
		mpi_choose_again(me);
	return is_first;
}

int mpi_cancel(struct mpi_rank *me, struct mpi_request *request, MPI_Request *place)
{
	if (request->kind == REQUEST_GENERALIZED)
		return mpi_generalized_cancel(request);
	if (request->kind != REQUEST_SEND && request->kind != REQUEST_RECV)
		return mpi_raise(me, request->comm, MPI_ERR_REQUEST,
				 "only sends and receives can be cancelled");
	if (mpi_asks(me) && request->kind == REQUEST_RECV && request->state == REQUEST_PENDING &&
	    !request->message && comes_first(me, request))
		return MPI_SUCCESS;
	if (withdraw(request)) {
		mpi_status_set_cancelled(&request->status, true);
		mpi_request_complete(request, MPI_SUCCESS);
	}
	return MPI_SUCCESS;
}

int mpi_test_cancelled(struct mpi_rank *me, const MPI_Status *status, int *flag)
{
	*flag = mpi_status_cancelled(status);
	return MPI_SUCCESS;
}

int mpi_status_give_cancelled(struct mpi_rank *me, MPI_Status *status, int flag)
{
	mpi_status_set_cancelled(status, flag);
	return MPI_SUCCESS;
}
