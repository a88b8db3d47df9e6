/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking at requests without ending them. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/p2p/internal.h"
#include "mpi/p2p/listed.h"

static bool is_complete(const struct mpi_request *request)
{
	return request && request->state == REQUEST_COMPLETE;
}

/* Makes what progress is possible. MPI_SUCCESS, or what was raised; then there is nothing to
 * finish. A request may stand there twice. */
static int look_at(struct mpi_rank *me, struct mpi_request_list *list, int n,
		   const MPI_Request handles[])
{
	int code = mpi_listed_init(me, list, n);

	for (int i = 0; code == MPI_SUCCESS && i < n; i++) {
		list->requests[i] =
		    handles[i] == MPI_REQUEST_NULL ? NULL : mpi_request_get(me, handles[i]);
		list->n_active += mpi_request_is_active(list->requests[i]);
		if (list->requests[i] || handles[i] == MPI_REQUEST_NULL)
			continue;
		mpi_listed_finish(list);
		return mpi_raise(me, NULL, MPI_ERR_REQUEST,
				 "request %d of %d is not a request of this rank", i, n);
	}
	if (code == MPI_SUCCESS)
		mpi_progress_poll(me, n, list->requests, false);
	return code;
}

/* The status of a request that is complete, or of none; `status` may be to be ignored. */
static void give_status(struct mpi_request *request, MPI_Status *status)
{
	if (!is_complete(request)) {
		if (status != MPI_STATUS_IGNORE)
			mpi_status_set_empty(status);
		return;
	}
	mpi_request_settle(request);
	if (request->query)
		request->query(request);
	mpi_status_give(status, &request->status);
}

static MPI_Status *status_at(MPI_Status statuses[], int i)
{
	return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

int mpi_request_get_status(struct mpi_rank *me, MPI_Request request, int *flag, MPI_Status *status)
{
	struct mpi_request_list list;
	int code = look_at(me, &list, 1, &request);

	if (code != MPI_SUCCESS)
		return code;
	*flag = list.n_active == 0 || is_complete(list.requests[0]);
	if (*flag)
		give_status(list.requests[0], status);
	else
		mpi_endpoint_poll_failed(me);
	return MPI_SUCCESS;
}

int mpi_request_get_status_any(struct mpi_rank *me, int count,
			       const MPI_Request array_of_requests[], int *indx, int *flag,
			       MPI_Status *status)
{
	struct mpi_request_list list;
	int i = 0, code = look_at(me, &list, count, array_of_requests);

	if (code != MPI_SUCCESS)
		return code;
	while (i < list.n && !is_complete(list.requests[i]))
		i++;
	*flag = i < list.n || list.n_active == 0;
	*indx = i < list.n ? i : MPI_UNDEFINED;
	if (*flag)
		give_status(i < list.n ? list.requests[i] : NULL, status);
	else
		mpi_endpoint_poll_failed(me);
	mpi_listed_finish(&list);
	return MPI_SUCCESS;
}

int mpi_request_get_status_all(struct mpi_rank *me, int count,
			       const MPI_Request array_of_requests[], int *flag,
			       MPI_Status *array_of_statuses)
{
	struct mpi_request_list list;
	int code = look_at(me, &list, count, array_of_requests);

	if (code != MPI_SUCCESS)
		return code;
	*flag = 1;
	for (int i = 0; i < list.n; i++)
		*flag = *flag &&
			(!mpi_request_is_active(list.requests[i]) || is_complete(list.requests[i]));
	for (int i = 0; *flag && i < list.n; i++)
		give_status(list.requests[i], status_at(array_of_statuses, i));
	if (!*flag)
		mpi_endpoint_poll_failed(me);
	mpi_listed_finish(&list);
	return MPI_SUCCESS;
}

int mpi_request_get_status_some(struct mpi_rank *me, int incount,
				const MPI_Request array_of_requests[], int *outcount,
				int array_of_indices[], MPI_Status *array_of_statuses)
{
	struct mpi_request_list list;
	int n = 0, code = look_at(me, &list, incount, array_of_requests);

	if (code != MPI_SUCCESS)
		return code;
	for (int i = 0; i < list.n; i++) {
		if (!is_complete(list.requests[i]))
			continue;
		give_status(list.requests[i], status_at(array_of_statuses, n));
		array_of_indices[n++] = i;
	}
	*outcount = list.n_active == 0 ? MPI_UNDEFINED : n;
	if (*outcount == 0)
		mpi_endpoint_poll_failed(me);
	mpi_listed_finish(&list);
	return MPI_SUCCESS;
}
