/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that complete requests or look for messages: what they gave is recorded, too. */
#include "mpi/record/call.h"

/* The indices that MPI_Waitsome or MPI_Testsome gave. */
static void put_indices(struct mpi_record_call *call, int n_done, const int indices[],
			const MPI_Request requests[], const MPI_Status statuses[])
{
	int n = n_done == MPI_UNDEFINED ? 0 : n_done;

	mtrace_put_uint(call->stream, (uint64_t)n);
	for (int i = 0; i < n; i++) {
		mtrace_put_uint(call->stream, (uint64_t)indices[i]);
		mpi_record_done(call, indices[i], requests[indices[i]], &statuses[i]);
	}
}

static void open_listed(struct mpi_record_call *call, int n, const MPI_Request requests[])
{
	mpi_record_list(call, n, requests);
	mpi_record_open(call);
	mpi_record_requests(call, n, requests);
}

static void open_one(struct mpi_record_call *call, const MPI_Request *request)
{
	mpi_record_list(call, request ? 1 : 0, request);
	mpi_record_open(call);
	if (request)
		mpi_record_listed(call, 0);
	else
		mtrace_put_uint(call->stream, 0);
}

int mpi_record_own_Wait(struct mpi_record_call *call, MPI_Request *request, MPI_Status *status)
{
	int code;

	open_one(call, request);
	status = mpi_record_status(call, status);
	code = MPI_RECORD_NEXT(MPI_Wait)(request, status);
	if (request)
		mpi_record_done(call, 0, *request, status);
	return mpi_record_end(call, code);
}

int mpi_record_own_Waitall(struct mpi_record_call *call, int count, MPI_Request requests[],
			   MPI_Status statuses[])
{
	int code;

	open_listed(call, count, requests);
	statuses = mpi_record_statuses(call, statuses);
	code = MPI_RECORD_NEXT(MPI_Waitall)(count, requests, statuses);
	for (int i = 0; i < count && requests; i++)
		mpi_record_done(call, i, requests[i], &statuses[i]);
	return mpi_record_end(call, code);
}

int mpi_record_own_Waitany(struct mpi_record_call *call, int count, MPI_Request requests[],
			   int *index, MPI_Status *status)
{
	int code;

	open_listed(call, count, requests);
	if (mpi_record_n_listed(call, count) > 1)
		mpi_record_doubt(call, MTRACE_DOUBT_ANY);
	status = mpi_record_status(call, status);
	code = MPI_RECORD_NEXT(MPI_Waitany)(count, requests, index, status);
	if (index && *index >= 0 && *index < count)
		mpi_record_done(call, *index, requests[*index], status);
	mpi_record_index(call, index ? *index : MPI_UNDEFINED);
	return mpi_record_end(call, code);
}

int mpi_record_own_Waitsome(struct mpi_record_call *call, int count, MPI_Request requests[],
			    int *n_done, int indices[], MPI_Status statuses[])
{
	int code;

	open_listed(call, count, requests);
	if (mpi_record_n_listed(call, count) > 1)
		mpi_record_doubt(call, MTRACE_DOUBT_ANY);
	statuses = mpi_record_statuses(call, statuses);
	code = MPI_RECORD_NEXT(MPI_Waitsome)(count, requests, n_done, indices, statuses);
	put_indices(call, n_done && indices ? *n_done : 0, indices, requests, statuses);
	return mpi_record_end(call, code);
}

int mpi_record_own_Test(struct mpi_record_call *call, MPI_Request *request, int *flag,
			MPI_Status *status)
{
	int code;

	open_one(call, request);
	mpi_record_doubt(call, MTRACE_DOUBT_TEST);
	status = mpi_record_status(call, status);
	code = MPI_RECORD_NEXT(MPI_Test)(request, flag, status);
	if (request && flag && *flag)
		mpi_record_done(call, 0, *request, status);
	mtrace_put_int(call->stream, flag ? *flag : 0);
	return mpi_record_end(call, code);
}

int mpi_record_own_Testall(struct mpi_record_call *call, int count, MPI_Request requests[],
			   int *flag, MPI_Status statuses[])
{
	int code;

	open_listed(call, count, requests);
	mpi_record_doubt(call, MTRACE_DOUBT_TEST);
	statuses = mpi_record_statuses(call, statuses);
	code = MPI_RECORD_NEXT(MPI_Testall)(count, requests, flag, statuses);
	for (int i = 0; i < count && requests && flag && *flag; i++)
		mpi_record_done(call, i, requests[i], &statuses[i]);
	mtrace_put_int(call->stream, flag ? *flag : 0);
	return mpi_record_end(call, code);
}

int mpi_record_own_Testany(struct mpi_record_call *call, int count, MPI_Request requests[],
			   int *index, int *flag, MPI_Status *status)
{
	int code;

	open_listed(call, count, requests);
	mpi_record_doubt(call, MTRACE_DOUBT_TEST);
	status = mpi_record_status(call, status);
	code = MPI_RECORD_NEXT(MPI_Testany)(count, requests, index, flag, status);
	if (index && flag && *flag && *index >= 0 && *index < count)
		mpi_record_done(call, *index, requests[*index], status);
	if (index && flag && *flag)
		mpi_record_index(call, *index);
	else
		mtrace_put_int(call->stream, -1);
	return mpi_record_end(call, code);
}

int mpi_record_own_Testsome(struct mpi_record_call *call, int count, MPI_Request requests[],
			    int *n_done, int indices[], MPI_Status statuses[])
{
	int code;

	open_listed(call, count, requests);
	mpi_record_doubt(call, MTRACE_DOUBT_TEST);
	statuses = mpi_record_statuses(call, statuses);
	code = MPI_RECORD_NEXT(MPI_Testsome)(count, requests, n_done, indices, statuses);
	put_indices(call, n_done && indices ? *n_done : 0, indices, requests, statuses);
	return mpi_record_end(call, code);
}

int mpi_record_own_Request_get_status(struct mpi_record_call *call, MPI_Request request, int *flag,
				      MPI_Status *status)
{
	int code;

	mpi_record_open(call);
	mpi_record_request(call, request);
	mpi_record_doubt(call, MTRACE_DOUBT_TEST);
	code = MPI_RECORD_NEXT(MPI_Request_get_status)(request, flag, status);
	mtrace_put_int(call->stream, flag ? *flag : 0);
	return mpi_record_end(call, code);
}

int mpi_record_own_Request_free(struct mpi_record_call *call, MPI_Request *request)
{
	static const MPI_Status unknown = {.MPI_SOURCE = MPI_ANY_SOURCE};
	int code;

	open_one(call, request);
	code = MPI_RECORD_NEXT(MPI_Request_free)(request);
	if (request)
		mpi_record_done(call, 0, *request, &unknown);
	return mpi_record_end(call, code);
}

int mpi_record_own_Iprobe(struct mpi_record_call *call, int source, int tag, MPI_Comm comm,
			  int *flag, MPI_Status *status)
{
	MPI_Status own;
	int code;

	if (status == MPI_STATUS_IGNORE)
		status = &own;
	mpi_record_open(call);
	mpi_record_doubt(call, MTRACE_DOUBT_PROBE);
	code = MPI_RECORD_NEXT(MPI_Iprobe)(source, tag, comm, flag, status);
	mtrace_put_int(call->stream, flag ? *flag : 0);
	mpi_record_source(call, source, comm);
	mpi_record_tag(call, tag);
	mpi_record_comm(call, comm);
	if (flag && *flag)
		mpi_record_matched(call, status, code);
	return mpi_record_end(call, code);
}

int mpi_record_own_Improbe(struct mpi_record_call *call, int source, int tag, MPI_Comm comm,
			   int *flag, MPI_Message *message, MPI_Status *status)
{
	MPI_Status own;
	int code;

	if (status == MPI_STATUS_IGNORE)
		status = &own;
	mpi_record_open(call);
	mpi_record_doubt(call, MTRACE_DOUBT_PROBE);
	code = MPI_RECORD_NEXT(MPI_Improbe)(source, tag, comm, flag, message, status);
	mtrace_put_int(call->stream, flag ? *flag : 0);
	mpi_record_source(call, source, comm);
	mpi_record_tag(call, tag);
	mpi_record_comm(call, comm);
	if (flag && *flag)
		mpi_record_matched(call, status, code);
	mpi_record_new_message(call, message, flag && *flag ? code : MPI_ERR_OTHER);
	return mpi_record_end(call, code);
}

/* --- one-sided and partitioned communication --- */

int mpi_record_own_Win_test(struct mpi_record_call *call, MPI_Win win, int *flag)
{
	int code;

	mpi_record_open(call);
	mpi_record_win(call, win);
	mpi_record_doubt(call, MTRACE_DOUBT_TEST);
	code = MPI_RECORD_NEXT(MPI_Win_test)(win, flag);
	mtrace_put_int(call->stream, flag ? *flag : 0);
	return mpi_record_end(call, code);
}

#if MPI_VERSION >= 4
int mpi_record_own_Parrived(struct mpi_record_call *call, MPI_Request request, int partition,
			    int *flag)
{
	int code;

	mpi_record_open(call);
	mpi_record_request(call, request);
	mpi_record_int(call, partition);
	mpi_record_doubt(call, MTRACE_DOUBT_TEST);
	code = MPI_RECORD_NEXT(MPI_Parrived)(request, partition, flag);
	mtrace_put_int(call->stream, flag ? *flag : 0);
	return mpi_record_end(call, code);
}
#endif
