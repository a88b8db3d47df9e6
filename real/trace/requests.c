/* SPDX-License-Identifier: BSD-3-Clause */
/* Which requests are there, and what the calls that end them are about. */
#include <stdlib.h>

#include "real/trace/trace.h"

static struct mpi_trace_requests *const all = &mpi_trace.requests;

static uint32_t bucket_of(MPI_Request handle, const MPI_Request *place)
{
	uint64_t hash =
	    ((uint64_t)(uintptr_t)handle + 31 * (uint64_t)(uintptr_t)place) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(hash >> 32) & (all->n_buckets - 1);
}

/* Room for one more, and buckets that stay short. */
static bool reserve(void)
{
	uint32_t capacity = all->capacity ? 2 * all->capacity : 64;
	struct mpi_trace_request *entries;
	uint32_t *buckets;

	if (all->free_one || all->n < all->capacity)
		return true;
	entries = realloc(all->entries, capacity * sizeof *entries);
	buckets = calloc(capacity, sizeof *buckets);
	if (entries)
		all->entries = entries;
	if (!entries || !buckets) {
		free(buckets);
		mpi_trace_refuse("out of memory");
		return false;
	}
	free(all->buckets);
	all->buckets = buckets;
	all->capacity = all->n_buckets = capacity;
	for (uint32_t i = 0; i < all->n; i++) { /* none is free */
		uint32_t bucket = bucket_of(entries[i].handle, entries[i].place);

		entries[i].next = buckets[bucket];
		buckets[bucket] = i + 1;
	}
	return true;
}

void mpi_record_new_request(struct mpi_record_call *call, const MPI_Request *request, int code)
{
	uint32_t index = 0, bucket;
	bool is_made = code == MPI_SUCCESS && *request != MPI_REQUEST_NULL && reserve();

	if (is_made) {
		index = all->free_one ? all->free_one - 1 : all->n++;
		if (all->free_one)
			all->free_one = all->entries[index].next;
		bucket = bucket_of(*request, request);
		all->entries[index] = (struct mpi_trace_request){.handle = *request,
								 .place = request,
								 .match = call->match,
								 .next = all->buckets[bucket],
								 .is_there = true};
		all->buckets[bucket] = index + 1;
	}
	mtrace_put_uint(call->stream, is_made ? index + 1 : 0);
}

/*
 * By handle and place first. A program may have moved the handle: then the first one with that
 * handle that this call has not listed yet is it, or one that ended just like it.
 */
uint32_t mpi_trace_request_id(MPI_Request request, const MPI_Request *place)
{
	if (request == MPI_REQUEST_NULL || all->n_buckets == 0)
		return 0;
	for (uint32_t i = all->buckets[bucket_of(request, place)]; i; i = all->entries[i - 1].next)
		if (all->entries[i - 1].handle == request && all->entries[i - 1].place == place)
			return i;
	for (uint32_t i = 0; i < all->n; i++)
		if (all->entries[i].is_there && all->entries[i].handle == request &&
		    all->entries[i].listed != all->call)
			return i + 1;
	return 0;
}

static void forget(uint32_t id)
{
	struct mpi_trace_request *entry = &all->entries[id - 1];
	uint32_t *at = &all->buckets[bucket_of(entry->handle, entry->place)];

	while (*at != id)
		at = &all->entries[*at - 1].next;
	*at = entry->next;
	entry->is_there = false;
	entry->next = all->free_one;
	all->free_one = id;
}

/* --- the requests of the call at hand --- */

static bool list_reserve(int n)
{
	int capacity = 2 * n + 16;
	uint32_t *listed;
	MPI_Status *statuses;

	if (n < all->list_capacity)
		return true;
	listed = realloc(all->listed, (size_t)capacity * sizeof *listed);
	all->listed = listed ? listed : all->listed;
	statuses = realloc(all->statuses, (size_t)capacity * sizeof *statuses);
	all->statuses = statuses ? statuses : all->statuses;
	if (!listed || !statuses) {
		mpi_trace_refuse("out of memory");
		return false;
	}
	all->list_capacity = capacity;
	return true;
}

void mpi_record_list(struct mpi_record_call *call, int n, const MPI_Request requests[])
{
	n = requests && n > 0 ? n : 0;
	all->call++;
	if (!list_reserve(n))
		PMPI_Abort(MPI_COMM_WORLD, 1); /* as MPI does where memory ends */
	for (int i = 0; i < n; i++) {
		uint32_t id = mpi_trace_request_id(requests[i], &requests[i]);

		all->listed[i] = id;
		if (id)
			all->entries[id - 1].listed = all->call;
	}
}

int mpi_record_n_listed(const struct mpi_record_call *call, int n)
{
	int there = 0;

	for (int i = 0; i < n; i++)
		there += all->listed[i] != 0;
	return there;
}

void mpi_record_request(struct mpi_record_call *call, MPI_Request request)
{
	all->call++;
	mtrace_put_uint(call->stream, mpi_trace_request_id(request, NULL));
}

void mpi_record_listed(struct mpi_record_call *call, int i)
{
	mtrace_put_uint(call->stream, all->listed[i]);
}

void mpi_record_requests(struct mpi_record_call *call, int n, const MPI_Request requests[])
{
	n = requests && n > 0 ? n : 0;
	mpi_record_list(call, n, requests);
	mtrace_put_uint(call->stream, (uint64_t)n);
	for (int i = 0; i < n; i++)
		mpi_record_listed(call, i);
}

MPI_Status *mpi_record_statuses(struct mpi_record_call *call, MPI_Status statuses[])
{
	return statuses == MPI_STATUSES_IGNORE ? all->statuses : statuses;
}

MPI_Status *mpi_record_status(struct mpi_record_call *call, MPI_Status *status)
{
	return status == MPI_STATUS_IGNORE ? all->statuses : status;
}

void mpi_record_done(struct mpi_record_call *call, int i, MPI_Request after,
		     const MPI_Status *status)
{
	uint32_t id = all->listed[i];

	if (!id || after != MPI_REQUEST_NULL)
		return;
	if (all->entries[id - 1].match && status->MPI_SOURCE >= 0) /* was not cancelled */
		mtrace_patch_match(call->stream, all->entries[id - 1].match, status->MPI_SOURCE,
				   status->MPI_TAG);
	forget(id);
}
