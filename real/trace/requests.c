/* SPDX-License-Identifier: BSD-3-Clause */
/* Which requests are there, and what the calls that end them are about. */
#include <stdlib.h>

#include "real/trace/trace.h"
#include "util/array.h"

static struct mpi_trace_requests *const all = &mpi_trace.requests;

static uint64_t key_of(MPI_Request handle, const MPI_Request *place)
{
	return (uint64_t)(uintptr_t)handle + 31 * (uint64_t)(uintptr_t)place;
}

/* Items of the map are ids: entries move. */
static bool is_of(const void *item, const void *wanted)
{
	const struct mpi_trace_request *a = &all->entries[(uintptr_t)item - 1], *b = wanted;

	return a->handle == b->handle && a->place == b->place;
}

static uint32_t find(MPI_Request handle, const MPI_Request *place)
{
	const struct mpi_trace_request wanted = {.handle = handle, .place = place};

	return (uint32_t)(uintptr_t)util_map_find_equal(&all->ids, key_of(handle, place), is_of,
							&wanted);
}

static void unlink_id(uint32_t id)
{
	const struct mpi_trace_request *entry = &all->entries[id - 1];

	util_map_remove(&all->ids, key_of(entry->handle, entry->place), (void *)(uintptr_t)id);
}

/* The id of a new entry; 0: the trace is refused. The program may have lost one of the same handle
 * and place. */
static uint32_t add(const struct mpi_trace_request *entry)
{
	struct util_map_slot *slot;
	uint32_t id = find(entry->handle, entry->place);

	if (id)
		unlink_id(id);
	slot = util_map_add(&all->ids, key_of(entry->handle, entry->place));
	if (!slot || !(all->free_one || util_array_room(&all->entries, all->n, sizeof *entry))) {
		mpi_trace_refuse("out of memory");
		return 0;
	}
	id = all->free_one ? all->free_one : ++all->n;
	if (all->free_one)
		all->free_one = all->entries[id - 1].next;
	all->entries[id - 1] = *entry;
	slot->number = id;
	return id;
}

void mpi_record_new_request(struct mpi_record_call *call, const MPI_Request *request, int code)
{
	const struct mpi_trace_request entry = {
	    .handle = *request, .place = request, .match = call->match, .is_there = true};
	bool is_made = code == MPI_SUCCESS && *request != MPI_REQUEST_NULL;

	mtrace_put_uint(call->stream, is_made ? add(&entry) : 0);
}

/*
 * By handle and place first. A program may have moved the handle: then the first one with that
 * handle that this call has not listed yet is it, or one that ended just like it.
 */
uint32_t mpi_trace_request_id(MPI_Request request, const MPI_Request *place)
{
	uint32_t id = request == MPI_REQUEST_NULL ? 0 : find(request, place);

	if (id || request == MPI_REQUEST_NULL)
		return id;
	for (uint32_t i = 0; i < all->n; i++)
		if (all->entries[i].is_there && all->entries[i].handle == request &&
		    all->entries[i].listed != all->call)
			return i + 1;
	return 0;
}

static void forget(uint32_t id)
{
	struct mpi_trace_request *entry = &all->entries[id - 1];

	if (find(entry->handle, entry->place) == id)
		unlink_id(id);
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
