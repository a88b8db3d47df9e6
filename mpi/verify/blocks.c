/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The heap as the program sees it: its own calls of malloc and its relatives come here. New memory is
 * filled with a pattern of its own for each four bytes, by which memory that nothing was written to is
 * known.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/verify/memory.h"

#define MAX_FILLED_B ((size_t)16 << 20)

static int compare_blocks(const void *a, const void *b)
{
	const struct mpi_memory_block *x = a, *y = b;

	if (x->at + x->size_B <= y->at && x->at != y->at)
		return -1;
	return y->at + y->size_B <= x->at && x->at != y->at ? 1 : 0;
}

static struct mpi_memory_block *find(const struct mpi_memory *memory, uintptr_t at)
{
	struct mpi_memory_block wanted = {.at = at, .size_B = 1};
	void *node = tfind(&wanted, &memory->blocks, compare_blocks);

	return node ? *(struct mpi_memory_block **)node : NULL;
}

/* Of the four bytes at `at`, which are aligned. */
static uint32_t pattern(uintptr_t at)
{
	uint64_t word = (at >> 2) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(word >> 32) | 1;
}

static void fill(uintptr_t at, size_t size_B)
{
	uintptr_t end = at + size_B;

	for (at = (at + 3) & ~(uintptr_t)3; at + 4 <= end; at += 4)
		*(uint32_t *)at = pattern(at);
}

static void add(struct mpi_memory *memory, void *address, size_t size_B, bool is_filled)
{
	struct mpi_memory_block *block = malloc(sizeof *block);
	void *node;

	if (!block)
		return;
	*block = (struct mpi_memory_block){
	    .at = (uintptr_t)address, .size_B = size_B, .is_filled = is_filled};
	node = tsearch(block, &memory->blocks, compare_blocks);
	if (!node || *(struct mpi_memory_block **)node != block) {
		if (node) /* what lay there was freed where nobody looked */
			**(struct mpi_memory_block **)node = *block;
		free(block);
	}
}

static void drop(struct mpi_memory *memory, struct mpi_rank *me, const void *address,
		 const char *function, const void *site)
{
	struct mpi_memory_block *block = find(memory, (uintptr_t)address);

	if (!block || block->at != (uintptr_t)address)
		return;
	mpi_memory_lose(memory, me, block->at, block->size_B, function, site);
	tdelete(block, &memory->blocks, compare_blocks);
	free(block);
}

static void nothing(void *item)
{
	free(item);
}

void mpi_memory_blocks_finish(struct mpi_memory *memory)
{
	tdestroy(memory->blocks, nothing);
	memory->blocks = NULL;
}

/* --- what programs call --- */

static void *new_block(void *address, size_t size_B, bool is_filled)
{
	struct mpi_rank *me;
	struct mpi_memory *memory = mpi_memory_here(&me);

	if (!address || !memory)
		return address;
	is_filled = is_filled && size_B <= MAX_FILLED_B;
	if (is_filled)
		fill((uintptr_t)address, size_B);
	add(memory, address, size_B, is_filled);
	return address;
}

static void *own_malloc(size_t size_B)
{
	return new_block(malloc(size_B), size_B, true);
}

static void *own_calloc(size_t n, size_t size_B)
{
	return new_block(calloc(n, size_B), n * size_B, false);
}

static void *own_memalign(size_t alignment, size_t size_B)
{
	return new_block(memalign(alignment, size_B), size_B, true);
}

static int own_posix_memalign(void **out, size_t alignment, size_t size_B)
{
	int code = posix_memalign(out, alignment, size_B);

	if (code == 0)
		new_block(*out, size_B, true);
	return code;
}

static void *own_new(size_t size_B)
{
	void *address = malloc(size_B ? size_B : 1), *real;
	void *(*throws)(size_t) = NULL;

	if (!address) {
		real = dlsym(RTLD_DEFAULT, "_Znwm");
		memcpy(&throws, &real, sizeof real);
		return throws ? throws(size_B) : NULL;
	}
	return new_block(address, size_B, true);
}

static void free_at(void *address, const char *function, const void *site)
{
	struct mpi_rank *me;
	struct mpi_memory *memory = mpi_memory_here(&me);

	if (memory && address)
		drop(memory, me, address, function, site);
	free(address);
}

static void own_free(void *address)
{
	free_at(address, "free", __builtin_return_address(0));
}

static void own_delete(void *address)
{
	free_at(address, "delete", __builtin_return_address(0));
}

static void own_delete_sized(void *address, size_t size_B)
{
	free_at(address, "delete", __builtin_return_address(0));
}

static void *own_realloc(void *address, size_t size_B)
{
	struct mpi_rank *me;
	struct mpi_memory *memory = mpi_memory_here(&me);
	struct mpi_memory_block *block, old = {0};
	void *new;

	if (!memory || !address || size_B == 0) {
		if (address && size_B == 0)
			own_free(address);
		return address && size_B == 0 ? NULL : own_malloc(size_B);
	}
	block = find(memory, (uintptr_t)address);
	if (block)
		old = *block;
	drop(memory, me, address, "realloc", __builtin_return_address(0));
	new = realloc(address, size_B);
	if (!new) {
		if (old.size_B)
			add(memory, address, old.size_B, old.is_filled);
		return NULL;
	}
	if (size_B > old.size_B && old.is_filled && size_B <= MAX_FILLED_B)
		fill((uintptr_t) new + old.size_B, size_B - old.size_B);
	add(memory, new, size_B, old.is_filled && (uintptr_t) new == old.at);
	return new;
}

static void touch(const void *at, size_t size_B, unsigned use, const char *function,
		  const void *site)
{
	struct mpi_rank *me;
	struct mpi_memory *memory = mpi_memory_here(&me);

	if (memory && size_B > 0)
		mpi_memory_touch(memory, me, (uintptr_t)at, size_B, use,
				 &(struct mpi_finding_call){me->rank, function, site});
}

static void *own_memcpy(void *to, const void *from, size_t size_B)
{
	touch(from, size_B, MEMORY_READ, "memcpy", __builtin_return_address(0));
	touch(to, size_B, MEMORY_WRITE, "memcpy", __builtin_return_address(0));
	return memcpy(to, from, size_B);
}

static void *own_memmove(void *to, const void *from, size_t size_B)
{
	touch(from, size_B, MEMORY_READ, "memmove", __builtin_return_address(0));
	touch(to, size_B, MEMORY_WRITE, "memmove", __builtin_return_address(0));
	return memmove(to, from, size_B);
}

static void *own_memset(void *at, int byte, size_t size_B)
{
	touch(at, size_B, MEMORY_WRITE, "memset", __builtin_return_address(0));
	return memset(at, byte, size_B);
}

typedef void (*any_fn)(void);

static const struct {
	const char *name;
	any_fn function;
} substitutes[] = {
    {"malloc", (any_fn)own_malloc},
    {"calloc", (any_fn)own_calloc},
    {"realloc", (any_fn)own_realloc},
    {"free", (any_fn)own_free},
    {"memalign", (any_fn)own_memalign},
    {"aligned_alloc", (any_fn)own_memalign},
    {"posix_memalign", (any_fn)own_posix_memalign},
    {"memcpy", (any_fn)own_memcpy},
    {"memmove", (any_fn)own_memmove},
    {"memset", (any_fn)own_memset},
    {"_Znwm", (any_fn)own_new},
    {"_Znam", (any_fn)own_new},
    {"_ZdlPv", (any_fn)own_delete},
    {"_ZdaPv", (any_fn)own_delete},
    {"_ZdlPvm", (any_fn)own_delete_sized},
    {"_ZdaPvm", (any_fn)own_delete_sized},
};

void *mpi_memory_substitute(const char *name)
{
	for (size_t i = 0; i < sizeof substitutes / sizeof substitutes[0]; i++)
		if (strcmp(substitutes[i].name, name) == 0) {
			void *address;

			memcpy(&address, &substitutes[i].function, sizeof address);
			return address;
		}
	return mpi_verify_substitute(name);
}

/* --- checks of buffers --- */

static void check_room(struct mpi_rank *me, const struct mpi_memory_buffer *buffer,
		       const struct mpi_memory_block *block)
{
	uintptr_t end = block->at + block->size_B;
	size_t n = 0;
	int64_t first = 0;

	for (size_t i = 0; i < buffer->n_runs; i++) {
		const struct mpi_memory_run *run = &buffer->runs[i];
		size_t out_B = 0;
		uintptr_t at = run->at;

		if (run->at < block->at) /* in front of it */
			out_B =
			    run->at + run->size_B < block->at ? run->size_B : block->at - run->at;
		else if (run->at + run->size_B > end) {
			at = run->at > end ? run->at : end;
			out_B = run->at + run->size_B - at;
		}
		if (out_B > 0 && (n == 0 || (int64_t)(at - buffer->base) < first))
			first = (int64_t)(at - buffer->base);
		n += out_B;
	}
	if (n > 0)
		mpi_memory_report(
		    me, buffer->use & MEMORY_WRITE ? "unaddr-recv" : "unaddr-send",
		    "memory behind the block belongs to something else", &buffer->call, 1,
		    "first bad byte %lld, %zu byte%s in all: %s is longer than its "
		    "heap block, which has %zu bytes",
		    (long long)first, n, n == 1 ? "" : "s", buffer->text, block->size_B);
}

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

static void check_defined(struct mpi_rank *me, const struct mpi_memory_buffer *buffer,
			  struct mpi_memory_block *block)
{
	uintptr_t end = block->at + block->size_B;
	size_t n = 0;
	int64_t first = 0;

	if (buffer->low >= block->written_low && buffer->high <= block->written_high)
		return;
	for (size_t i = 0; i < buffer->n_runs; i++) {
		uintptr_t at = buffer->runs[i].at, stop = at + buffer->runs[i].size_B;

		at = ((at > block->at ? at : block->at) + 3) & ~(uintptr_t)3;
		for (stop = stop < end ? stop : end; at + 4 <= stop; at += 4) {
			if (*(const uint32_t *)at != pattern(at))
				continue;
			if (n == 0)
				first = (int64_t)(at - buffer->base);
			n += 4;
		}
	}
	if (n == 0 && buffer->n_runs == 1 && buffer->high <= end)
		note_written(block, buffer->low, buffer->high);
	if (n > 0)
		mpi_memory_report(me, "undef-send", "the receiver gets what was there by chance",
				  &buffer->call, 1,
				  "first bad byte %lld, %zu bytes in all: nothing was written to "
				  "them since their block was allocated, in %s",
				  (long long)first, n, buffer->text);
}

/* Where kernels are skipped their results were never written: nothing can be said then. */
static bool is_computed(struct mpi_memory *memory, struct mpi_rank *me)
{
	const struct pd_world *world = me->world->pd;
	enum pd_compute_mode mode = world->config.mode;

	if (!world->is_annotated || (mode != PD_COMPUTE_PARTIAL && mode != PD_COMPUTE_MODELLED))
		return true;
	if (!memory->has_skipped)
		mpi_verify_report_here(me, "unchecked-definedness", MPI_FINDING_NOTE,
				       "--compute direct", NULL,
				       "kernels are skipped: whether what is sent was ever written "
				       "to is not looked at");
	memory->has_skipped = true;
	return false;
}

void mpi_memory_check(struct mpi_memory *memory, struct mpi_rank *me,
		      const struct mpi_memory_buffer *buffer)
{
	struct mpi_memory_block *block = find(memory, buffer->low);

	if (!block)
		block = find(memory, buffer->base);
	if (!block)
		return;
	check_room(me, buffer, block);
	if (block->is_filled && (buffer->use & MEMORY_READ) && is_computed(memory, me))
		check_defined(me, buffer, block);
}
