/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that complete requests or look for messages. What the recorded call gave is given again:
 * where it is not there yet on this cluster, the rank waits for it; where more is there, it is
 * left.
 */
#include "mpi/p2p/internal.h"
#include "replay/call.h"

int replay_own_Wait(struct replay_rank *rank)
{
	return MPI_Wait(replay_request(rank), MPI_STATUS_IGNORE);
}

int replay_own_Waitall(struct replay_rank *rank)
{
	MPI_Request *list = replay_requests(rank);

	return replay_requests_back(rank, MPI_Waitall(rank->n_listed, list, MPI_STATUSES_IGNORE));
}

/* The list's requests as the MPI layer knows them; how many can complete goes to *out_active. */
static struct mpi_request **find(struct replay_rank *rank, const MPI_Request list[],
				 int *out_active)
{
	struct mpi_request **found =
	    replay_array_reserve(rank, &rank->found, ((size_t)rank->n_listed + 1) * sizeof *found);

	*out_active = 0;
	for (int i = 0; i < rank->n_listed; i++) {
		found[i] = mpi_request_get(rank->mpi, list[i]);
		*out_active += found[i] && found[i]->state != REQUEST_IDLE;
	}
	return found;
}

static bool any_complete(int n, struct mpi_request *const found[])
{
	for (int i = 0; i < n; i++)
		if (found[i] && found[i]->state == REQUEST_COMPLETE)
			return true;
	return false;
}

/* Ends request `index` of the list, which completes now if it has not. */
static int end_one(struct replay_rank *rank, uint64_t index, MPI_Request list[],
		   struct mpi_request *const found[])
{
	int code;

	/* not one that has ended already, here or in a list that has it twice */
	if (index >= (uint64_t)rank->n_listed || !found[index] ||
	    mpi_request_get(rank->mpi, list[index]) != found[index])
		replay_damaged(rank, "a request that is not in the list");
	if (found[index]->state != REQUEST_COMPLETE)
		return MPI_Wait(&list[index], MPI_STATUS_IGNORE);
	code = mpi_request_harvest(rank->mpi, found[index], &list[index], MPI_STATUS_IGNORE);
	return code;
}

/* Those that the recorded call ended. */
static int end_some(struct replay_rank *rank, uint64_t n, MPI_Request list[],
		    struct mpi_request *const found[])
{
	int code = MPI_SUCCESS;

	for (uint64_t i = 0; i < n && code == MPI_SUCCESS; i++)
		code = end_one(rank, mtrace_get_uint(&rank->cursor), list, found);
	return replay_requests_back(rank, code);
}

/* Makes the progress of a test; one that gave nothing in the recording counts as a poll unless it
 * would find something here. */
static void poll(struct replay_rank *rank, int n, struct mpi_request *const found[], bool gave)
{
	(void)mpi_progress_test(rank->mpi, n, found, true);
	rank->is_early = !gave && any_complete(n, found);
	if (!gave && !rank->is_early)
		mpi_endpoint_poll_failed(rank->mpi);
}

int replay_own_Waitany(struct replay_rank *rank)
{
	MPI_Request *list = replay_requests(rank);
	int64_t index = mtrace_get_int(&rank->cursor);
	int n_active, code = MPI_SUCCESS;
	struct mpi_request **found = find(rank, list, &n_active);

	if (n_active > 0 && index >= 0) {
		mpi_requests_wait(rank->mpi, rank->n_listed, found, true);
		code = end_one(rank, (uint64_t)index, list, found);
	}
	return replay_requests_back(rank, code);
}

int replay_own_Waitsome(struct replay_rank *rank)
{
	MPI_Request *list = replay_requests(rank);
	uint64_t n = mtrace_get_count(&rank->cursor);
	int n_active;
	struct mpi_request **found = find(rank, list, &n_active);

	if (n_active > 0) {
		mpi_requests_wait(rank->mpi, rank->n_listed, found, true);
		mpi_requests_take_others(rank->mpi, rank->n_listed, found);
	}
	return end_some(rank, n, list, found);
}

int replay_own_Test(struct replay_rank *rank)
{
	MPI_Request *request = replay_request(rank);
	int flag, code;

	if (!mtrace_get_int(&rank->cursor)) {
		if (*request == MPI_REQUEST_NULL)
			return MPI_SUCCESS;
		code = MPI_Request_get_status(*request, &flag, MPI_STATUS_IGNORE);
		rank->is_early = flag;
		return code;
	}
	code = MPI_Test(request, &flag, MPI_STATUS_IGNORE);
	return flag ? code : MPI_Wait(request, MPI_STATUS_IGNORE);
}

static bool all_complete(int n, struct mpi_request *const found[])
{
	for (int i = 0; i < n; i++)
		if (found[i] && found[i]->state != REQUEST_COMPLETE &&
		    found[i]->state != REQUEST_IDLE)
			return false;
	return true;
}

int replay_own_Testall(struct replay_rank *rank)
{
	MPI_Request *list = replay_requests(rank);
	int n_active, flag, code = MPI_SUCCESS;
	struct mpi_request **found = find(rank, list, &n_active);

	if (mtrace_get_int(&rank->cursor)) {
		code = MPI_Testall(rank->n_listed, list, &flag, MPI_STATUSES_IGNORE);
		if (!flag)
			code = MPI_Waitall(rank->n_listed, list, MPI_STATUSES_IGNORE);
		return replay_requests_back(rank, code);
	}
	(void)mpi_progress_test(rank->mpi, rank->n_listed, found, false);
	rank->is_early = all_complete(rank->n_listed, found);
	if (!rank->is_early)
		mpi_endpoint_poll_failed(rank->mpi);
	return code;
}

int replay_own_Testany(struct replay_rank *rank)
{
	MPI_Request *list = replay_requests(rank);
	int64_t index = mtrace_get_int(&rank->cursor);
	int n_active, code = MPI_SUCCESS;
	struct mpi_request **found = find(rank, list, &n_active);

	poll(rank, rank->n_listed, found, index >= 0 || n_active == 0);
	if (index >= 0)
		code = end_one(rank, (uint64_t)index, list, found);
	return replay_requests_back(rank, code);
}

int replay_own_Testsome(struct replay_rank *rank)
{
	MPI_Request *list = replay_requests(rank);
	uint64_t n = mtrace_get_count(&rank->cursor);
	int n_active;
	struct mpi_request **found = find(rank, list, &n_active);

	poll(rank, rank->n_listed, found, n > 0 || n_active == 0);
	return end_some(rank, n, list, found);
}

int replay_own_Request_get_status(struct replay_rank *rank)
{
	MPI_Request *request = replay_request(rank);
	int flag, is_complete = (int)mtrace_get_int(&rank->cursor);
	struct mpi_request *found = mpi_request_get(rank->mpi, *request);
	int code = MPI_Request_get_status(*request, &flag, MPI_STATUS_IGNORE);

	if (is_complete && !flag)
		mpi_requests_wait(rank->mpi, 1, &found, false);
	return code;
}

/* Request `index` of the list was complete in the recording: it is here, or waited for. */
static void await_one(struct replay_rank *rank, const MPI_Request list[], uint64_t index)
{
	struct mpi_request *found;

	if (index >= (uint64_t)rank->n_listed)
		replay_damaged(rank, "a request that is not in the list");
	found = mpi_request_get(rank->mpi, list[index]);
	if (found && found->state != REQUEST_IDLE && found->state != REQUEST_COMPLETE)
		mpi_requests_wait(rank->mpi, 1, &found, false);
}

int replay_own_Request_get_status_all(struct replay_rank *rank)
{
	MPI_Request *list = replay_requests(rank);
	int flag, were_complete = mtrace_get_int(&rank->cursor) != 0;
	int code = MPI_Request_get_status_all(rank->n_listed, list, &flag, MPI_STATUSES_IGNORE);

	for (int i = 0; were_complete && i < rank->n_listed; i++)
		await_one(rank, list, (uint64_t)i);
	return code;
}

int replay_own_Request_get_status_any(struct replay_rank *rank)
{
	MPI_Request *list = replay_requests(rank);
	int64_t was = mtrace_get_int(&rank->cursor);
	int index, flag, code = MPI_Request_get_status_any(rank->n_listed, list, &index, &flag,
							   MPI_STATUS_IGNORE);

	if (was >= 0)
		await_one(rank, list, (uint64_t)was);
	return code;
}

int replay_own_Request_get_status_some(struct replay_rank *rank)
{
	MPI_Request *list = replay_requests(rank);
	uint64_t n = mtrace_get_count(&rank->cursor);
	int n_here, *indices = replay_array_reserve(rank, &rank->arrays[0],
						    ((size_t)rank->n_listed + 1) * sizeof *indices);
	int code = MPI_Request_get_status_some(rank->n_listed, list, &n_here, indices,
					       MPI_STATUSES_IGNORE);

	for (uint64_t i = 0; i < n; i++)
		await_one(rank, list, mtrace_get_uint(&rank->cursor));
	return code;
}

int replay_own_Request_free(struct replay_rank *rank)
{
	MPI_Request *request = replay_request(rank);
	struct mpi_request *found = mpi_request_get(rank->mpi, *request);
	int code;

	/* Nobody waits for it any more; the recording does not say which one was completed later. */
	if (found && found->kind == REQUEST_GENERALIZED && found->state != REQUEST_COMPLETE)
		MPI_Grequest_complete(*request);
	code = MPI_Request_free(request);
	*request = MPI_REQUEST_NULL;
	return code;
}

int replay_own_Iprobe(struct replay_rank *rank)
{
	int found = (int)mtrace_get_int(&rank->cursor), source = replay_source(rank),
	    tag = (int)replay_int(rank), flag, code;
	MPI_Comm comm = replay_comm(rank);

	code = MPI_Iprobe(source, tag, comm, &flag, MPI_STATUS_IGNORE);
	rank->is_early = flag && !found;
	return found && !flag ? MPI_Probe(source, tag, comm, MPI_STATUS_IGNORE) : code;
}

int replay_own_Improbe(struct replay_rank *rank)
{
	int found = (int)mtrace_get_int(&rank->cursor), source = replay_source(rank),
	    tag = (int)replay_int(rank), flag, code;
	MPI_Comm comm = replay_comm(rank);
	MPI_Message *message = replay_message(rank);

	if (!found) {
		code = MPI_Iprobe(source, tag, comm, &flag, MPI_STATUS_IGNORE);
		rank->is_early = flag;
		return code;
	}
	code = MPI_Improbe(source, tag, comm, &flag, message, MPI_STATUS_IGNORE);
	return flag ? code : MPI_Mprobe(source, tag, comm, message, MPI_STATUS_IGNORE);
}
