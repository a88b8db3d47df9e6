/* SPDX-License-Identifier: BSD-3-Clause */
/* Other things to do with requests: start, free, cancel, look. */
#include "mpi/p2p/internal.h"
#include "mpi/p2p/kept.h"
#include "mpi/p2p/partitioned.h"

static struct mpi_request *get(struct mpi_rank *me, const MPI_Request *handle, int *code)
{
	struct mpi_request *request = handle ? mpi_request_get(me, *handle) : NULL;

	*code = MPI_SUCCESS;
	if (!request)
		*code = mpi_raise(me, NULL, MPI_ERR_REQUEST, "request is %s",
				  !handle			? "NULL"
				  : *handle == MPI_REQUEST_NULL ? "MPI_REQUEST_NULL"
								: "not a request of this rank");
	return request;
}

static int start(struct mpi_rank *me, const MPI_Request *handle)
{
	int code;
	struct mpi_request *request = get(me, handle, &code);

	if (!request)
		return code;
	if (!request->is_persistent)
		return mpi_raise(me, request->comm, MPI_ERR_REQUEST, "request is not persistent");
	if (request->state != REQUEST_IDLE)
		return mpi_raise(me, request->comm, MPI_ERR_REQUEST, "request is active already");
	mpi_kept_fetch(request);
	return request->start(me, request);
}

int MPI_Start(MPI_Request *request)
{
	struct mpi_rank *me = MPI_ENTER();

	return mpi_leave(me, start(me, request));
}

int MPI_Startall(int count, MPI_Request array_of_requests[])
{
	struct mpi_rank *me = MPI_ENTER();
	int code = MPI_SUCCESS;

	if (count < 0 || (count > 0 && !array_of_requests))
		return mpi_leave(me, mpi_raise(me, NULL, count < 0 ? MPI_ERR_COUNT : MPI_ERR_ARG,
					       "count is negative or the array is NULL"));
	for (int i = 0; i < count && code == MPI_SUCCESS; i++)
		code = start(me, &array_of_requests[i]);
	return mpi_leave(me, code);
}

int MPI_Request_free(MPI_Request *request)
{
	struct mpi_rank *me = MPI_ENTER();
	int code;
	struct mpi_request *r = get(me, request, &code);

	if (!r)
		return mpi_leave(me, code);
	if (r->state == REQUEST_PENDING &&
	    (r->kind == REQUEST_COLL || r->start == mpi_partitioned_start))
		return mpi_leave(me, mpi_raise(me, r->comm, MPI_ERR_REQUEST,
					       "the request of a %s that is under way cannot be "
					       "freed",
					       r->kind == REQUEST_COLL ? "collective"
								       : "partitioned operation"));
	*request = MPI_REQUEST_NULL;
	if (r->state == REQUEST_IDLE || r->state == REQUEST_COMPLETE) {
		mpi_request_destroy(me, r);
		return mpi_leave(me, MPI_SUCCESS);
	}
	r->is_orphan = true;
	if (r->kind == REQUEST_GENERALIZED) /* the program needs the handle to complete it */
		return mpi_leave(me, MPI_SUCCESS);
	mpi_handle_destroy(me, (uintptr_t)r->handle);
	r->handle = 0;
	if (r->state == REQUEST_ARRIVED) /* nobody will wait for it: take it now */
		mpi_request_take(me, r);
	return mpi_leave(me, MPI_SUCCESS);
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

int MPI_Cancel(MPI_Request *request)
{
	struct mpi_rank *me = MPI_ENTER();
	int code;
	struct mpi_request *r = get(me, request, &code);

	if (!r)
		return mpi_leave(me, code);
	if (r->kind == REQUEST_GENERALIZED)
		return mpi_leave(me, mpi_generalized_cancel(r));
	if (r->kind != REQUEST_SEND && r->kind != REQUEST_RECV)
		return mpi_leave(me, mpi_raise(me, r->comm, MPI_ERR_REQUEST,
					       "only sends and receives can be cancelled"));
	if (withdraw(r)) {
		mpi_status_set_cancelled(&r->status, true);
		mpi_request_complete(r, MPI_SUCCESS);
	}
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Test_cancelled(const MPI_Status *status, int *flag)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));

	if (!status || !flag)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "status or flag is NULL"));
	*flag = mpi_status_cancelled(status);
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Status_set_cancelled(MPI_Status *status, int flag)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));

	if (!status)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "status is NULL"));
	mpi_status_set_cancelled(status, flag);
	return mpi_leave(me, MPI_SUCCESS);
}
