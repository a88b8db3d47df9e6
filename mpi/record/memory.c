/* SPDX-License-Identifier: BSD-3-Clause */
/* Which memory calls use and computation accesses. */
#include <stdlib.h>

#include "mpi/record/internal.h"
#include "mpi/verify/memory.h"
#include "util/array.h"

struct group { /* `count` times so many bytes */
	uint64_t at, size_B, count, stride_B;
};

struct groups {
	struct group *all; /* [n] */
	size_t n;
	bool is_out_of_memory;
};

static void add(struct groups *groups, uint64_t at, uint64_t size_B)
{
	struct group *last = groups->n ? &groups->all[groups->n - 1] : NULL;
	uint64_t stride_B = last ? at - (last->at + (last->count - 1) * last->stride_B) : 0;

	if (last && last->size_B == size_B && stride_B <= UINT32_MAX && stride_B > 0 &&
	    (last->count == 1 || last->stride_B == stride_B)) {
		last->stride_B = stride_B;
		last->count++;
		return;
	}
	groups->is_out_of_memory |= !util_array_room(&groups->all, groups->n, sizeof *groups->all);
	if (!groups->is_out_of_memory)
		groups->all[groups->n++] = (struct group){at, size_B, 1, 0};
}

static void put(struct mpi_record *record, struct mtrace_stream *s, struct groups *groups)
{
	mtrace_put_uint(s, groups->n);
	for (size_t i = 0; i < groups->n; i++) {
		mtrace_put_uint(s, groups->all[i].at);
		mtrace_put_uint(s, groups->all[i].size_B);
		mtrace_put_uint(s, groups->all[i].count);
		mtrace_put_uint(s, groups->all[i].stride_B);
	}
	record->is_out_of_memory |= groups->is_out_of_memory;
	free(groups->all);
	mtrace_record_end(s);
}

static void put_buffer(struct mpi_record_call *call, const struct mpi_memory_buffer *buffer)
{
	struct groups groups = {NULL};

	for (size_t i = 0; i < buffer->n_runs; i++)
		add(&groups, buffer->runs[i].at, buffer->runs[i].size_B);
	mtrace_put_uint(call->stream, MTRACE_MEMORY);
	mtrace_put_byte(call->stream, (unsigned char)buffer->use); /* the same bits */
	put(call->record, call->stream, &groups);
}

/* Statuses that the call looks at or fills in. */
static void put_statuses(struct mpi_record_call *call)
{
	for (int i = 0; i < call->function->n_parameters; i++) {
		const struct mpi_parameter *p = &call->function->parameters[i];
		const MPI_Status *status = call->values[i].p;
		struct groups groups = {NULL};

		if (p->kind != PARAMETER_STATUS || p->is_array || status == MPI_STATUS_IGNORE)
			continue;
		add(&groups, (uintptr_t)status, sizeof *status);
		mtrace_put_uint(call->stream, MTRACE_MEMORY);
		mtrace_put_byte(call->stream, (unsigned char)(MTRACE_STATUS | p->direction));
		put(call->record, call->stream, &groups);
	}
}

static void watch(struct mpi_record_call *call, const struct mpi_memory_buffer *buffer, size_t run)
{
	uintptr_t low = buffer->runs[run].at;

	mpi_record_watch_pages(call, low, low + buffer->runs[run].size_B,
			       buffer->use & MTRACE_WRITTEN);
}

void mpi_record_memory_of(struct mpi_record_call *call)
{
	const struct mpi_verify_call seen = {
	    .me = call->me, .function = call->function, .values = call->values};
	struct mpi_memory_buffers buffers;

	if (call->is_nested)
		return;
	mpi_memory_collect(&seen, &buffers);
	for (int i = 0; i < buffers.n; i++) {
		put_buffer(call, &buffers.buffers[i]);
		for (size_t k = 0; k < buffers.buffers[i].n_runs; k++)
			watch(call, &buffers.buffers[i], k);
		mpi_memory_buffer_finish(&buffers.buffers[i]);
	}
	put_statuses(call);
}

static void touched(void *context, const struct sim_record_touch *touch)
{
	struct mpi_record *record = context;
	struct mpi_record_rank *rank = &record->ranks[touch->rank];
	struct mtrace_stream *s = rank->stream;
	struct groups groups = {NULL};

	if (rank->is_open) /* by what the program does within a call */
		return;
	for (size_t i = 0; i < touch->n_runs; i++)
		add(&groups, touch->runs[i].at, touch->runs[i].size_B);
	mtrace_put_uint(s, MTRACE_MEMORY);
	mtrace_put_byte(
	    s, (unsigned char)(touch->use | MTRACE_COMPUTED | (touch->kernel ? MTRACE_KERNEL : 0)));
	mtrace_put_uint(
	    s, mpi_record_site(record, &record->world->pd->ranks[touch->rank], touch->site));
	mtrace_put_double(s, touch->fraction);
	put(record, s, &groups);
}

void mpi_record_memory(struct mpi_record *record)
{
	const struct sim_observer observer = {.context = record, .touch = touched};

	record->has_memory = true;
	sim_observers_add(&record->world->pd->observers, &observer);
}
