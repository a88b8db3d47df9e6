/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/p2p/message.h"
#include "mpi/p2p/kept.h"

#include <stdlib.h>

struct mpi_kept {
	struct mpi_foreign_memory *memories;
	bool is_given; /* what has come, since the request was started last */
	/* the request's own */
	int (*query)(struct mpi_request *request);
	void (*release)(struct mpi_rank *me, struct mpi_request *request);
};

/* What was given later may stand for the program's side of what was given before. */
static void fetch_from_last(struct mpi_foreign_memory *memory)
{
	if (!memory)
		return;
	fetch_from_last(memory->next);
	memory->fetch(memory);
}

void mpi_kept_fetch(struct mpi_request *request)
{
	if (!request->kept)
		return;
	request->kept->is_given = false;
	fetch_from_last(request->kept->memories);
}

void mpi_kept_give(struct mpi_request *request)
{
	struct mpi_foreign_memory *memory = request->kept ? request->kept->memories : NULL;

	if (request->kept)
		request->kept->is_given = true;
	for (; memory; memory = memory->next)
		memory->give(memory);
}

struct mpi_foreign_memory *mpi_kept_memories(const struct mpi_request *request)
{
	return request->kept ? request->kept->memories : NULL;
}

static int query(struct mpi_request *request)
{
	int code = request->kept->query ? request->kept->query(request) : request->status.MPI_ERROR;

	mpi_request_settle(request);
	mpi_kept_give(request);
	return code;
}

static void release(struct mpi_rank *me, struct mpi_request *request)
{
	struct mpi_kept *kept = request->kept;
	struct mpi_foreign_memory *next;

	/* the program gave it up before it was complete, and may learn by other messages that it is */
	if (!kept->is_given && request->state == REQUEST_COMPLETE)
		mpi_kept_give(request);
	if (kept->release)
		kept->release(me, request);
	for (struct mpi_foreign_memory *memory = kept->memories; memory; memory = next) {
		next = memory->next;
		if (memory->end)
			memory->end(memory);
		free(memory);
	}
	free(kept);
}

void *mpisim_foreign_allocate(size_t size_B)
{
	return malloc(size_B);
}

void mpisim_foreign_keep(MPI_Request handle, struct mpi_foreign_memory *memory)
{
	struct mpi_rank *me = pd_current ? pd_current->mpi : NULL;
	struct mpi_request *request = me ? mpi_request_get(me, handle) : NULL;
	struct mpi_foreign_memory **last;

	if (!request) {
		free(memory);
		return;
	}
	if (!request->kept) {
		request->kept = calloc(1, sizeof *request->kept);
		if (!request->kept)
			mpi_request_fail_memory(me);
		request->kept->query = request->query;
		request->kept->release = request->release;
		request->query = query;
		request->release = release;
	}
	for (last = &request->kept->memories; *last; last = &(*last)->next)
		;
	*last = memory;
	memory->next = NULL;
}
