/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Wait and MPI_Test with their families. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/core/errhandler.h"
#include "mpi/p2p/causes.h"
#include "mpi/p2p/internal.h"
#include "mpi/p2p/listed.h"
#include "mpi/p2p/poll.h"

int mpi_request_harvest(struct mpi_rank *me, struct mpi_request *request, MPI_Request *handle,
			MPI_Status *status)
{
	int error_class = request->query ? request->query(request) : request->status.MPI_ERROR;

	me->endpoint->n_polls = 0;
	mpi_cause_taken(me, request);
	if (status != MPI_STATUS_IGNORE) {
		*status = request->status;
		status->MPI_ERROR = error_class;
	}
	if (request->is_persistent) {
		mpi_request_settle(request);
		request->state = REQUEST_IDLE;
		return error_class;
	}
	mpi_request_destroy(me, request);
	if (handle)
		*handle = MPI_REQUEST_NULL;
	return error_class;
}

int mpi_raise_operation(struct mpi_rank *me, struct mpi_comm *comm, int error_class,
			const MPI_Status *status)
{
	if (error_class == MPI_SUCCESS)
		return MPI_SUCCESS;
	if (error_class == MPI_ERR_TRUNCATE && status->MPI_SOURCE == MPI_ANY_SOURCE)
		return mpi_raise(me, comm, error_class,
				 "a message of the collective is longer than the buffer for it: "
				 "counts or datatypes differ between ranks");
	if (error_class == MPI_ERR_TRUNCATE)
		return mpi_raise(me, comm, error_class,
				 "the message from rank %d with tag %d is longer than the "
				 "receive's buffer of %lld B",
				 status->MPI_SOURCE, status->MPI_TAG,
				 (long long)mpi_status_bytes(status));
	return mpi_raise(me, comm, error_class, "the operation failed");
}

/* Looks up a handle of the list; NULL, or what is wrong with it. */
static const char *look_up(struct mpi_rank *me, struct mpi_request_list *list, int i,
			   MPI_Request handle)
{
	struct mpi_request *request =
	    handle == MPI_REQUEST_NULL ? NULL : mpi_request_get(me, handle);

	list->requests[i] = request;
	if (!request)
		return handle == MPI_REQUEST_NULL ? NULL : "is not a request of this rank";
	if (!mpi_request_is_active(request))
		return NULL;
	if (request->is_listed)
		return "is in the array twice";
	request->is_listed = true;
	list->n_active++;
	return NULL;
}

static int fill(struct mpi_rank *me, struct mpi_request_list *list, const MPI_Request handles[])
{
	const char *problem = NULL;
	int n = 0;

	while (n < list->n && !problem) {
		problem = look_up(me, list, n, handles[n]);
		n++;
	}
	for (int i = 0; i < n; i++)
		if (list->requests[i])
			list->requests[i]->is_listed = false;
	if (!problem)
		return MPI_SUCCESS;
	return mpi_raise(me, NULL, MPI_ERR_REQUEST, "request %d of %d %s", n - 1, list->n, problem);
}

/* MPI_SUCCESS, or what was raised; then there is nothing to finish. */
static int list_init(struct mpi_rank *me, struct mpi_request_list *list, int n,
		     const MPI_Request handles[])
{
	int code = mpi_listed_init(me, list, n);

	if (code != MPI_SUCCESS)
		return code;
	code = fill(me, list, handles);
	if (code != MPI_SUCCESS)
		mpi_listed_finish(list);
	return code;
}

static void set_empty(MPI_Status *status)
{
	if (status != MPI_STATUS_IGNORE)
		mpi_status_set_empty(status);
}

/* Ends one complete request of the list and raises its error. */
static int end_one(struct mpi_rank *me, struct mpi_request *request, MPI_Request *handle,
		   MPI_Status *status)
{
	struct mpi_comm *comm = request->comm;
	MPI_Status result;
	int code;

	if (comm)
		mpi_comm_retain(comm);
	code = mpi_request_harvest(me, request, handle, &result);
	mpi_status_give(status, &result);
	code = mpi_raise_operation(me, comm, code, &result);
	if (comm)
		mpi_comm_release(me, comm);
	return code;
}

static int first_complete(const struct mpi_request_list *list)
{
	for (int i = 0; i < list->n; i++)
		if (mpi_request_is_active(list->requests[i]) &&
		    list->requests[i]->state == REQUEST_COMPLETE)
			return i;
	return -1;
}

static bool all_complete(const struct mpi_request_list *list)
{
	for (int i = 0; i < list->n; i++)
		if (mpi_request_is_active(list->requests[i]) &&
		    list->requests[i]->state != REQUEST_COMPLETE)
			return false;
	return true;
}

/* The first error among the requests of a list. */
struct list_error {
	int error_class;       /* MPI_SUCCESS: none */
	struct mpi_comm *comm; /* retained */
	MPI_Status status;
};

/* Ends one complete request of a list: its status goes to statuses[position], unless `statuses` is
 * to be ignored. */
static void end_listed(struct mpi_rank *me, struct mpi_request *request, MPI_Request *handle,
		       MPI_Status statuses[], int position, struct list_error *first)
{
	bool has_failed =
	    request->status.MPI_ERROR != MPI_SUCCESS && request->comm && !first->error_class;
	MPI_Status result;
	int error_class;

	if (has_failed)
		mpi_comm_retain(first->comm = request->comm);
	error_class = mpi_request_harvest(me, request, handle, &result);
	if (statuses != MPI_STATUSES_IGNORE)
		mpi_status_give(&statuses[position], &result);
	if (error_class != MPI_SUCCESS && !first->error_class) {
		first->error_class = error_class;
		first->status = result;
		for (int i = 0; statuses != MPI_STATUSES_IGNORE && i < position; i++)
			statuses[i].MPI_ERROR = MPI_SUCCESS;
	}
	if (statuses != MPI_STATUSES_IGNORE && first->error_class)
		statuses[position].MPI_ERROR = error_class;
}

/* A handler gets the error of the request, the program MPI_ERR_IN_STATUS. */
static int raise_listed(struct mpi_rank *me, const struct list_error *first)
{
	if (first->error_class == MPI_SUCCESS)
		return MPI_SUCCESS;
	mpi_raise(me, first->comm, first->error_class, "on the message from rank %d with tag %d",
		  first->status.MPI_SOURCE, first->status.MPI_TAG);
	if (first->comm)
		mpi_comm_release(me, first->comm);
	return MPI_ERR_IN_STATUS;
}

/* Ends every request of a list that is complete as a whole. */
static int end_all(struct mpi_rank *me, struct mpi_request_list *list, MPI_Request handles[],
		   MPI_Status statuses[])
{
	struct list_error first = {.error_class = MPI_SUCCESS};

	for (int i = 0; i < list->n; i++)
		if (mpi_request_is_active(list->requests[i]))
			end_listed(me, list->requests[i], &handles[i], statuses, i, &first);
		else if (statuses != MPI_STATUSES_IGNORE)
			mpi_status_set_empty(&statuses[i]);
	mpi_listed_finish(list);
	return raise_listed(me, &first);
}

/* Ends what is complete of a list: their indices in `indices`. `only`: no other than this one, -1: all. */
static int end_some(struct mpi_rank *me, struct mpi_request_list *list, int only,
		    MPI_Request handles[], int *outcount, int indices[], MPI_Status statuses[])
{
	struct list_error first = {.error_class = MPI_SUCCESS};

	*outcount = 0;
	for (int i = 0; i < list->n; i++) {
		if (!mpi_request_is_active(list->requests[i]) ||
		    list->requests[i]->state != REQUEST_COMPLETE || (only >= 0 && i != only))
			continue;
		end_listed(me, list->requests[i], &handles[i], statuses, *outcount, &first);
		indices[(*outcount)++] = i;
	}
	mpi_listed_finish(list);
	return raise_listed(me, &first);
}

int mpi_wait_one(struct mpi_rank *me, MPI_Request *handle, MPI_Status *status)
{
	struct mpi_request_list list;
	int code = list_init(me, &list, 1, handle);

	if (code != MPI_SUCCESS)
		return code;
	if (list.n_active == 0) {
		set_empty(status);
		return MPI_SUCCESS;
	}
	mpi_requests_wait(me, 1, list.requests, false);
	return end_one(me, list.requests[0], handle, status);
}

int mpi_wait_all(struct mpi_rank *me, int count, MPI_Request handles[], MPI_Status statuses[])
{
	struct mpi_request_list list;
	int code = list_init(me, &list, count, handles);

	if (code != MPI_SUCCESS)
		return code;
	mpi_requests_wait(me, list.n, list.requests, false);
	code = end_all(me, &list, handles, statuses);
	mpi_listed_finish(&list);
	return code;
}

int mpi_wait_any(struct mpi_rank *me, int count, MPI_Request handles[], int *index,
		 MPI_Status *status)
{
	struct mpi_request_list list;
	int code = list_init(me, &list, count, handles), i;

	if (code != MPI_SUCCESS)
		return code;
	*index = MPI_UNDEFINED;
	set_empty(status);
	if (list.n_active > 0) {
		if (mpi_asks(me)) {
			i = mpi_listed_choose_any(me, &list, MPI_CHOICE_WAIT);
		} else {
			mpi_requests_wait(me, list.n, list.requests, true);
			i = first_complete(&list);
		}
		*index = i;
		code = end_one(me, list.requests[i], &handles[i], status);
	}
	mpi_listed_finish(&list);
	return code;
}

int mpi_wait_some(struct mpi_rank *me, int incount, MPI_Request handles[], int *outcount,
		  int indices[], MPI_Status statuses[])
{
	struct mpi_request_list list;
	int code = list_init(me, &list, incount, handles), only = -1;

	if (code != MPI_SUCCESS)
		return code;
	*outcount = MPI_UNDEFINED;
	if (list.n_active > 0) {
		if (mpi_asks(me)) {
			only = mpi_listed_choose_some(me, &list, MPI_CHOICE_WAIT);
		} else {
			mpi_requests_wait(me, list.n, list.requests, true);
			mpi_requests_take_others(me, list.n, list.requests);
		}
		code = end_some(me, &list, only, handles, outcount, indices, statuses);
	}
	mpi_listed_finish(&list);
	return code;
}

/*
 * A test within a computation step finds nothing, of requests that are asked for together (`any`:
 * of all of which one is enough): whatever is unusual is left to the whole call.
 */
static bool finds_nothing(struct mpi_rank *me, int n, const MPI_Request handles[], bool any)
{
	int n_pending = 0;

	for (int i = 0; handles && i < n; i++) {
		const struct mpi_request *request = mpi_request_get(me, handles[i]);

		if (request && request->state == REQUEST_PENDING)
			n_pending++;
		else if (any && (request ? request->state != REQUEST_IDLE
					 : handles[i] != MPI_REQUEST_NULL))
			return false;
		if (n_pending > 0 && !any)
			return true;
	}
	return n_pending > 0;
}

bool mpi_test_one_quick(struct mpi_rank *me, MPI_Request *handle, int *flag, MPI_Status *status)
{
	if (!flag || !finds_nothing(me, 1, handle, false))
		return false;
	*flag = 0;
	return true;
}

int mpi_test_one(struct mpi_rank *me, MPI_Request *handle, int *flag, MPI_Status *status)
{
	struct mpi_request_list list;
	int code = list_init(me, &list, 1, handle);

	if (code != MPI_SUCCESS)
		return code;
	*flag = !mpi_listed_is_told_nothing(me, &list);
	mpi_progress_poll(me, 1, list.requests, false);
	*flag = *flag && all_complete(&list);
	if (!*flag)
		mpi_endpoint_poll_failed(me);
	else if (list.n_active == 0)
		set_empty(status);
	else
		code = end_one(me, list.requests[0], handle, status);
	return code;
}

bool mpi_test_all_quick(struct mpi_rank *me, int count, MPI_Request handles[], int *flag,
			MPI_Status statuses[])
{
	if (!flag || !finds_nothing(me, count, handles, false))
		return false;
	*flag = 0;
	return true;
}

int mpi_test_all(struct mpi_rank *me, int count, MPI_Request handles[], int *flag,
		 MPI_Status statuses[])
{
	struct mpi_request_list list;
	bool may_tell;
	int code = list_init(me, &list, count, handles);

	if (code != MPI_SUCCESS)
		return code;
	*flag = !mpi_listed_is_told_nothing(me, &list);
	may_tell = mpi_progress_test(me, list.n, list.requests, false) && *flag;
	*flag = may_tell && all_complete(&list);
	if (*flag)
		code = end_all(me, &list, handles, statuses);
	else if (may_tell)
		mpi_endpoint_poll_failed(me);
	mpi_listed_finish(&list);
	return code;
}

bool mpi_test_any_quick(struct mpi_rank *me, int count, MPI_Request handles[], int *index,
			int *flag, MPI_Status *status)
{
	if (!flag || !index || !finds_nothing(me, count, handles, true))
		return false;
	*flag = 0;
	*index = MPI_UNDEFINED;
	return true;
}

int mpi_test_any(struct mpi_rank *me, int count, MPI_Request handles[], int *index, int *flag,
		 MPI_Status *status)
{
	struct mpi_request_list list;
	bool may_tell;
	int code = list_init(me, &list, count, handles), i;

	if (code != MPI_SUCCESS)
		return code;
	if (mpi_asks(me) && list.n_active > 0) {
		may_tell = true;
		i = mpi_listed_choose_any(me, &list, MPI_CHOICE_POLL);
	} else {
		may_tell = mpi_progress_test(me, list.n, list.requests, true);
		i = may_tell ? first_complete(&list) : -1;
	}
	*flag = i >= 0 || list.n_active == 0;
	*index = i >= 0 ? i : MPI_UNDEFINED;
	if (i >= 0)
		code = end_one(me, list.requests[i], &handles[i], status);
	else if (*flag)
		set_empty(status);
	else if (may_tell)
		mpi_endpoint_poll_failed(me);
	mpi_listed_finish(&list);
	return code;
}

bool mpi_test_some_quick(struct mpi_rank *me, int incount, MPI_Request handles[], int *outcount,
			 int indices[], MPI_Status statuses[])
{
	if (!outcount || !indices || !finds_nothing(me, incount, handles, true))
		return false;
	*outcount = 0;
	return true;
}

int mpi_test_some(struct mpi_rank *me, int incount, MPI_Request handles[], int *outcount,
		  int indices[], MPI_Status statuses[])
{
	struct mpi_request_list list;
	bool may_tell;
	int code = list_init(me, &list, incount, handles), only = -1;

	if (code != MPI_SUCCESS)
		return code;
	if (mpi_asks(me) && list.n_active > 0)
		only = mpi_listed_choose_some(me, &list, MPI_CHOICE_POLL);
	may_tell = only == -1 ? mpi_progress_test(me, list.n, list.requests, true) : only >= 0;
	*outcount = may_tell ? MPI_UNDEFINED : 0;
	if (may_tell && list.n_active > 0) {
		code = end_some(me, &list, only, handles, outcount, indices, statuses);
		if (*outcount == 0)
			mpi_endpoint_poll_failed(me);
	}
	mpi_listed_finish(&list);
	return code;
}
