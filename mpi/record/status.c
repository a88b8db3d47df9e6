/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that look at several requests and end none. */
#include "mpi/record/call.h"

static void open_several(struct mpi_record_call *call, int n, const MPI_Request requests[])
{
	mpi_record_open(call);
	mpi_record_requests(call, n, requests);
	mpi_record_doubt(call, MTRACE_DOUBT_TEST);
}

int mpi_record_own_Request_get_status_all(struct mpi_record_call *call, int count,
					  const MPI_Request requests[], int *flag,
					  MPI_Status statuses[])
{
	int code;

	open_several(call, count, requests);
	code = MPI_Request_get_status_all(count, requests, flag, statuses);
	mtrace_put_int(call->stream, code == MPI_SUCCESS ? *flag : 0);
	return mpi_record_end(call, code);
}

int mpi_record_own_Request_get_status_any(struct mpi_record_call *call, int count,
					  const MPI_Request requests[], int *index, int *flag,
					  MPI_Status *status)
{
	int code;

	open_several(call, count, requests);
	code = MPI_Request_get_status_any(count, requests, index, flag, status);
	mpi_record_index(call, code == MPI_SUCCESS && *flag ? *index : MPI_UNDEFINED);
	return mpi_record_end(call, code);
}

int mpi_record_own_Request_get_status_some(struct mpi_record_call *call, int count,
					   const MPI_Request requests[], int *n_done, int indices[],
					   MPI_Status statuses[])
{
	int code, n;

	open_several(call, count, requests);
	code = MPI_Request_get_status_some(count, requests, n_done, indices, statuses);
	n = code == MPI_SUCCESS && *n_done != MPI_UNDEFINED ? *n_done : 0;
	mtrace_put_uint(call->stream, (uint64_t)n);
	for (int i = 0; i < n; i++)
		mtrace_put_uint(call->stream, (uint64_t)indices[i]);
	return mpi_record_end(call, code);
}
