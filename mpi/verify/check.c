/* SPDX-License-Identifier: BSD-3-Clause */
/* What is looked at when a call is given a buffer: that all of it is there, and was written to. */
#include <stdio.h>
#include <string.h>

#include "mpi/datatype/datatype.h"
#include "mpi/verify/memcheck.h"
#include "mpi/verify/memory.h"
#include "simcore/fiber.h"

/* Memory that belongs together, and in which a buffer begins. */
struct region {
	uintptr_t low, high;
	const struct mpi_memory_block *block; /* NULL: a variable */
	const char *variable;		      /* its name */
};

static bool find_region(struct mpi_memory *memory, struct mpi_rank *me, uintptr_t at,
			struct region *out)
{
	*out = (struct region){.block = mpi_memory_block_at(memory, at)};
	if (out->block) {
		out->low = out->block->at;
		out->high = out->block->at + out->block->size_B;
		return true;
	}
	out->variable = mpi_memory_global_at(memory, me, at, &out->low, &out->high);
	return out->variable != NULL;
}

struct bad { /* bytes of a buffer */
	size_t n;
	int64_t first; /* from the base of the buffer */
};

static void add_bad(struct bad *bad, const struct mpi_memory_buffer *buffer, uintptr_t at,
		    size_t size_B)
{
	int64_t offset = (int64_t)(at - mpi_memory_origin(buffer));

	if (size_B > 0 && (bad->n == 0 || offset < bad->first))
		bad->first = offset;
	bad->n += size_B;
}

static void tell_unaddressable(struct mpi_rank *me, const struct mpi_memory_buffer *buffer,
			       const struct bad *bad, const char *why,
			       const struct mpi_finding_call *freed_by, const char *what)
{
	struct mpi_finding_call calls[] = {buffer->call,
					   freed_by ? *freed_by : (struct mpi_finding_call){0}};

	mpi_memory_report(me, buffer->use & MEMORY_WRITE ? "unaddr-recv" : "unaddr-send", why,
			  calls, freed_by ? 2 : 1, "first bad byte %lld, %zu byte%s in all: %s %s",
			  (long long)bad->first, bad->n, bad->n == 1 ? "" : "s",
			  MEMORY_TEXT(buffer), what);
}

/* Datatypes may put variables together that are far apart. */
static bool is_elsewhere(struct mpi_memory *memory, struct mpi_rank *me,
			 const struct mpi_memory_buffer *buffer, const struct mpi_memory_run *run)
{
	bool is_absolute = buffer->base < MPI_ABSOLUTE_ADDRESS_MIN;
	struct region other;

	if (is_absolute && !find_region(memory, me, run->at, &other))
		return true; /* on a stack */
	return (is_absolute || buffer->is_struct) && find_region(memory, me, run->at, &other) &&
	       !(other.block && other.block->is_freed) && run->at + run->size_B <= other.high;
}

/* True: some of it is behind the region, which was told. */
static bool check_room(struct mpi_memory *memory, struct mpi_rank *me,
		       const struct mpi_memory_buffer *buffer, const struct region *region)
{
	struct bad bad = {0};
	char what[256];

	for (size_t i = 0; i < buffer->n_runs; i++) {
		const struct mpi_memory_run *run = &buffer->runs[i];
		uintptr_t end = run->at + run->size_B;

		if ((run->at < region->low || run->at >= region->high) &&
		    is_elsewhere(memory, me, buffer, run))
			continue;
		if (run->at < region->low) /* in front of it */
			add_bad(&bad, buffer, run->at,
				end < region->low ? run->size_B : region->low - run->at);
		else if (end > region->high)
			add_bad(&bad, buffer, run->at > region->high ? run->at : region->high,
				run->at > region->high ? run->size_B : end - region->high);
	}
	if (bad.n == 0)
		return false;
	if (region->variable)
		snprintf(what, sizeof what, "reaches beyond the variable %s, which has %zu bytes",
			 region->variable, (size_t)(region->high - region->low));
	else
		snprintf(what, sizeof what, "is longer than its heap block, which has %zu bytes",
			 (size_t)(region->high - region->low));
	tell_unaddressable(me, buffer, &bad,
			   region->variable ? "memory behind the variable belongs to something else"
					    : "memory behind the block belongs to something else",
			   NULL, what);
	return true;
}

static void tell_freed(struct mpi_rank *me, const struct mpi_memory_buffer *buffer,
		       const struct mpi_memory_block *block)
{
	struct bad bad = {buffer->size_B, (int64_t)(buffer->low - mpi_memory_origin(buffer))};

	tell_unaddressable(me, buffer, &bad, "the memory may belong to something else by now",
			   &block->freed_by, "was freed");
}

void mpi_memory_check_stack(struct mpi_memory *memory, struct mpi_rank *me,
			    const struct mpi_memory_buffer *buffer, uintptr_t here)
{
	struct bad bad = {0};
	void *stack;
	size_t stack_B;
	uintptr_t top;

	sim_fiber_stack(me->pd->task.fiber, &stack, &stack_B);
	top = (uintptr_t)stack + stack_B;
	if (here - (uintptr_t)stack >= stack_B)
		return;
	for (size_t i = 0; i < buffer->n_runs; i++) {
		uintptr_t at = buffer->runs[i].at, end = at + buffer->runs[i].size_B;

		if (at < (uintptr_t)stack || at >= top)
			continue;
		if (at < here)
			add_bad(&bad, buffer, at, (end < here ? end : here) - at);
		if (end > top)
			add_bad(&bad, buffer, top, end - top);
	}
	if (bad.n > 0)
		tell_unaddressable(me, buffer, &bad,
				   "the memory is used by the next function that is called", NULL,
				   "lies on the stack where no function has its variables");
}

/* --- written to --- */

/* All of the buffer was written to, which is one run: what is known of the block grows, if the two
 * touch or there is more of the new. */
static void note_written(struct mpi_memory_block *block, uintptr_t low, uintptr_t high)
{
	if (low <= block->written_high && high >= block->written_low) {
		block->written_low = low < block->written_low ? low : block->written_low;
		block->written_high = high > block->written_high ? high : block->written_high;
	} else if (high - low > block->written_high - block->written_low) {
		block->written_low = low;
		block->written_high = high;
	}
}

/* Padding is no longer than this on any processor, and follows a member. */
enum { MAX_PADDING_B = 12 };

struct undefined {
	struct bad bad, padding;
};

/* `at` to `stop`: nothing was written to them; `is_behind`: to what lies before them, something was. */
static void add_undefined(struct undefined *out, const struct mpi_memory_buffer *buffer,
			  uintptr_t at, uintptr_t stop, bool is_behind)
{
	bool is_padding = buffer->is_raw && is_behind && stop - at <= MAX_PADDING_B &&
			  (stop % 8 == 0 || stop == buffer->high);

	add_bad(is_padding ? &out->padding : &out->bad, buffer, at, stop - at);
}

static void look_at_run(struct undefined *out, const struct mpi_memory_buffer *buffer,
			uintptr_t begin, uintptr_t end)
{
	uintptr_t at = (begin + 3) & ~(uintptr_t)3;

	while (at + 4 <= end) {
		uintptr_t from = at;

		while (at + 4 <= end && *(const uint32_t *)at == mpi_memory_pattern(at))
			at += 4;
		if (at > from)
			add_undefined(out, buffer, from, at, from > begin);
		at += 4;
	}
}

static void tell_undefined(struct mpi_rank *me, const struct mpi_memory_buffer *buffer,
			   const struct undefined *undefined)
{
	if (undefined->bad.n > 0)
		mpi_memory_report(me, "undef-send", "the receiver gets what was there by chance",
				  &buffer->call, 1,
				  "first bad byte %lld, %zu bytes in all: nothing was written to "
				  "them, in %s",
				  (long long)undefined->bad.first,
				  undefined->bad.n + undefined->padding.n, MEMORY_TEXT(buffer));
	else if (undefined->padding.n > 0)
		mpi_verify_report_here(me, "undef-padding", MPI_FINDING_NOTE, NULL,
				       "the receiver gets what was there by chance, between the "
				       "members of structures: a datatype for them leaves it out",
				       "%zu bytes, from offset %lld on, that nothing was written "
				       "to, in %s: padding, as it seems",
				       undefined->padding.n, (long long)undefined->padding.first,
				       MEMORY_TEXT(buffer));
}

static void check_defined(struct mpi_rank *me, const struct mpi_memory_buffer *buffer,
			  struct mpi_memory_block *block)
{
	uintptr_t end = block->at + block->size_B;
	struct undefined undefined = {0};

	if (buffer->read_low >= block->written_low && buffer->read_high <= block->written_high)
		return;
	for (size_t i = 0; i < buffer->n_runs; i++) {
		uintptr_t at = buffer->runs[i].at, stop = at + buffer->runs[i].size_B;

		at = at > block->at ? at : block->at;
		stop = stop < end ? stop : end;
		look_at_run(&undefined, buffer, at > buffer->read_low ? at : buffer->read_low,
			    stop < buffer->read_high ? stop : buffer->read_high);
	}
	if (undefined.bad.n + undefined.padding.n == 0 && buffer->n_runs == 1 &&
	    buffer->read_high <= end)
		note_written(block, buffer->read_low, buffer->read_high);
	tell_undefined(me, buffer, &undefined);
}

/* Where kernels are skipped their results were never written: nothing can be said then. */
bool mpi_memory_is_computed(struct mpi_memory *memory, struct mpi_rank *me)
{
	if (!me->world->pd->has_skipped)
		return true;
	if (!memory->has_skipped)
		mpi_verify_report_here(me, "unchecked-definedness", MPI_FINDING_NOTE,
				       "--compute direct", NULL,
				       "kernels are skipped: whether what is sent was ever written "
				       "to is not looked at");
	memory->has_skipped = true;
	return false;
}

/* --- by valgrind --- */

bool mpi_memory_is_active(const struct mpi_memory *memory, const struct mpi_rank *me, uintptr_t at,
			  size_t size_B)
{
	int64_t first;

	for (const struct mpi_memory_active *active = memory->ranks[me->rank].actives.first; active;
	     active = active->link.next)
		if (active->is_locked &&
		    mpi_memory_common_range(&active->buffer, at, size_B, &first) > 0)
			return true;
	return false;
}

enum { PIECE_B = 1024 };

/* Bytes that are not there for other reasons than that MPI has them. */
static void add_absent(struct bad *bad, struct mpi_memory *memory, struct mpi_rank *me,
		       const struct mpi_memory_buffer *buffer, uintptr_t at, size_t size_B)
{
	for (size_t i = 0; i < size_B; i++)
		if (!mpi_memory_is_active(memory, me, at + i, 1))
			add_bad(bad, buffer, at + i, 1);
}

/* The same of what is read of it. */
static void add_read(struct undefined *out, const struct mpi_memory_buffer *buffer, uintptr_t at,
		     uintptr_t stop, bool is_behind)
{
	at = at > buffer->read_low ? at : buffer->read_low;
	stop = stop < buffer->read_high ? stop : buffer->read_high;
	if (at < stop)
		add_undefined(out, buffer, at, stop, is_behind);
}

static void look_at_bits(struct undefined *out, struct bad *absent, struct mpi_memory *memory,
			 struct mpi_rank *me, const struct mpi_memory_buffer *buffer,
			 const struct mpi_memory_run *run, uintptr_t at, size_t size_B)
{
	bool is_there[PIECE_B];
	uint8_t bits[PIECE_B];

	mpi_memcheck_get(at, size_B, is_there, bits);
	for (size_t i = 0, n; i < size_B; i += n) {
		bool there = is_there[i], is_undefined = bits[i] != 0;

		for (n = 1; i + n < size_B && is_there[i + n] == there &&
			    (bits[i + n] != 0) == is_undefined;)
			n++;
		if (!there)
			add_absent(absent, memory, me, buffer, at + i, n);
		else if (is_undefined)
			add_read(out, buffer, at + i, at + i + n, at + i > run->at);
	}
}

static void check_bits(struct mpi_memory *memory, struct mpi_rank *me,
		       const struct mpi_memory_buffer *buffer, bool is_told)
{
	struct undefined undefined = {0};
	struct bad absent = {0};

	for (size_t i = 0; i < buffer->n_runs; i++) {
		const struct mpi_memory_run *run = &buffer->runs[i];

		for (size_t k = 0, n; k < run->size_B; k += n) {
			n = run->size_B - k < PIECE_B ? run->size_B - k : PIECE_B;
			look_at_bits(&undefined, &absent, memory, me, buffer, run, run->at + k, n);
		}
	}
	if (absent.n > 0 && !is_told)
		tell_unaddressable(me, buffer, &absent, "the memory belongs to something else",
				   NULL, "is not the program's there");
	if ((buffer->use & MEMORY_READ) && undefined.bad.n + undefined.padding.n > 0 &&
	    mpi_memory_is_computed(memory, me))
		tell_undefined(me, buffer, &undefined);
}

void mpi_memory_check(struct mpi_memory *memory, struct mpi_rank *me,
		      const struct mpi_memory_buffer *buffer)
{
	struct region region;
	bool is_known = find_region(memory, me, buffer->low, &region) ||
			find_region(memory, me, buffer->base, &region);
	bool is_told;

	if (is_known && region.block && region.block->is_freed) {
		tell_freed(me, buffer, region.block);
		return;
	}
	is_told = is_known && check_room(memory, me, buffer, &region);
	if (memory->memcheck)
		check_bits(memory, me, buffer, is_told);
	if (is_known && region.block && region.block->is_filled && (buffer->use & MEMORY_READ) &&
	    mpi_memory_is_computed(memory, me))
		check_defined(me, buffer, (struct mpi_memory_block *)(uintptr_t)region.block);
}
