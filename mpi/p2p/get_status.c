/* SPDX-License-Identifier: BSD-3-Clause */
/* Looking at requests without ending them. */
#include <stdlib.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/p2p/internal.h"

#define N_ON_STACK 32

struct look {
	int n;
	struct mpi_request **requests; /* [n], NULL for MPI_REQUEST_NULL; on_stack or malloc */
	struct mpi_request *on_stack[N_ON_STACK];
};

static void look_finish(struct look *look)
{
	if (look->requests != look->on_stack)
		free(look->requests);
}

static bool is_complete(const struct mpi_request *request)
{
	return mpi_request_is_active(request) && request->state == REQUEST_COMPLETE;
}

static int look_up(struct mpi_rank *me, struct look *look, const MPI_Request handles[])
{
	for (int i = 0; i < look->n; i++) {
		look->requests[i] =
		    handles[i] == MPI_REQUEST_NULL ? NULL : mpi_request_get(me, handles[i]);
		if (!look->requests[i] && handles[i] != MPI_REQUEST_NULL) {
			look_finish(look);
			return mpi_raise(me, NULL, MPI_ERR_REQUEST,
					 "request %d of %d is not a request of this rank", i,
					 look->n);
		}
	}
	return MPI_SUCCESS;
}

/* Makes what progress is possible. MPI_SUCCESS, or what was raised; then there is nothing to
 * finish. */
static int look_init(struct mpi_rank *me, struct look *look, int n, const MPI_Request handles[])
{
	int code;

	look->n = n;
	look->requests = look->on_stack;
	if (n > N_ON_STACK && !(look->requests = malloc((size_t)n * sizeof *look->requests)))
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for %d requests", n);
	code = look_up(me, look, handles);
	if (code == MPI_SUCCESS)
		mpi_progress_poll(me, n, look->requests, false);
	return code;
}

static int n_active(const struct look *look)
{
	int n = 0;

	for (int i = 0; i < look->n; i++)
		n += mpi_request_is_active(look->requests[i]);
	return n;
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
	struct look look;
	int code = look_init(me, &look, 1, &request);

	if (code != MPI_SUCCESS)
		return code;
	*flag = n_active(&look) == 0 || is_complete(look.requests[0]);
	if (*flag)
		give_status(look.requests[0], status);
	else
		mpi_endpoint_poll_failed(me);
	return MPI_SUCCESS;
}

int mpi_request_get_status_any(struct mpi_rank *me, int count,
			       const MPI_Request array_of_requests[], int *indx, int *flag,
			       MPI_Status *status)
{
	struct look look;
	int i = 0, code = look_init(me, &look, count, array_of_requests);

	if (code != MPI_SUCCESS)
		return code;
	while (i < look.n && !is_complete(look.requests[i]))
		i++;
	*flag = i < look.n || n_active(&look) == 0;
	*indx = i < look.n ? i : MPI_UNDEFINED;
	if (*flag)
		give_status(i < look.n ? look.requests[i] : NULL, status);
	else
		mpi_endpoint_poll_failed(me);
	look_finish(&look);
	return MPI_SUCCESS;
}

int mpi_request_get_status_all(struct mpi_rank *me, int count,
			       const MPI_Request array_of_requests[], int *flag,
			       MPI_Status *array_of_statuses)
{
	struct look look;
	int code = look_init(me, &look, count, array_of_requests);

	if (code != MPI_SUCCESS)
		return code;
	*flag = 1;
	for (int i = 0; i < look.n; i++)
		*flag = *flag &&
			(!mpi_request_is_active(look.requests[i]) || is_complete(look.requests[i]));
	for (int i = 0; *flag && i < look.n; i++)
		give_status(look.requests[i], status_at(array_of_statuses, i));
	if (!*flag)
		mpi_endpoint_poll_failed(me);
	look_finish(&look);
	return MPI_SUCCESS;
}

int mpi_request_get_status_some(struct mpi_rank *me, int incount,
				const MPI_Request array_of_requests[], int *outcount,
				int array_of_indices[], MPI_Status *array_of_statuses)
{
	struct look look;
	int n = 0, code = look_init(me, &look, incount, array_of_requests);

	if (code != MPI_SUCCESS)
		return code;
	for (int i = 0; i < look.n; i++) {
		if (!is_complete(look.requests[i]))
			continue;
		give_status(look.requests[i], status_at(array_of_statuses, n));
		array_of_indices[n++] = i;
	}
	*outcount = n_active(&look) == 0 ? MPI_UNDEFINED : n;
	if (*outcount == 0)
		mpi_endpoint_poll_failed(me);
	look_finish(&look);
	return MPI_SUCCESS;
}
