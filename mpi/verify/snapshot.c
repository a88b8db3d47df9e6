/* SPDX-License-Identifier: BSD-3-Clause */
/* What buffers were like before: all of them but pages that are guarded. */
#include <string.h>

#include "mpi/verify/memory.h"

/* What lies behind the guarded pages follows what lies before them. */
static size_t before_B(const struct mpi_memory_active *active)
{
	uintptr_t end = active->guard_low ? active->guard_low : active->buffer.high;

	return end - active->buffer.low;
}

static size_t behind_B(const struct mpi_memory_active *active)
{
	return active->guard_low ? active->buffer.high - active->guard_high : 0;
}

void mpi_memory_take_snapshot(struct mpi_memory *memory, struct mpi_memory_active *active)
{
	size_t first_B = before_B(active), last_B = behind_B(active);

	mpi_memory_put_back(memory, active->snapshot);
	active->kept_low = active->buffer.low + first_B;
	active->kept_high = active->buffer.high - last_B;
	active->snapshot = mpi_memory_take(memory, first_B + last_B);
	if (!active->snapshot)
		mpi_request_fail_memory(&memory->world->ranks[active->buffer.call.rank]);
	memcpy(active->snapshot, (const void *)active->buffer.low, first_B);
	memcpy(active->snapshot + first_B, (const void *)active->kept_high, last_B);
}

/* A part of a run without a hole. */
static void compare_part(const struct mpi_memory_buffer *buffer, const struct mpi_memory_run *part,
			 size_t into_B, const char *was, struct mpi_memory_changes *out)
{
	const char *now = (const char *)part->at;
	size_t element_B = buffer->element_B;
	size_t step_B = part->size_B % element_B || into_B % element_B ? 1 : element_B;

	if (memcmp(now, was, part->size_B) == 0)
		return;
	for (size_t k = 0; k < part->size_B; k += step_B) {
		int64_t at = (int64_t)(part->at + k - mpi_memory_origin(buffer));

		if (memcmp(now + k, was + k, step_B) == 0)
			continue;
		out->first = out->size_B == 0 || at < out->first ? at : out->first;
		out->end = out->size_B == 0 || at + (int64_t)step_B > out->end
			       ? at + (int64_t)step_B
			       : out->end;
		out->size_B += step_B;
	}
}

/* What the buffer has in [low, high), whose former content is `was`. */
static void compare_range(const struct mpi_memory_buffer *buffer, uintptr_t low, uintptr_t high,
			  const char *was, struct mpi_memory_changes *out)
{
	for (size_t i = 0; i < buffer->n_runs; i++) {
		const struct mpi_memory_run *run = &buffer->runs[i];
		uintptr_t from = run->at > low ? run->at : low;
		uintptr_t to = run->at + run->size_B < high ? run->at + run->size_B : high;

		if (from < to)
			compare_part(buffer, &(struct mpi_memory_run){from, to - from},
				     from - run->at, was + (from - low), out);
	}
}

void mpi_memory_compare(const struct mpi_memory_active *active, struct mpi_memory_changes *out)
{
	const struct mpi_memory_buffer *buffer = &active->buffer;

	if (!active->snapshot) {
		compare_range(buffer, buffer->low, buffer->high, active->mine, out);
		return;
	}
	compare_range(buffer, buffer->low, active->kept_low, active->snapshot, out);
	compare_range(buffer, active->kept_high, buffer->high,
		      active->snapshot + (active->kept_low - buffer->low), out);
}
